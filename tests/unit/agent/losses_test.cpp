// What is lost, comes twice, comes late, or comes from somebody else.
#include "agent/messages.hpp"
#include "unit/agent/machines.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;

class AgentLosses : public testing::Test {
 protected:
  AgentLosses() { agent->web.pages["http://a.test/"] = page("content"); }
  void SetUp() override { m.pass(1s); }
  const fetch::Response& answer(fetch::Token token) {
    EXPECT_TRUE(m.has(token));
    return m.caller.answers[token];
  }
  Machines m;
  Machine* agent = &m.add("one");
};

TEST_F(AgentLosses,
       an_agent_that_is_cut_off_loses_its_polls_after_their_time_and_no_more_go_there) {
  agent->web.answers = 500ms;
  const fetch::Token under_way = m.ask("http://a.test/");
  m.pass(100ms);
  m.hub.set_line("one", {.cut_off = true});
  m.pass(3500ms);
  EXPECT_FALSE(m.remote->takes("one", false));
  EXPECT_FALSE(m.has(under_way)) << "it may be asking still";
  const fetch::Token next = m.ask("http://a.test/");
  m.pass(10ms);
  EXPECT_EQ(answer(next).failure, Failure::agent);
  EXPECT_FALSE(answer(next).sent);
  m.pass(4s);
  EXPECT_EQ(answer(under_way).failure, Failure::agent);
  EXPECT_TRUE(answer(under_way).sent);
  EXPECT_EQ(m.remote->figures()[0].lost, 1u);

  m.hub.set_line("one", {});
  m.pass(2s);
  EXPECT_TRUE(m.remote->takes("one", false));
  EXPECT_EQ(m.remote->figures()[0].late, 1u) << "its result came after all, and did not count";
  EXPECT_EQ(m.caller.answered_twice, 0);
  const fetch::Token again = m.ask("http://a.test/");
  m.pass(1s);
  EXPECT_EQ(answer(again).failure, Failure::none);
  EXPECT_EQ(agent->worker.figures().here, 0u) << "everything was acknowledged";
}

TEST_F(AgentLosses, an_agent_that_was_frozen_drops_its_backlog) {
  m.hub.set_line("one", {.held = true});
  std::vector<fetch::Token> tokens;
  for (int i = 0; i < 5; ++i) tokens.push_back(m.ask("http://a.test/"));
  m.pass(2500ms);
  m.hub.set_line("one", {});
  m.pass(10s);
  for (const fetch::Token token : tokens) {
    EXPECT_EQ(answer(token).failure, Failure::agent);
    EXPECT_FALSE(answer(token).sent) << "it said that it did not begin them";
  }
  EXPECT_TRUE(agent->web.asked.empty());
}

TEST_F(AgentLosses, an_agent_that_says_nothing_to_its_polls_is_sent_no_more_of_them) {
  agent->web.answers = 3900ms;
  const fetch::Token under_way = m.ask("http://a.test/");
  m.pass(20ms);
  m.hub.set_line("one", {.cut_off = true});
  m.pass(600ms);
  EXPECT_FALSE(m.remote->has_room("one"));
  const fetch::Token kept = m.ask("http://a.test/");
  m.pass(3s);
  EXPECT_FALSE(m.has(under_way)) << "it may be asking still";
  EXPECT_EQ(answer(kept).failure, Failure::agent);
  EXPECT_FALSE(answer(kept).sent) << "its host need not wait for anybody";
}

// Frozen while it fetches, it finds that time has run out: but not the page's.
TEST_F(AgentLosses, an_agent_that_was_held_up_does_not_blame_the_page) {
  agent->web.hangs = true;
  const fetch::Token held_up = m.ask("http://a.test/");
  m.pass(100ms);
  m.clock.advance(3s);
  m.pass(2s);
  EXPECT_EQ(answer(held_up).failure, Failure::agent);
  EXPECT_TRUE(answer(held_up).sent);
  EXPECT_EQ(m.remote->figures()[0].faults, 0u);
  const fetch::Token silent = m.ask("http://a.test/");
  m.pass(6s);
  EXPECT_EQ(answer(silent).failure, Failure::timeout);
}

TEST_F(AgentLosses, an_agent_with_slow_pages_says_that_it_is_there_and_is_sent_more) {
  agent->web.answers = 1500ms;
  const fetch::Token slow = m.ask("http://a.test/");
  for (int i = 0; i < 10; ++i) {
    m.pass(120ms);
    EXPECT_TRUE(m.remote->has_room("one"));
    m.ask("http://a.test/");
  }
  EXPECT_FALSE(m.has(slow));
  m.pass(5s);
  EXPECT_EQ(answer(slow).failure, Failure::none);
}

TEST_F(AgentLosses, nobody_there_is_told_at_once) {
  m.machines.clear();
  agent = nullptr;
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(100ms);
  EXPECT_EQ(answer(token).failure, Failure::agent);
  EXPECT_FALSE(answer(token).sent);
  EXPECT_FALSE(m.remote->takes("one", false));
}

