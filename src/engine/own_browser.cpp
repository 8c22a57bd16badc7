#include "engine/own_browser.hpp"

#include "engine/fetch_threads.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"
#include "pollux/fetch/router.hpp"
#include "pollux/render/renderer.hpp"

#include <optional>
#include <string>
#include <utility>

namespace pollux::engine {

Result<std::unique_ptr<fetch::Fetcher>> with_browser(std::unique_ptr<fetch::Fetcher> first,
                                                     EventLoop& loop, render::Options options,
                                                     const fetch::Options& network,
                                                     fetch::Handler& handler) {
  const std::optional<std::string> program = extract::find_program(options.program);
  if (!program)
    return Error{"render.program: there is no program " + printable(options.program) +
                     "; install chromium-headless-shell, or name another one",
                 ExitCode::configuration};
  options.program = *program;
  auto router = std::make_unique<fetch::Router>(handler);
  auto browser = FetchThreads::create(
      loop, "render",
      [&](boost::asio::io_context& io, fetch::Handler& of) {
        return render::make_renderer(io, options, network, of);
      },
      router->second_handler());
  if (!browser.ok()) return browser.error();
  router->begin(std::move(first), std::move(browser).value(),
                [](const fetch::Request& request) { return request.render; });
  return std::unique_ptr<fetch::Fetcher>(std::move(router));
}

}  // namespace pollux::engine
