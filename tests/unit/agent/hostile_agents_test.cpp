// Agents that are there and of no use, or lie: what they may cost.
#include "agent/messages.hpp"
#include "agent/trusted_answer.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/extract/packed.hpp"
#include "unit/agent/machines.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;

// Speaks for the agent "one" as its author likes.
class HostileAgents : public testing::Test {
 protected:
  static RemoteOptions with_budget() {
    RemoteOptions options;
    options.budget = [] { return 50; };
    return options;
  }
  explicit HostileAgents(const RemoteOptions& options = {}) : m(options) {
    honest.web.otherwise = page("x");
    m.pass(10ms);
    heard = evil->subscribe("px.to.one.>", [this](bus::Message message) {
      if (const auto polls = decode_polls(message.payload)) taken.push_back(*polls);
      if (const auto answer = decode_answer(message.payload); answer && answer->grant)
        granted.push_back(*answer->grant);
    });
    m.pass(10ms);
    ask();
  }
  void ask() {
    mine.id += 1;
    mine.lease.id = mine.id;
    evil->publish("px.up.one.ask", encode(mine));
    m.pass(10ms);
  }
  void report(Result result) {
    evil->publish("px.up.one.res", encode(Results{mine.instance, 1000, {std::move(result)}}));
    m.pass(20ms);
  }
  void give(std::size_t many) {
    for (std::size_t i = 0; i < many; ++i) m.ask("http://a.test/", 1);
    m.pass(20ms);
  }
  void refuse_all() {
    for (const Polls& message : std::exchange(taken, {})) {
      for (const Poll& poll : message.polls) {
        Result result;
        result.id = poll.id;
        result.fate = Fate::unused;
        result.response.failure_text = "\x1b]0;title\x07" + std::string(5000, 'A');
        report(result);
      }
    }
  }
  bool takes() const { return m.remote->takes("one", false); }

  Machines m;
  Machine& honest = m.add("honest");
  std::unique_ptr<bus::Bus> evil = m.hub.join(m.loop, "evil");
  std::unique_ptr<bus::Subscription> heard;
  std::vector<Polls> taken;
  std::vector<leases::Grant> granted;
  Ask mine{77, 1000, 0, 256, 0, 0, false, false, "\x1b[31m0.8"};
};

class KnownEvil : public HostileAgents {
 protected:
  explicit KnownEvil(const RemoteOptions& options = {}) : HostileAgents(options) {
    fetch::AccessPoint point;
    point.name = point.agent = "one";
    m.points.push_back(point);
    m.remote->set_access_points(m.points);
    ask();
    m.pass(500ms);
    ask();
  }
};

class EvilUnderBudget : public KnownEvil {
 protected:
  EvilUnderBudget() : KnownEvil(with_budget()) {}
};

TEST_F(KnownEvil, one_that_refuses_everything_gets_nothing_for_a_while_and_then_little) {
  EXPECT_TRUE(takes());
  give(15);
  refuse_all();
  EXPECT_TRUE(takes()) << "an agent may be late now and then";
  give(1);
  refuse_all();
  EXPECT_FALSE(takes());
  for (int i = 0; i < 5; ++i) {
    m.pass(500ms);
    ask();
  }
  EXPECT_TRUE(takes()) << "it may have come to its senses";
  give(2);
  EXPECT_FALSE(takes()) << "two are enough to see";
  refuse_all();
  for (int i = 0; i < 5; ++i) {
    m.pass(500ms);
    ask();
  }
  EXPECT_FALSE(takes()) << "each time for longer";
  for (const auto& [token, answer] : m.caller.answers) {
    EXPECT_LE(answer.failure_text.size(), 1100u);
    EXPECT_EQ(answer.failure_text.find('\x1b'), std::string::npos);
  }
}

TEST_F(KnownEvil, one_that_never_answers_gets_nothing_for_a_while) {
  give(16);
  for (int i = 0; i < 20; ++i) {
    m.pass(400ms);
    ask();
  }
  EXPECT_EQ(m.remote->figures()[1].lost, 16u);
  EXPECT_FALSE(takes());
  EXPECT_TRUE(m.remote->takes("honest", false));
}

