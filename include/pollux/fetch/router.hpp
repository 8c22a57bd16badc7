// Two fetchers as one, which is what the poll loop sees: requests that a predicate picks go to the
// second (a browser, agents elsewhere), all others to the first. Routers may stand behind each
// other. Threading: as Fetcher says; all three on one thread.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pollux::fetch {

class Router final : public Fetcher, Handler {
 public:
  using Picks = std::function<bool(const Request&)>;
  // The handler outlives it.
  explicit Router(Handler& handler) : handler_(handler) {}

  // Before anything is fetched. The second one tells second_handler(), the first whom it likes; it
  // ends before the second.
  void begin(std::unique_ptr<Fetcher> first, std::unique_ptr<Fetcher> second, Picks second_picks);
  Handler& second_handler() { return *this; }

  void start(Request request) override;
  void send(Token token) override { of(token).send(token); }
  void grant(Token token, std::size_t bytes) override { of(token).grant(token, bytes); }
  void cancel(Token token) override { of(token).cancel(token); }
  void cancel_all() override;
  std::size_t in_flight() const override { return first_->in_flight() + second_->in_flight(); }
  void set_access_points(std::vector<AccessPoint> points) override;

 private:
  void on_ready(Token token) override { handler_.on_ready(token); }
  void on_piece(Token token, std::string piece) override {
    handler_.on_piece(token, std::move(piece));
  }
  void on_done(Response response) override {
    picked_.erase(response.token);
    handler_.on_done(std::move(response));
  }
  Fetcher& of(Token token) { return picked_.contains(token) ? *second_ : *first_; }

  Handler& handler_;
  Picks picks_;
  std::unordered_set<Token> picked_;  // in flight
  std::unique_ptr<Fetcher> second_, first_;
};

}  // namespace pollux::fetch
