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
    shares_.wanted(Shares::here, request.price);
    if (request.price > 1) note_price(request.token, request.price);
    inner_->start(std::move(request));
  }
  void send(fetch::Token token) override {
    waiting_.push_back({token, take_price(token)});
    send_waiting();
  }
  void grant(fetch::Token token, std::size_t bytes) override { inner_->grant(token, bytes); }
  void cancel(fetch::Token token) override {
    const auto is_it = [token](const Priced& one) { return one.token == token; };
    std::erase_if(dear_, is_it);
    std::erase_if(waiting_, is_it);
    inner_->cancel(token);
  }
  void cancel_all() override {
    dear_.clear();
    waiting_.clear();
    inner_->cancel_all();
  }
  std::size_t in_flight() const override { return inner_->in_flight(); }
  void set_access_points(std::vector<fetch::AccessPoint> points) override {
    inner_->set_access_points(std::move(points));
  }

 private:
  static constexpr Duration without_lease = std::chrono::milliseconds(100);
  // Of those that cost more than one and are not sent yet. More than a browser has places; one that
  // ended unsent is forgotten when that is full.
  static constexpr std::size_t most_dear = 256;
  struct Priced {
    fetch::Token token;
    std::uint32_t price;
  };

  void note_price(fetch::Token token, std::uint32_t price) {
    if (dear_.size() >= most_dear) dear_.pop_front();
    dear_.push_back({token, price});
  }
  std::uint32_t take_price(fetch::Token token) {
    const auto found = std::ranges::find(dear_, token, &Priced::token);
    if (found == dear_.end()) return 1;
    const std::uint32_t price = found->price;
    dear_.erase(found);
    return price;
  }

  void send_waiting() {
    const Instant now = clock_.now();
    while (!waiting_.empty()) {
      const Instant next = shares_.next_here(now);
      if (next > now)
        return timer_->arm(std::min(next, now + without_lease), [this] { send_waiting(); });
      const Priced first = waiting_.front();
      waiting_.pop_front();
      shares_.take_here(now, first.price);
      inner_->send(first.token);
    }
  }

  const std::unique_ptr<fetch::Fetcher> inner_;
  Shares& shares_;
  const Clock& clock_;
  std::unique_ptr<Timer> timer_;
  std::deque<Priced> waiting_, dear_;
};

}  // namespace pollux::agent
