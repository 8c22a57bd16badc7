#include "notify/channels.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "pollux/notify/render.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

constexpr std::uint64_t answer_read = 64u << 10;

// The message itself is what the receiver does not like: it will not like it later either.
bool is_hopeless(int status) {
  return status == 400 || status == 410 || status == 413 || status == 415 || status == 422;
}

// One request at a time, on a fetcher and an event loop of its own that only runs meanwhile.
class WebhookChannel final : public Channel, fetch::Handler {
 public:
  WebhookChannel(Webhook webhook, ChannelOptions options)
      : webhook_(std::move(webhook)), options_(std::move(options)) {}

  Attempt send(const Message& message) override {
    if (!fetcher_) {
      fetch::Options how;
      how.allow = webhook_.allow;
      how.ca_file = options_.ca_file;
      how.proxy = options_.proxy;
      how.proxy_login = options_.proxy_login;
      how.name_threads = 2;
      how.max_idle_connections = 2;
      auto made = fetch::make_curl_fetcher(io_, std::move(how), *this);
      if (!made) return {.error = made.error().message};
      fetcher_ = std::move(made).value();
    }
    HttpMessage http = http_message(webhook_, message);
    fetch::Response answer = exchange(http, false);
    // The receiver had closed the connection that was kept from the last message.
    if (answer.failure == fetch::Failure::connection_lost && answer.reused_connection &&
        answer.status == 0 && !cancelled_)
      answer = exchange(http, true);
    return attempt_of(answer);
  }

  void cancel() override {
    cancelled_ = true;
    boost::asio::post(io_, [this] {
      if (fetcher_) fetcher_->cancel_all();
    });
  }

 private:
  void on_ready(fetch::Token) override {}
  void on_piece(fetch::Token token, std::string piece) override {
    fetcher_->grant(token, piece.size());
  }
  void on_done(fetch::Response response) override { answer_ = std::move(response); }

  fetch::Response exchange(const HttpMessage& http, bool fresh) {
    if (cancelled_) {
      fetch::Response none;
      none.failure = fetch::Failure::cancelled;
      return none;
    }
    fetch::Request request;
    request.token = fetch::Token{++requests_};
    request.url = http.url;
    request.method = http.method;
    request.body = http.body;
    request.timeout = options_.webhook_timeout;
    request.max_body = answer_read;
    request.cut_body = true;
    request.user_agent = options_.user_agent;
    request.fresh_connection = fresh;
    request.send_when_ready = true;
    request.headers = std::make_shared<const fetch::HeaderLines>(http.headers);
    answer_.reset();
    io_.restart();
    fetcher_->start(std::move(request));
    while (!answer_ && io_.run_one() > 0) {
    }
    if (answer_) return std::move(*answer_);
    fetch::Response none;
    none.failure = fetch::Failure::internal;
    none.failure_text = "the request was lost";
    return none;
  }

  static Attempt attempt_of(const fetch::Response& answer) {
    Attempt attempt;
    attempt.retry_after = answer.retry_after;
    if (answer.failure == fetch::Failure::address_refused) {
      attempt.error =
          "the receiver's address or port is not for the public; `allow` of the rule can permit it";
    } else if (answer.failure != fetch::Failure::none) {
      attempt.error = fmt::format("{}: {}", fetch::failure_name(answer.failure),
                                  printable(answer.failure_text, 300));
      // A 2xx whose body broke off, or never ends, has been said all the same.
      attempt.delivered =
          fetch::is_success(answer.status) && answer.failure != fetch::Failure::cancelled;
    } else if (fetch::is_success(answer.status)) {
      attempt.delivered = true;
    } else if (!answer.redirect_to.empty()) {
      attempt.error = fmt::format(
          "HTTP {}: the receiver redirects, which is not followed; write the new address",
          answer.status);
    } else {
      attempt.error = fmt::format("HTTP {}", answer.status);
      attempt.hopeless = is_hopeless(answer.status);
    }
    return attempt;
  }

  const Webhook webhook_;
  const ChannelOptions options_;
  std::atomic<bool> cancelled_{false};
  std::uint64_t requests_ = 0;
  std::optional<fetch::Response> answer_;
  boost::asio::io_context io_{1};
  std::unique_ptr<fetch::Fetcher> fetcher_;  // on io_; made on the sender's thread
};

}  // namespace

std::unique_ptr<Channel> make_webhook(const Webhook& webhook, const ChannelOptions& options) {
  return std::make_unique<WebhookChannel>(webhook, options);
}

std::string host_of_webhook(const Webhook& webhook) {
  return printable(authority_of(webhook.url), 100);
}

}  // namespace pollux::notify
