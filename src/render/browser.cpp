#include "render/browser.hpp"

#include <algorithm>
#include <utility>

namespace pollux::render {
namespace {

constexpr std::chrono::milliseconds first_pause(1000), longest_pause(60'000);
constexpr auto longest_start = std::chrono::seconds(20);

}  // namespace

Browser::Browser(boost::asio::io_context& io, const Options& options,
                 std::shared_ptr<const ProxyRules> rules, Names& names, Listener listener)
    : io_(io),
      options_(options),
      rules_(std::move(rules)),
      names_(names),
      listener_(std::move(listener)) {}

Browser::~Browser() {
  stop();
}

void Browser::want(TimePoint now) {
  if (process_ || now < not_before_) return;
  Result<std::unique_ptr<BrowserProcess>> made = BrowserProcess::start(
      {.program = options_.program, .listeners = options_.pages, .memory = options_.memory});
  if (!made) return fail(made.error().message, now);
  process_ = std::move(*made);
  started_ = now;
  for (const int listener : process_->take_listeners())
    proxies_.push_back(std::make_unique<Proxy>(io_, listener, rules_, names_));
  const int to = process_->take_to_browser();
  tools_ = DevTools::open(io_, to, process_->take_from_browser(),
                          {.event = [this](const Message& message) { listener_.event(message); },
                           .closed = [this](const std::string& why) { end(why); }});
  // Windows that scripts open are told of, and closed, whoever they belong to.
  tools_->call("Target.setDiscoverTargets", {{"discover", true}}, {}, [this](const Message&) {
    up_ = true;
    listener_.up();
  });
}

void Browser::tick(TimePoint now) {
  if (process_ && !up_ && now - started_ > longest_start) end("it does not answer");
}

void Browser::end(const std::string& why) {
  if (process_) fail(why, std::chrono::steady_clock::now());
}

void Browser::rest() {
  stop();
}

void Browser::fail(const std::string& why, TimePoint now) {
  stop();
  pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
  not_before_ = now + pause_;
  listener_.down(why);
}

void Browser::stop() {
  up_ = false;
  if (tools_) std::exchange(tools_, nullptr)->close();
  proxies_.clear();
  process_.reset();
}

}  // namespace pollux::render
