// Polls that need a browser: which agents get them, how many, and at what price.
#include "agent/messages.hpp"
#include "unit/agent/machines.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;

class AgentRendering : public testing::Test {
 protected:
  fetch::Token ask(std::size_t point, const std::string& url = "http://a.test/") {
    fetch::Request request;
    request.token = fetch::Token{++m.tokens};
    request.url = url;
    request.timeout = 4s;
    request.render = true;
    request.price = 5;
    request.access_point = fetch::AccessPointId{static_cast<std::uint32_t>(point)};
    m.remote->start(request);
    return request.token;
  }
  const fetch::Response& answer(fetch::Token token) {
    EXPECT_TRUE(m.has(token));
    return m.caller.answers[token];
  }

  Machines m;
  Machine& plain = m.add("plain");
  Machine& browser = m.add("browser", {.renders = 2});
  void SetUp() override {
    plain.web.otherwise = browser.web.otherwise = page("<p>Hello you</p>");
    m.pass(1s);
  }
};

TEST_F(AgentRendering, is_asked_of_agents_that_have_a_browser) {
  const fetch::Token token = ask(1);
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::none);
  ASSERT_EQ(browser.web.asked.size(), 1u);
  EXPECT_TRUE(browser.web.asked[0].request.render);
  EXPECT_EQ(browser.web.asked[0].request.price, 5u);
  EXPECT_NE(browser.web.asked[0].request.keep_in, nullptr) << "its body is counted there, too";
}

TEST_F(AgentRendering, is_never_asked_of_an_agent_without_one) {
  const fetch::Token token = ask(0);
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::agent);
  EXPECT_FALSE(answer(token).sent);
  EXPECT_EQ(answer(token).failure_text, "agent plain renders no pages");
  EXPECT_TRUE(plain.web.asked.empty());
}

TEST_F(AgentRendering, is_told_of_agents_that_are_there) {
  EXPECT_EQ(m.remote->render_room("plain", false), RenderRoom::none);
  EXPECT_EQ(m.remote->render_room("browser", false), RenderRoom::yes);
  EXPECT_EQ(m.remote->render_room("browser", true), RenderRoom::none) << "it takes no secrets";
  EXPECT_EQ(m.remote->figures().at(1).renders, 2u);
  EXPECT_EQ(m.remote->figures().at(0).renders, 0u);
  m.hub.set_line("browser", {.cut_off = true});
  m.pass(5s);
  EXPECT_EQ(m.remote->render_room("browser", false), RenderRoom::none);
}

TEST_F(AgentRendering, waits_for_a_place_in_the_browser_and_holds_no_other_poll_back) {
  browser.web.answers = 700ms;
  std::vector<fetch::Token> rendered;
  for (int i = 0; i < 4; ++i) rendered.push_back(ask(1));
  m.pass(100ms);
  EXPECT_EQ(m.remote->render_room("browser", false), RenderRoom::busy);
  const fetch::Token other = m.ask("http://b.test/", 1);
  m.pass(500ms);
  EXPECT_EQ(browser.web.asked.size(), 3u) << "two that are rendered, and the one that is not";
  m.pass(4s);
  for (const fetch::Token token : rendered)
    EXPECT_EQ(answer(token).failure, Failure::none) << answer(token).failure_text;
  EXPECT_EQ(answer(other).failure, Failure::none);
  EXPECT_EQ(m.remote->render_room("browser", false), RenderRoom::yes);
}

TEST_F(AgentRendering, fails_as_the_agents_fault_where_its_browser_does_not_start) {
  browser.web.otherwise->failure = Failure::internal;
  browser.web.otherwise->failure_text = "the browser: clone: Operation not permitted";
  browser.web.fails_unsent = true;
  const fetch::Token token = ask(1);
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::agent);
  EXPECT_FALSE(answer(token).sent);
  EXPECT_EQ(browser.worker.figures().browser_failures, 1u);
}

// What a page's scripts did is the page's, as it is here.
TEST_F(AgentRendering, reports_what_the_page_did) {
  browser.web.otherwise->failure = Failure::rendering;
  browser.web.otherwise->failure_text = "its page crashed";
  const fetch::Token token = ask(1);
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::rendering);
  EXPECT_EQ(answer(token).failure_text, "its page crashed");
}

