// A web of hosts and pages that exists only in virtual time: a Fetcher whose servers answer, stall,
// fail, redirect and change as one seed says, and that writes down what they saw. Threading: one
// thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::simulation {

// How a host behaves most of the time; every host has its bad hours besides.
enum class Habit : std::uint8_t { healthy, flaky, busy, stalling, redirecting };

struct WebOptions {
  std::uint64_t seed = 1;
  std::size_t hosts = 1000;
  std::size_t pages_per_host = 3;
};

// What a server saw, told as it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_request(const std::string& host, const std::string& path, Instant at) = 0;
  virtual void on_answer(const std::string& host, Instant at) = 0;  // or its end without one
  virtual void on_block(const std::string& host, Instant until) = 0;
  // A whole body was delivered for the page that began the poll.
  virtual void on_content(const std::string& page_url, const std::string& body) = 0;
};

class SimulatedWeb final : public fetch::Fetcher {
 public:
  SimulatedWeb(EventLoop& loop, const Clock& clock, const WebOptions& options, Observer& observer);
  ~SimulatedWeb() override;

  void set_handler(fetch::Handler& handler) { handler_ = &handler; }
  std::string url(std::size_t host, std::size_t page) const;
  std::string host_name(std::size_t host) const;
  // A host's rule for robots: a path that must never be asked for, or empty.
  static std::string forbidden_path(std::size_t host);

  void start(fetch::Request request) override;
  void send(fetch::Token token) override;
  void grant(fetch::Token, std::size_t) override {}
  void cancel(fetch::Token token) override;
  void cancel_all() override;
  std::size_t in_flight() const override { return exchanges_.size(); }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}

 private:
  struct Host;
  struct Page;
  struct Exchange;

  void ready(fetch::Token token);
  void answer(fetch::Token token);
  void finish(fetch::Token token, fetch::Response response);
  fetch::Response fail(const Exchange& exchange, fetch::Failure failure) const;
  fetch::Response robots_txt(const Exchange& exchange, Host& host);
  fetch::Response page(const Exchange& exchange, Host& host, Page& page);
  bool is_down(Host& host);
  Duration between(Duration least, Duration most);
  Page* find_page(Host& host, const std::string& path);

  EventLoop& loop_;
  const Clock& clock_;
  Observer& observer_;
  Rng rng_;
  fetch::Handler* handler_ = nullptr;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::unordered_map<std::string, Host*> by_name_;
  std::map<fetch::Token, std::unique_ptr<Exchange>> exchanges_;
};

}  // namespace pollux::simulation