TEST_F(KnownEvil, one_that_answers_again_is_trusted_again) {
  give(16);
  refuse_all();
  for (int i = 0; i < 5; ++i) {
    m.pass(500ms);
    ask();
  }
  give(1);
  ASSERT_EQ(taken.size(), 1u);
  Result result;
  result.id = taken[0].polls[0].id;
  result.response.status = 404;
  report(result);
  EXPECT_TRUE(takes());
  give(10);
  EXPECT_TRUE(takes());
}

TEST_F(KnownEvil, one_without_slots_is_not_asked) {
  mine.slots = 0;
  ask();
  EXPECT_FALSE(takes());
}

// Whoever comes meanwhile gets a lease as well.
TEST_F(EvilUnderBudget, one_that_invents_epochs_stops_nobodys_lease) {
  m.pass(4s);
  const auto lie = [&](int times) {
    for (int i = 0; i < times; ++i) {
      mine.lease.knows = std::max(mine.lease.knows, std::uint64_t{2'000'000}) + 1000;
      ask();
      m.pass(200ms);
    }
  };
  lie(5);
  Machine& late = m.add("late");
  late.web.otherwise = page("x");
  lie(20);
  for (int i = 0; i < 5; ++i) m.ask("http://a.test/", 2);
  lie(5);
  EXPECT_EQ(late.web.asked.size(), 5u);
  mine.lease.knows = ~std::uint64_t{0};
  ask();
  for (int i = 0; i < 5; ++i) m.ask("http://a.test/", 2);
  m.pass(1s);
  EXPECT_EQ(late.web.asked.size(), 10u);
}

