// A Fetcher for tests: every URL answers with what was put there, after a while, and everything
// that was asked is written down.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::agent {

class ScriptedWeb final : public fetch::Fetcher {
 public:
  ScriptedWeb(EventLoop& loop, const Clock& clock) : loop_(loop), clock_(clock) {}
  void set_handler(fetch::Handler& handler) { handler_ = &handler; }

  struct Asked {
    std::string url;
    Instant at;
    fetch::Request request;
  };
  std::map<std::string, fetch::Response> pages;  // by URL
  std::optional<fetch::Response> otherwise;      // none: 404
  std::vector<Asked> asked;
  Duration prepares = std::chrono::milliseconds(10), answers = std::chrono::milliseconds(50);
  bool hangs = false;         // answers when its time is over
  bool fails_unsent = false;  // answers instead of getting ready
  std::size_t piece = 0;      // larger bodies come in pieces of this size; 0: whole

  void start(fetch::Request request) override {
    const fetch::Token token = request.token;
    Exchange& exchange = exchanges_[token];
    exchange.request = std::move(request);
    later(token, prepares,
          [this, token] { fails_unsent ? answer(token) : handler_->on_ready(token); });
  }
  void send(fetch::Token token) override {
    const fetch::Request& request = exchanges_.at(token).request;
    asked.push_back({request.url, clock_.now(), request});
    later(token, hangs ? request.timeout : answers, [this, token] { answer(token); });
  }
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override {
    fetch::Response response;
    response.failure = fetch::Failure::cancelled;
    later(token, Duration::zero(), [this, token, response] { end(token, response); });
  }
  void cancel_all() override {
    for (const auto& [token, exchange] : exchanges_) cancel(token);
  }
  std::size_t in_flight() const override { return exchanges_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}

 private:
  struct Exchange {
    fetch::Request request;
    std::unique_ptr<Timer> timer;
  };
  template <typename Do>
  void later(fetch::Token token, Duration wait, Do what) {
    Exchange& exchange = exchanges_.at(token);
    exchange.timer = loop_.make_timer();
    exchange.timer->arm(clock_.now() + wait, what);
  }
  void answer(fetch::Token token) {
    const fetch::Request& request = exchanges_.at(token).request;
    fetch::Response response;
    const auto page = pages.find(request.url);
    if (hangs) {
      response.failure = fetch::Failure::timeout;
    } else if (page != pages.end()) {
      response = page->second;
    } else if (otherwise) {
      response = *otherwise;
    } else {
      response.status = 404;
    }
    response.final_url = request.url;
    response.body_bytes = response.body.size();
    response.elapsed = response.exchange = answers;
    for (; piece > 0 && response.body.size() > piece; response.body.erase(0, piece))
      handler_->on_piece(token, response.body.substr(0, piece));
    end(token, std::move(response));
  }
  void end(fetch::Token token, fetch::Response response) {
    const auto keeps_its_timer = exchanges_.extract(token);
    response.token = token;
    handler_->on_done(std::move(response));
  }

  EventLoop& loop_;
  const Clock& clock_;
  fetch::Handler* handler_ = nullptr;
  std::map<fetch::Token, Exchange> exchanges_;
};

// For who wants a Fetcher of his own.
class BorrowedWeb final : public fetch::Fetcher {
 public:
  explicit BorrowedWeb(ScriptedWeb& web) : web_(web) {}
  void start(fetch::Request request) override { web_.start(std::move(request)); }
  void send(fetch::Token token) override { web_.send(token); }
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override { web_.cancel(token); }
  void cancel_all() override { web_.cancel_all(); }
  std::size_t in_flight() const override { return web_.in_flight(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}

 private:
  ScriptedWeb& web_;
};

inline fetch::Response page(std::string body, std::string type = "text/html") {
  fetch::Response response;
  response.status = 200;
  response.body = std::move(body);
  response.content_type = std::move(type);
  return response;
}

}  // namespace pollux::agent