TEST_F(AgentLosses, whatever_comes_twice_or_gets_lost_no_poll_is_fetched_twice) {
  m.hub.set_line("one", {.delay = 20ms, .jitter = 30ms, .lost = 0.1, .twice = 0.3});
  std::set<std::string> urls;
  std::vector<fetch::Token> tokens;
  for (int i = 0; i < 300; ++i) {
    const std::string url = "http://a.test/" + std::to_string(i);
    agent->web.pages[url] = page("x");
    const fetch::Token token = m.ask(url);
    tokens.push_back(token);
    m.pass(50ms);
  }
  m.pass(20s);
  int done = 0;
  for (const fetch::Token token : tokens) {
    if (answer(token).failure == Failure::none) ++done;
  }
  for (const auto& asked : agent->web.asked)
    EXPECT_TRUE(urls.insert(asked.url).second) << asked.url << " was fetched twice";
  EXPECT_EQ(m.caller.answered_twice, 0);
  EXPECT_GT(done, 200);
  // A result that was lost came again: every poll that was fetched counts.
  EXPECT_EQ(static_cast<std::size_t>(done), urls.size());
  EXPECT_GT(m.remote->figures()[0].late, 0u);
}

TEST_F(AgentLosses, a_second_agent_of_the_same_name_gets_nothing) {
  Machine& second = m.add("one");
  m.pass(2s);
  EXPECT_TRUE(second.worker.figures().refused);
  EXPECT_FALSE(agent->worker.figures().refused);
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::none);
  EXPECT_TRUE(second.web.asked.empty());
}

TEST_F(AgentLosses, one_that_is_started_anew_takes_over_when_the_first_is_silent) {
  agent->web.answers = 3s;
  const fetch::Token lost = m.ask("http://a.test/");
  m.pass(100ms);
  m.machines.clear();
  Machine& second = m.add("one");
  second.web.pages["http://a.test/"] = page("content");
  m.pass(4s);
  EXPECT_TRUE(m.remote->takes("one", false));
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::none);
  m.pass(4s);
  EXPECT_EQ(answer(lost).failure, Failure::agent);
  EXPECT_EQ(second.web.asked.size(), 1u) << "it never sees what was sent to the first";
}

TEST_F(AgentLosses, an_agent_that_stops_says_so_and_finishes_what_it_has) {
  agent->web.answers = 500ms;
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(100ms);
  bool idle = false;
  agent->worker.stop([&] { idle = true; });
  m.pass(50ms);
  EXPECT_FALSE(m.remote->takes("one", false));
  EXPECT_FALSE(idle);
  m.pass(1s);
  EXPECT_EQ(answer(token).failure, Failure::none);
  EXPECT_TRUE(idle);
}

TEST_F(AgentLosses, a_brain_that_is_started_anew_waits_for_what_the_one_before_has_sent) {
  agent->web.answers = 2s;
  m.ask("http://a.test/");
  m.pass(100ms);
  m.stop_brain();
  ++m.remote_options.brain;
  m.start_brain();
  bool settled = false;
  m.remote->when_settled([&] { settled = true; });
  m.pass(1s);
  EXPECT_FALSE(settled) << "the agent obeys the other still";
  EXPECT_FALSE(m.remote->takes("one", false));
  m.pass(4s);
  EXPECT_TRUE(settled);
  EXPECT_TRUE(m.remote->takes("one", false));
  EXPECT_EQ(agent->worker.figures().here, 0u);
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(3s);
  EXPECT_EQ(answer(token).failure, Failure::none);
}

TEST_F(AgentLosses, a_brain_whose_agents_do_not_come_waits_only_so_long) {
  m.machines.clear();
  m.stop_brain();
  m.start_brain();
  bool settled = false;
  m.remote->when_settled([&] { settled = true; });
  m.pass(22s);
  EXPECT_FALSE(settled);
  m.pass(2s);
  EXPECT_TRUE(settled);
}

TEST_F(AgentLosses, what_another_version_or_a_liar_sends_is_counted_and_dropped) {
  const auto stranger = m.hub.join(m.loop, "stranger");
  m.pass(10ms);
  std::string ask = encode(Ask{99, 1000, 1, 16, 0, 0, true, false, "9.9"});
  ask[0] = 42;
  stranger->publish("px.up.one.ask", ask);
  stranger->publish("px.up.one.res", "rubbish");
  stranger->publish("px.up.one.part", "rubbish");
  stranger->publish("px.up.one.nr.18446744073709551615", "");
  stranger->publish("px.up.nobody.ask", ask);
  m.pass(100ms);
  EXPECT_EQ(m.remote->figures()[0].faults, 3u);
  EXPECT_EQ(m.remote->figures().size(), 1u);

  // An answer that no server can give is the agent's fault, not the page's.
  agent->web.answers = 500ms;
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(50ms);
  Results lie{1, 1000, {}};
  lie.results.resize(1);
  lie.results[0].id = 1;
  lie.results[0].response.status = 200;  // and no hash
  stranger->publish("px.up.one.res", encode(lie));
  m.pass(50ms);
  EXPECT_EQ(answer(token).failure, Failure::agent);
  EXPECT_EQ(m.remote->figures()[0].faults, 4u);
  m.pass(1s);
  EXPECT_EQ(m.caller.answered_twice, 0);
}

TEST_F(AgentLosses, an_agent_obeys_no_stranger) {
  const auto stranger = m.hub.join(m.loop, "stranger");
  m.pass(10ms);
  Polls polls{4242, 1, 2s, {}};
  polls.polls.resize(1);
  polls.polls[0].request.url = "http://a.test/";
  stranger->publish(Subjects{"one"}.polls(1), encode(polls));
  polls.brain = 1000;
  polls.ask = 999'999;
  polls.polls[0].id = 77;
  stranger->publish(Subjects{"one"}.polls(1), encode(polls));
  stranger->publish(Subjects{"one"}.polls(1), "rubbish");
  m.pass(1s);
  EXPECT_TRUE(agent->web.asked.empty());
  EXPECT_EQ(agent->worker.figures().unused, 2u);
  EXPECT_EQ(agent->worker.figures().faults, 1u);
}

}  // namespace
}  // namespace pollux::agent
