// One budget over a brain and its agents: what servers see in any second is never more.
#include "unit/agent/machines.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

constexpr double budget = 50;

class AgentBudget : public testing::Test {
 protected:
  static RemoteOptions with_budget() {
    RemoteOptions options;
    options.budget = [] { return budget; };
    return options;
  }
  AgentBudget() {
    one.web.otherwise = two.web.otherwise = page("x");
    here.otherwise = page("x");
    take_over();
  }
  void take_over() {
    here.set_handler(m.caller);
    auto given = std::make_unique<BorrowedWeb>(here);
    local = m.remote->pace(std::move(given));
  }

  // So many a second to each, for a while.
  void ask_for(Duration time, int a, int b, int own) {
    for (Duration t{}; t < time; t += 100ms) {
      for (int i = 0; i < a / 10; ++i) m.ask("http://a.test/", 0);
      for (int i = 0; i < b / 10; ++i) m.ask("http://a.test/", 1);
      for (int i = 0; i < own / 10; ++i) {
        fetch::Request request;
        request.token = fetch::Token{++m.tokens};
        request.url = "http://a.test/";
        m.caller.local.insert(request.token);
        local->start(request);
      }
      m.pass(100ms);
    }
  }
  // The fullest second, wherever it begins.
  std::size_t fullest() const {
    std::vector<Instant> all;
    for (const ScriptedWeb* web :
         std::initializer_list<const ScriptedWeb*>{&one.web, &two.web, &here}) {
      for (const auto& asked : web->asked) all.push_back(asked.at);
    }
    std::ranges::sort(all);
    std::size_t most = 0;
    for (std::size_t begin = 0, end = 0; end < all.size(); ++end) {
      while (all[end] - all[begin] >= 1s) ++begin;
      most = std::max(most, end - begin + 1);
    }
    return most;
  }

  Machines m{with_budget()};
  ScriptedWeb here{m.loop, m.clock};
  Machine& one = m.add("one");
  Machine& two = m.add("two");
  std::unique_ptr<fetch::Fetcher> local;
};

TEST_F(AgentBudget, is_a_ceiling_over_all_of_them_and_goes_where_the_polls_are) {
  m.caller.local_fetcher = local.get();
  m.pass(4s);
  ask_for(20s, 40, 20, 10);
  ask_for(20s, 10, 10, 40);
  EXPECT_LE(fullest(), budget + 3);
  // And it is used: most of what 40 seconds allow was sent.
  const std::size_t sent = one.web.asked.size() + two.web.asked.size() + here.asked.size();
  EXPECT_GT(static_cast<double>(sent), 0.8 * budget * 40);
}

TEST_F(AgentBudget, of_an_agent_that_is_lost_goes_to_the_others_when_its_lease_has_ended) {
  m.caller.local_fetcher = local.get();
  m.pass(4s);
  ask_for(10s, 50, 0, 0);
  const std::size_t before = two.web.asked.size();
  m.hub.set_line("one", {.cut_off = true});
  ask_for(10s, 0, 50, 0);
  const std::size_t gained = two.web.asked.size() - before;
  EXPECT_GT(static_cast<double>(gained), 0.5 * budget * 10);
  m.hub.set_line("one", {});
  ask_for(10s, 20, 20, 20);
  EXPECT_LE(fullest(), budget + 3);
}

TEST_F(AgentBudget, is_kept_when_the_brain_is_started_anew) {
  m.caller.local_fetcher = local.get();
  m.pass(4s);
  ask_for(10s, 40, 20, 10);
  local.reset();
  m.stop_brain();
  m.caller.local_fetcher = nullptr;
  ++m.remote_options.brain;
  ++m.remote_options.epoch;
  m.start_brain();
  take_over();
  m.caller.local_fetcher = local.get();
  bool settled = false;
  m.remote->when_settled([&] { settled = true; });
  m.pass(5s);
  EXPECT_TRUE(settled);
  const std::size_t before = one.web.asked.size();
  ask_for(10s, 40, 20, 10);
  EXPECT_GT(one.web.asked.size(), before + 100);
  EXPECT_LE(fullest(), budget + 3);
}

}  // namespace
}  // namespace pollux::agent
