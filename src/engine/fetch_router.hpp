// Two fetchers as one: the requests that a predicate picks go to the second, all others to the
// first. Threading: that of Fetcher; all three on one thread.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <functional>
#include <memory>
#include <unordered_set>

namespace pollux::engine {

class FetchRouter final : public fetch::Fetcher, fetch::Handler {
 public:
  using Picks = std::function<bool(const fetch::Request&)>;
  FetchRouter(fetch::Handler& handler, Picks picks) : handler_(handler), picks_(std::move(picks)) {}

  // Before anything is fetched. The second one answers to second_handler(), the first to whom it
  // likes.
  void route(std::unique_ptr<fetch::Fetcher> first, std::unique_ptr<fetch::Fetcher> second);
  fetch::Handler& second_handler() { return *this; }

  void start(fetch::Request request) override;
  void send(fetch::Token token) override { of(token).send(token); }
  void grant(fetch::Token token, std::size_t bytes) override { of(token).grant(token, bytes); }
  void cancel(fetch::Token token) override { of(token).cancel(token); }
  void cancel_all() override;
  std::size_t in_flight() const override { return first_->in_flight() + second_->in_flight(); }
  void set_access_points(std::vector<fetch::AccessPoint> points) override;

 private:
  void on_ready(fetch::Token token) override { handler_.on_ready(token); }
  void on_piece(fetch::Token token, std::string piece) override {
    handler_.on_piece(token, std::move(piece));
  }
  void on_done(fetch::Response response) override;
  fetch::Fetcher& of(fetch::Token token) { return picked_.contains(token) ? *second_ : *first_; }

  fetch::Handler& handler_;
  const Picks picks_;
  std::unordered_set<fetch::Token> picked_;  // in flight
  std::unique_ptr<fetch::Fetcher> first_, second_;
};

}  // namespace pollux::engine