// Whatever a brain says: two locks.
TEST_F(AgentRendering, is_refused_by_an_agent_without_a_browser) {
  const auto liar = m.hub.join(m.loop, "liar");
  m.pass(10ms);
  std::vector<Results> heard;
  const auto ear = liar->subscribe("px.up.plain.res", [&](bus::Message message) {
    if (auto results = decode_results(message.payload)) heard.push_back(std::move(*results));
  });
  Polls polls{m.remote_options.brain, 3, 2s, {}};
  Poll& poll = polls.polls.emplace_back();
  poll.id = 1u << 20;
  poll.request.url = "http://a.test/";
  poll.request.render = true;
  liar->publish(Subjects{"plain"}.polls(1), encode(polls));
  m.pass(200ms);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].results.at(0).fate, Fate::unused);
  EXPECT_EQ(heard[0].results.at(0).response.failure_text, "the agent renders no pages");
  EXPECT_TRUE(plain.web.asked.empty());
}

// An agent of an earlier version does not know what it is asked: it is told nothing.
TEST_F(AgentRendering, is_not_asked_of_an_agent_of_another_version) {
  const auto old = m.hub.join(m.loop, "old");
  m.pass(10ms);
  fetch::AccessPoint point;
  point.name = point.agent = "old";
  m.points.push_back(point);
  m.remote->set_access_points(m.points);
  Ask hello;
  hello.instance = 99;
  hello.id = 1;
  hello.slots = 16;
  hello.brain = m.remote_options.brain;
  std::string bytes = encode(hello);
  bytes[0] = static_cast<char>(protocol - 1);
  old->publish(Subjects{"old"}.ask(), bytes);
  m.pass(100ms);
  EXPECT_FALSE(m.remote->takes("old", false));
  EXPECT_EQ(m.remote->figures().at(2).faults, 1u);
  const fetch::Token token = ask(2);
  m.pass(100ms);
  EXPECT_EQ(answer(token).failure, Failure::agent);
}

TEST(AgentRenderingPrice, is_taken_from_the_pace_once) {
  RemoteOptions options;
  options.budget = [] { return 20.0; };
  Machines m(options);
  Machine& one = m.add("one", {.renders = 16});
  one.web.otherwise = page("x");
  m.pass(4s);
  const auto sent_in_ten_seconds = [&](std::uint32_t price) {
    const std::size_t before = one.web.asked.size();
    for (Duration t{}; t < 10s; t += 50ms) {
      fetch::Request request;
      request.token = fetch::Token{++m.tokens};
      request.url = "http://a.test/";
      request.timeout = 1s;
      request.render = price > 1;
      request.price = price;
      request.access_point = fetch::AccessPointId{0};
      m.remote->start(request);
      m.pass(50ms);
    }
    m.pass(3s);
    return static_cast<double>(one.web.asked.size() - before);
  };
  const double ordinary = sent_in_ten_seconds(1);
  const double rendered = sent_in_ten_seconds(5);
  EXPECT_GT(ordinary, 130);
  EXPECT_LE(ordinary, 20 * 13 + 1);
  // A fifth as many: the price counts, and it does not count twice.
  EXPECT_LE(rendered, 20 * 13 / 5.0 + 2);
  EXPECT_GT(rendered, 20 * 10 / 5.0 / 2);
}

// The brain's own browser keeps to the brain's own lease.
TEST(AgentRenderingPrice, is_taken_from_the_brains_own_pace) {
  RemoteOptions options;
  options.budget = [] { return 20.0; };
  Machines m(options);
  ScriptedWeb here{m.loop, m.clock};
  here.otherwise = page("x");
  here.set_handler(m.caller);
  auto given = std::make_unique<BorrowedWeb>(here);
  const auto local = m.remote->pace(std::move(given));
  m.caller.local_fetcher = local.get();
  m.pass(4s);
  const auto sent_in_ten_seconds = [&](std::uint32_t price) {
    const std::size_t before = here.asked.size();
    for (Duration t{}; t < 10s; t += 50ms) {
      fetch::Request request;
      request.token = fetch::Token{++m.tokens};
      request.url = "http://a.test/";
      request.price = price;
      m.caller.local.insert(request.token);
      local->start(request);
      m.pass(50ms);
    }
    const std::size_t sent = here.asked.size() - before;
    local->cancel_all();
    m.pass(5s);
    return static_cast<double>(sent);
  };
  const double ordinary = sent_in_ten_seconds(1);
  const double dear = sent_in_ten_seconds(5);
  EXPECT_GT(ordinary, 150);
  EXPECT_NEAR(dear, ordinary / 5, ordinary / 20);
}

}  // namespace
}  // namespace pollux::agent
