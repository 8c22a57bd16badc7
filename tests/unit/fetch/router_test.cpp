#include "pollux/fetch/router.hpp"

#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

struct Noted final : Fetcher {
  std::vector<std::string> said;
  void start(Request request) override { said.push_back("start " + name(request.token)); }
  void send(Token token) override { said.push_back("send " + name(token)); }
  void grant(Token token, std::size_t) override { said.push_back("grant " + name(token)); }
  void cancel(Token token) override { said.push_back("cancel " + name(token)); }
  void cancel_all() override { said.push_back("cancel all"); }
  std::size_t in_flight() const override { return 2; }
  void set_access_points(std::vector<AccessPoint> points) override {
    said.push_back(std::to_string(points.size()) + " points");
  }
  static std::string name(Token token) { return std::to_string(static_cast<std::uint64_t>(token)); }
};
struct Told final : Handler {
  std::vector<Token> ready, done;
  void on_ready(Token token) override { ready.push_back(token); }
  void on_piece(Token, std::string) override {}
  void on_done(Response response) override { done.push_back(response.token); }
};

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    auto first = std::make_unique<Noted>(), second = std::make_unique<Noted>();
    first_ = first.get();
    second_ = second.get();
    router_.begin(std::move(first), std::move(second),
                  [](const Request& request) { return request.render; });
  }
  void start(std::uint64_t token, bool render) {
    Request request;
    request.token = Token{token};
    request.render = render;
    router_.start(std::move(request));
  }
  using Said = std::vector<std::string>;
  Told told_;
  Router router_{told_};
  Noted *first_ = nullptr, *second_ = nullptr;
};

TEST_F(RouterTest, sends_each_request_where_it_belongs) {
  start(1, false);
  start(2, false);
  start(3, true);
  router_.send(Token{1});
  router_.send(Token{3});
  router_.cancel(Token{2});
  EXPECT_EQ(first_->said, (Said{"start 1", "start 2", "send 1", "cancel 2"}));
  EXPECT_EQ(second_->said, (Said{"start 3", "send 3"}));
  EXPECT_EQ(router_.in_flight(), 4u);
}

TEST_F(RouterTest, hands_on_what_the_second_one_tells_and_forgets_what_has_ended) {
  start(3, true);
  router_.second_handler().on_ready(Token{3});
  Response response;
  response.token = Token{3};
  router_.second_handler().on_done(response);
  EXPECT_EQ(told_.ready, std::vector{Token{3}});
  EXPECT_EQ(told_.done, std::vector{Token{3}});
  start(3, false);  // the name is used again
  router_.send(Token{3});
  EXPECT_EQ(first_->said, (Said{"start 3", "send 3"}));
}

TEST_F(RouterTest, tells_both_of_new_access_points_and_ends) {
  router_.set_access_points({{}, {}, {}});
  start(4, true);
  router_.cancel_all();
  EXPECT_EQ(first_->said, (Said{"3 points", "cancel all"}));
  EXPECT_EQ(second_->said, (Said{"3 points", "start 4", "cancel all"}));
}

}  // namespace
}  // namespace pollux::fetch
