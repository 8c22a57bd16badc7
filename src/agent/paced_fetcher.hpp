// The brain's own fetcher, where agents share its budget: what is sent leaves when the brain's own
// lease allows, in the order of the sendings. Threading: as Fetcher says.
#pragma once

#include "agent/shares.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace pollux::agent {

class PacedFetcher final : public fetch::Fetcher {
 public:
  PacedFetcher(std::unique_ptr<fetch::Fetcher> inner, Shares& shares, EventLoop& loop,
               const Clock& clock)
      : inner_(std::move(inner)), shares_(shares), clock_(clock), timer_(loop.make_timer()) {}

  void start(fetch::Request request) override {
    shares_.wanted(Shares::here);
    inner_->start(std::move(request));
  }
  void send(fetch::Token token) override {
    waiting_.push_back(token);
    send_waiting();
  }
  void grant(fetch::Token token, std::size_t bytes) override { inner_->grant(token, bytes); }
  void cancel(fetch::Token token) override {
    std::erase(waiting_, token);
    inner_->cancel(token);
  }
  void cancel_all() override {
    waiting_.clear();
    inner_->cancel_all();
  }
  std::size_t in_flight() const override { return inner_->in_flight(); }
  void set_access_points(std::vector<fetch::AccessPoint> points) override {
    inner_->set_access_points(std::move(points));
  }

 private:
  static constexpr Duration without_lease = std::chrono::milliseconds(100);

  void send_waiting() {
    const Instant now = clock_.now();
    while (!waiting_.empty()) {
      const Instant next = shares_.next_here(now);
      if (next > now)
        return timer_->arm(std::min(next, now + without_lease), [this] { send_waiting(); });
      shares_.take_here(now);
      const fetch::Token token = waiting_.front();
      waiting_.pop_front();
      inner_->send(token);
    }
  }

  const std::unique_ptr<fetch::Fetcher> inner_;
  Shares& shares_;
  const Clock& clock_;
  std::unique_ptr<Timer> timer_;
  std::deque<fetch::Token> waiting_;
};

}  // namespace pollux::agent
