// The Fetcher that the poll loop sees where there are agents: a request whose access point names an
// agent goes to `remote`, every other one to `local`. Both tell the same handler. Threading: as
// Fetcher says, everything on one thread.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pollux::fetch {

class Router final : public Fetcher, Handler {
 public:
  // The handler outlives it and is that of the local fetcher.
  explicit Router(Handler& handler) : handler_(handler) {}
  // That of the remote one.
  Handler& remote_handler() { return *this; }
  // `points`: as both fetchers have been told.
  void begin(std::unique_ptr<Fetcher> local, std::unique_ptr<Fetcher> remote,
             const std::vector<AccessPoint>& points);

  void start(Request request) override;
  void send(Token token) override { of(token).send(token); }
  void grant(Token token, std::size_t bytes) override { of(token).grant(token, bytes); }
  void cancel(Token token) override { of(token).cancel(token); }
  void cancel_all() override;
  std::size_t in_flight() const override { return local_->in_flight() + remote_->in_flight(); }
  void set_access_points(std::vector<AccessPoint> points) override;

 private:
  void on_ready(Token token) override { handler_.on_ready(token); }
  void on_piece(Token token, std::string piece) override {
    handler_.on_piece(token, std::move(piece));
  }
  void on_done(Response response) override {
    far_.erase(response.token);
    handler_.on_done(std::move(response));
  }
  Fetcher& of(Token token) { return far_.contains(token) ? *remote_ : *local_; }
  void note(const std::vector<AccessPoint>& points);

  Handler& handler_;
  std::unique_ptr<Fetcher> remote_, local_;
  std::vector<bool> is_agent_;     // by access point
  std::unordered_set<Token> far_;  // in flight
};

}  // namespace pollux::fetch
