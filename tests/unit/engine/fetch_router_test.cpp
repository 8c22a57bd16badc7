#include "engine/fetch_router.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::Token;

struct Noted : fetch::Fetcher {
  void start(fetch::Request request) override { calls.push_back("start " + request.url); }
  void send(Token token) override { note("send", token); }
  void grant(Token token, std::size_t) override { note("grant", token); }
  void cancel(Token token) override { note("cancel", token); }
  void cancel_all() override { calls.emplace_back("cancel all"); }
  std::size_t in_flight() const override { return 2; }
  void set_access_points(std::vector<fetch::AccessPoint> points) override {
    calls.push_back("points " + std::to_string(points.size()));
  }
  void note(const std::string& what, Token token) {
    calls.push_back(what + " " + std::to_string(static_cast<std::uint64_t>(token)));
  }
  std::vector<std::string> calls;
};

struct Heard : fetch::Handler {
  void on_ready(Token token) override { ready.push_back(token); }
  void on_piece(Token, std::string piece) override { pieces += piece; }
  void on_done(fetch::Response response) override { done.push_back(response.token); }
  std::vector<Token> ready, done;
  std::string pieces;
};

TEST(FetchRouter, requests_go_where_they_belong_and_answers_come_together) {
  Heard heard;
  FetchRouter router(heard, [](const fetch::Request& request) { return request.render; });
  auto first = std::make_unique<Noted>(), second = std::make_unique<Noted>();
  Noted &plain = *first, &rendered = *second;
  router.route(std::move(first), std::move(second));
  fetch::Request a;
  a.token = Token{1};
  a.url = "a";
  fetch::Request b;
  b.token = Token{2};
  b.url = "b";
  b.render = true;
  router.start(std::move(a));
  router.start(std::move(b));
  for (const Token token : {Token{1}, Token{2}}) {
    router.send(token);
    router.grant(token, 5);
  }
  router.set_access_points({{}, {}});
  EXPECT_EQ(plain.calls, (std::vector<std::string>{"start a", "send 1", "grant 1", "points 2"}));
  EXPECT_EQ(rendered.calls, (std::vector<std::string>{"start b", "send 2", "grant 2", "points 2"}));
  EXPECT_EQ(router.in_flight(), 4u);
  router.second_handler().on_ready(Token{2});
  router.second_handler().on_piece(Token{2}, "x");
  fetch::Response response;
  response.token = Token{2};
  router.second_handler().on_done(std::move(response));
  EXPECT_EQ(heard.ready, std::vector<Token>{Token{2}});
  EXPECT_EQ(heard.pieces, "x");
  EXPECT_EQ(heard.done, std::vector<Token>{Token{2}});
  // Its token may name another request by now.
  router.cancel(Token{2});
  EXPECT_EQ(plain.calls.back(), "cancel 2");
  router.cancel_all();
  EXPECT_EQ(plain.calls.back(), "cancel all");
  EXPECT_EQ(rendered.calls.back(), "cancel all");
}

}  // namespace
}  // namespace pollux::engine