TEST_F(KnownEvil, what_was_sent_of_a_poll_that_is_lost_is_forgotten) {
  for (int round = 0; round < 4; ++round) {
    m.pass(round * 10s);
    ask();
    mine.brain = 1000;
    ask();
    give(1);
    ASSERT_FALSE(taken.empty());
    const std::uint64_t id = taken.back().polls.back().id;
    Part part{mine.instance, 1000, id, 0, 192, std::string(part_bytes, 'x')};
    for (; part.number < 150; ++part.number) evil->publish("px.up.one.part", encode(part));
    m.pass(8s);
  }
  // There is room for one that is whole.
  ask();
  ask();
  give(1);
  Result result;
  result.id = taken.back().polls.back().id;
  result.response.status = 200;
  result.response.body_hash.emplace();
  result.content = Content::bytes;
  Rng rng(5);
  for (int i = 0; i < 600'000; ++i) result.body += static_cast<char>(rng.below(256));
  result.size = result.body.size();
  const std::string whole = encode(Results{mine.instance, 1000, {result}});
  Part part{mine.instance, 1000, result.id, 0, 3, {}};
  const std::size_t before = m.remote->figures()[1].polls;
  for (; part.number < 3; ++part.number) {
    part.bytes = whole.substr(part.number * part_bytes, part_bytes);
    evil->publish("px.up.one.part", encode(part));
  }
  m.pass(20ms);
  EXPECT_EQ(m.remote->figures()[1].polls, before + 1);
}

TEST_F(KnownEvil, bodies_that_unfold_to_a_lot_wait_for_room) {
  give(10);
  Result result;
  result.response.status = 200;
  result.response.body_hash.emplace();
  result.content = Content::extracted;
  put_body(result, std::string(20u << 20, 'a'));
  EXPECT_LT(result.body.size(), 10'000u);
  Results all{mine.instance, 1000, {}};
  for (const Poll& poll : taken.at(0).polls) {
    result.id = poll.id;
    all.results.push_back(result);
  }
  ASSERT_EQ(all.results.size(), 10u);
  evil->publish("px.up.one.res", encode(all));
  m.pass(50ms);
  EXPECT_EQ(m.caller.answers.size(), 2u);
  EXPECT_LE(m.room->bytes(), 40u << 20);
  m.caller.answers.clear();  // they have been looked into
  evil->publish("px.up.one.res", encode(all));
  m.pass(50ms);
  EXPECT_EQ(m.caller.answers.size(), 2u) << "it comes again, and goes on";
}

TEST_F(HostileAgents, a_brain_that_hides_a_request_in_another_is_refused) {
  std::vector<fetch::Request> hidden(5);
  hidden[0].user_agent = "x\r\nHost: b.test";
  hidden[1].etag = "\"x\"\nX: 1";
  hidden[2].last_modified = "x\r\n\r\nGET / HTTP/1.1";
  hidden[3].headers =
      std::make_shared<const fetch::HeaderLines>(fetch::HeaderLines{"A: 1\r\nB: 2"});
  hidden[4].cookies = fetch::CookieLines{"a.test\tFALSE\t/\tFALSE\t0\ta\tb\r\nX: 1"};
  RemoteOptions encrypted;
  encrypted.encrypted = true;
  Machines safe(encrypted);
  Machine& trusting = safe.add("one", {.secrets = true});
  safe.pass(1s);
  for (fetch::Request& request : hidden) {
    request.token = fetch::Token{++safe.tokens};
    request.url = "http://a.test/";
    request.access_point = fetch::AccessPointId{0};
    safe.remote->start(request);
    safe.pass(200ms);
    EXPECT_EQ(safe.caller.answers[request.token].failure, Failure::agent);
  }
  EXPECT_TRUE(trusting.web.asked.empty());
  safe.ask("http://a.test/");
  safe.pass(200ms);
  EXPECT_EQ(trusting.web.asked.size(), 1u);
}

// It is the agent that would have to compile them; the brain has them compiled.
TEST_F(HostileAgents, of_pages_with_thousands_of_patterns_the_bytes_travel) {
  honest.web.otherwise = page("<p>one 17 two</p>");
  const auto comes_extracted = [&](std::size_t patterns) {
    extract::Rules rules;
    for (std::size_t i = 0; i < patterns; ++i) rules.ignore.push_back("x" + std::to_string(i));
    fetch::Remote wish;
    wish.wish = fetch::Remote::Wish::content;
    wish.rules = extract::pack(rules);
    EXPECT_FALSE(wish.rules.empty());
    const fetch::Token token = m.ask("http://a.test/", 0, wish);
    m.pass(500ms);
    const fetch::Response& answer = m.caller.answers[token];
    EXPECT_EQ(answer.failure, Failure::none);
    EXPECT_TRUE(answer.kept_body);
    return answer.extracted;
  };
  m.pass(4s);
  EXPECT_TRUE(comes_extracted(200));
  EXPECT_FALSE(comes_extracted(3000));
}

fetch::Response believed(fetch::Response lie, Duration away = 3s) {
  Result result;
  lie.status = 200;
  lie.body_hash.emplace();
  result.response = std::move(lie);
  return trusted_answer(std::move(result), {}, fetch::Token{1}, away).value_or(fetch::Response());
}

TEST(TrustedAnswer, says_no_times_that_cannot_be) {
  constexpr Duration ages = std::chrono::hours(24 * 365 * 1000);
  fetch::Response lie;
  lie.elapsed = lie.exchange = lie.rested = ages;
  lie.retry_after = lie.fresh_for = lie.modified_ago = ages;
  fetch::Response answer = believed(lie);
  EXPECT_EQ(answer.elapsed, 3s);
  EXPECT_EQ(answer.exchange, 3s);
  EXPECT_EQ(answer.rested, 3s);
  EXPECT_EQ(answer.retry_after, 24h);
  EXPECT_LE(*answer.fresh_for, 24h * 366);
  EXPECT_LE(*answer.modified_ago, 24h * 366 * 100);
  lie.retry_after = lie.fresh_for = lie.modified_ago = -ages;
  answer = believed(lie);
  EXPECT_EQ(answer.retry_after, 1s);
  EXPECT_EQ(answer.fresh_for, Duration::zero());
  EXPECT_EQ(answer.modified_ago, Duration::zero());
}

TEST(TrustedAnswer, has_no_more_than_was_asked_for_and_no_lines_in_its_cookies) {
  fetch::Response lie;
  lie.body_bytes = fetch::Request().max_body;
  EXPECT_EQ(believed(lie).status, 200);
  ++lie.body_bytes;
  EXPECT_EQ(believed(lie).status, 0);
  lie = {};
  lie.cookies = {"a.test\tFALSE\t/\tFALSE\t0\tname\tvalue"};
  EXPECT_EQ(believed(lie).status, 200);
  lie.cookies[0] += "\r\nX-Header: 1";
  EXPECT_EQ(believed(lie).status, 0);
}

}  // namespace
}  // namespace pollux::agent
