#include "cli/look.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/extract/program.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "pollux/render/renderer.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

constexpr int most_hops = 5;  // as the daemon follows

// The answers that show no content, though they are successes.
bool has_no_content(int status) {
  return status == 204 || status == 205 || status == 206;
}

Error no_answer(const std::string& url, const fetch::Response& response) {
  std::string message =
      fmt::format("{}: {}", printable_url(url),
                  response.failure_text.empty() ? std::string(fetch::failure_name(response.failure))
                                                : response.failure_text);
  if (response.failure == fetch::Failure::address_refused) {
    message += " in a configuration: name it with --config";
  }
  return {std::move(message), ExitCode::io};
}

class FetchLooker final : public Looker, fetch::Handler {
 public:
  explicit FetchLooker(const LookOptions& options) : options_(options) {}

  Status begin() {
    Result<std::unique_ptr<fetch::Fetcher>> made =
        options_.render ? make_renderer() : fetch::make_curl_fetcher(io_, options_.fetch, *this);
    if (!made) return made.error();
    fetcher_ = std::move(*made);
    return success();
  }

  Result<Look> look(const std::string& url) override {
    Look look{.body = {}, .content_type = {}, .final_url = url};
    std::optional<fetch::CookieLines> cookies;
    if (options_.page.cookies != config::Cookies::none) cookies.emplace();
    bool own_origin = true;
    while (true) {
      fetch::Response response = ask(look.final_url, own_origin, std::exchange(cookies, {}));
      look.elapsed += response.elapsed;
      if (response.failure != fetch::Failure::none) return no_answer(look.final_url, response);
      if (response.redirect_to.empty()) return take(std::move(look), std::move(response));
      const Result<std::string> target = checked_target(look, response.redirect_to);
      if (!target) return target.error();
      // Whatever a page sends belongs to its own host, also when it is led back there.
      own_origin = own_origin && same_origin(look.final_url, *target);
      if (options_.page.cookies != config::Cookies::none) cookies = std::move(response.cookies);
      look.final_url = *target;
      ++look.redirects;
    }
  }

 private:
  Result<std::unique_ptr<fetch::Fetcher>> make_renderer() {
    render::Options how = *options_.render;
    how.program = extract::find_program(how.program).value_or(how.program);
    how.pages = 1;
    return render::make_renderer(io_, how, options_.fetch, *this);
  }
  fetch::Response ask(const std::string& url, bool own_origin,
                      std::optional<fetch::CookieLines> cookies) {
    fetch::Request request;
    request.token = fetch::Token(++requests_);
    request.url = url;
    request.timeout = options_.page.timeout;
    request.max_body = options_.page.max_body;
    request.user_agent = options_.page.user_agent;
    request.send_when_ready = true;
    if (own_origin) request.headers = options_.headers;
    request.cookies = std::move(cookies);
    body_.clear();
    fetcher_->start(std::move(request));
    io_.restart();
    io_.run();
    return std::move(response_);
  }

  Result<std::string> checked_target(const Look& look, const std::string& target) const {
    const Result<Url> url = parse_url(target);
    const auto refused = [&](const std::string& why) {
      return Error{fmt::format("{}: redirect refused: {}", printable_url(look.final_url), why),
                   ExitCode::bad_data};
    };
    if (!url) return refused(url.error().message);
    if (look.redirects >= most_hops) return refused("more than " + std::to_string(most_hops));
    if (look.final_url.starts_with("https:") && !url->https && !options_.allow_downgrade)
      return refused("from https to http, " + printable_url(target));
    return url->text;
  }

  Result<Look> take(Look look, fetch::Response response) {
    look.status = response.status;
    look.content_type = std::move(response.content_type);
    look.body = std::exchange(body_, {}) + response.body;
    if (!fetch::is_success(look.status) || has_no_content(look.status)) {
      return Error{fmt::format("{} answered {}: nothing is kept of that",
                               printable_url(look.final_url), look.status),
                   ExitCode::bad_data};
    }
    return look;
  }

  void on_ready(fetch::Token token) override { fetcher_->send(token); }
  void on_piece(fetch::Token token, std::string piece) override {
    body_ += piece;
    fetcher_->grant(token, piece.size());
  }
  void on_done(fetch::Response response) override {
    response_ = std::move(response);
    io_.stop();
  }

  const LookOptions options_;
  boost::asio::io_context io_;
  std::unique_ptr<fetch::Fetcher> fetcher_;  // before io_ goes
  std::uint64_t requests_ = 0;
  std::string body_;  // pieces so far
  fetch::Response response_;
};

}  // namespace

Result<std::unique_ptr<Looker>> Looker::create(const LookOptions& options) {
  auto looker = std::make_unique<FetchLooker>(options);
  if (const Status begun = looker->begin(); !begun) return begun.error();
  return std::unique_ptr<Looker>(std::move(looker));
}

}  // namespace pollux::cli
