// Content that is put aside and brought, or not: what comes when, what is lost, and what is a lie.
#include "agent/messages.hpp"
#include "agent/put_aside.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/packed.hpp"
#include "unit/agent/machines.hpp"

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

const std::string text =
    "Words that are many enough to be put aside, because fewer would travel at once, as they are.";

RemoteOptions with(ContentMode mode) {
  RemoteOptions options;
  options.content = mode;
  return options;
}

class AgentContents : public testing::Test {
 protected:
  void SetUp() override {
    agent->web.pages["http://a.test/"] = page("<p>" + text + "</p>");
    m.pass(1s);
  }
  fetch::Token poll(fetch::Remote wish = content_wish()) {
    const fetch::Token token = m.ask("http://a.test/", 0, std::move(wish));
    for (int i = 0; i < 200 && !m.has(token); ++i) m.pass(10ms);
    EXPECT_TRUE(m.has(token));
    return token;
  }
  std::string content_of(fetch::Token token) {
    const auto remote = extract::unpack_extraction(m.caller.answers[token].kept_body->join());
    return remote ? std::get<extract::Kept>(remote->found).content : "nothing";
  }
  void bring(fetch::Token token) {
    m.remote->contents().bring(token, [this](std::shared_ptr<CountedBytes> content) {
      ++told;
      brought = content ? std::optional(content->join()) : std::nullopt;
    });
    EXPECT_EQ(told, 0) << "never from inside the call";
  }
  AgentFigures figures() { return m.remote->figures()[0]; }

  Machines m{with(ContentMode::hash_first)};
  Machine* agent = &m.add("one");
  int told = 0;
  std::optional<std::string> brought;
};

TEST_F(AgentContents, are_put_aside_and_come_when_they_are_asked_for) {
  const fetch::Token token = poll();
  EXPECT_TRUE(m.caller.answers[token].extracted);
  EXPECT_EQ(content_of(token), "");
  EXPECT_EQ(m.remote->contents().aside(token), hash_of(text));
  bring(token);
  m.pass(100ms);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(brought, text);
  EXPECT_EQ(agent->web.asked.size(), 1u) << "the page was asked for once";
  EXPECT_EQ(figures().put_aside, 1u);
  EXPECT_EQ(figures().brought, 1u);
  EXPECT_EQ(figures().not_brought, 0u);
}

TEST_F(AgentContents, that_nobody_asks_for_do_not_come) {
  const fetch::Token token = poll();
  m.remote->contents().judged(token, Wanted::no);
  EXPECT_FALSE(m.remote->contents().aside(token));
  m.pass(20s);
  EXPECT_EQ(figures().brought, 0u);
  bring(token);
  m.pass(10ms);
  EXPECT_EQ(told, 1) << "too late: it is polled once more";
  EXPECT_FALSE(brought);
}

TEST_F(AgentContents, that_are_known_or_short_or_wanted_whole_are_not_put_aside) {
  fetch::Remote known = content_wish();
  known.known_content = hash_of(text);
  fetch::Token token = poll(known);
  EXPECT_FALSE(m.remote->contents().aside(token));
  EXPECT_TRUE(extract::unpack_extraction(m.caller.answers[token].kept_body->join())->same);
  fetch::Remote whole = content_wish();
  whole.wants_whole = true;
  token = poll(whole);
  EXPECT_FALSE(m.remote->contents().aside(token));
  EXPECT_EQ(content_of(token), text);
  agent->web.pages["http://a.test/"] = page("<p>short</p>");
  token = poll();
  EXPECT_FALSE(m.remote->contents().aside(token));
  EXPECT_EQ(content_of(token), "short");
}

TEST_F(AgentContents, come_although_the_first_asking_or_its_answer_is_lost) {
  const fetch::Token token = poll();
  m.hub.set_line("one", {.cut_off = true});
  bring(token);
  m.pass(300ms);
  EXPECT_EQ(told, 0);
  m.hub.set_line("one", {});
  m.pass(1s);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(brought, text);
  EXPECT_EQ(m.caller.answered_twice, 0);
}

TEST_F(AgentContents, of_an_agent_that_is_lost_are_lost_and_the_next_poll_brings_them_at_once) {
  const fetch::Token token = poll();
  m.hub.set_line("one", {.cut_off = true});
  bring(token);
  m.pass(2900ms);
  EXPECT_EQ(told, 0);
  m.pass(200ms);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(brought);
  EXPECT_EQ(figures().not_brought, 1u);
  m.hub.set_line("one", {});
  m.pass(3s);
  const fetch::Token next = poll();
  EXPECT_FALSE(m.remote->contents().aside(next));
  EXPECT_EQ(content_of(next), text);
  EXPECT_TRUE(m.remote->contents().aside(poll())) << "once";
}

TEST_F(AgentContents, of_an_agent_that_was_started_anew_are_gone_at_once) {
  const fetch::Token token = poll();
  m.machines.clear();
  agent = &m.add("one");
  m.pass(5s);
  bring(token);
  m.pass(10ms);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(brought);
}

TEST_F(AgentContents, that_are_there_no_more_are_said_to_be_gone) {
  m.stop_brain();
  m.machines.clear();
  WorkerOptions options;
  options.keep_aside = 100ms;
  m.start_brain();
  agent = &m.add("two", options);
  agent->web.pages["http://a.test/"] = page("<p>" + text + "</p>");
  m.pass(1s);
  const fetch::Token token = m.ask("http://a.test/", 1, content_wish());
  m.pass(1s);
  bring(token);
  m.pass(100ms);
  EXPECT_EQ(told, 1) << "it does not wait for what does not come";
  EXPECT_FALSE(brought);
}

TEST_F(AgentContents, of_many_pages_come_in_parts_where_they_are_large) {
  std::string large;
  for (int i = 0; large.size() < 3u << 20; ++i)
    large += std::to_string(i * 7919 % 1'000'003) + (i % 10 == 9 ? "\n" : " ");
  agent->web.pages["http://a.test/"] = page(large, "text/plain");
  const fetch::Token token = poll();
  const std::optional<detect::Hash> announced = m.remote->contents().aside(token);
  ASSERT_TRUE(announced);
  bring(token);
  m.pass(500ms);
  ASSERT_TRUE(brought);
  EXPECT_EQ(hash_of(*brought), announced);
  EXPECT_GT(brought->size(), 2u << 20);
}

// A content that is not the one that was announced.
TEST_F(AgentContents, that_are_a_lie_are_refused_and_counted) {
  const fetch::Token token = poll();
  m.hub.set_line("one", {.cut_off = true});
  const auto stranger = m.hub.join(m.loop, "stranger");
  bring(token);
  m.pass(10ms);
  Results lie{1, 1000, {}};
  Result& rest = lie.results.emplace_back();
  rest.id = 1;
  rest.fate = Fate::rest;
  put_body(rest, text + " Or so it seems.");
  stranger->publish("px.up.one.res", encode(lie));
  m.pass(10ms);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(brought);
  EXPECT_EQ(figures().faults, 1u);
  // What nobody asked for is late, and says nothing.
  put_body(rest, text);
  stranger->publish("px.up.one.res", encode(lie));
  m.pass(10ms);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(figures().late, 1u);
}

TEST_F(AgentContents, nobody_may_put_aside_unless_he_was_told_to) {
  m.remote_options.content = ContentMode::at_once;
  m.stop_brain();
  ++m.remote_options.brain;
  m.start_brain();
  m.pass(5s);
  agent->web.answers = 500ms;
  const auto stranger = m.hub.join(m.loop, "stranger");
  const fetch::Token token = m.ask("http://a.test/", 0, content_wish());
  m.pass(50ms);
  Results lie{1, m.remote_options.brain, {}};
  Result& result = lie.results.emplace_back();
  result.id = 1;
  result.response.status = 200;
  result.response.body_hash = hash_of("body");
  result.content = Content::extracted;
  result.aside = Aside{hash_of(text), 50};
  put_body(result, "packed");
  stranger->publish("px.up.one.res", encode(lie));
  m.pass(50ms);
  ASSERT_TRUE(m.has(token));
  EXPECT_EQ(m.caller.answers[token].failure, fetch::Failure::agent);
  EXPECT_EQ(figures().faults, 1u);
}

TEST_F(AgentContents, that_are_asked_for_end_with_everything_else) {
  const fetch::Token token = poll();
  m.hub.set_line("one", {.cut_off = true});
  bring(token);
  m.remote->cancel_all();
  m.pass(10ms);
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(brought);
}

TEST(AgentContentModes, always_sends_what_is_known_too) {
  Machines m{with(ContentMode::always)};
  Machine& agent = m.add("one");
  agent.web.pages["http://a.test/"] = page("<p>" + text + "</p>");
  m.pass(1s);
  fetch::Remote wish = content_wish();
  wish.known_content = hash_of(text);
  wish.known_body = hash_of("<p>" + text + "</p>");
  const fetch::Token token = m.ask("http://a.test/", 0, wish);
  m.pass(1s);
  const auto remote = extract::unpack_extraction(m.caller.answers[token].kept_body->join());
  ASSERT_TRUE(remote);
  EXPECT_EQ(std::get<extract::Kept>(remote->found).content, text);
}

// Which page goes how is learnt from what became of what it showed before.
TEST(AgentContentModes, automatic_leaves_out_what_was_here_before) {
  Machines m{with(ContentMode::automatic)};
  Machine& agent = m.add("one");
  std::string middling;  // neither so small nor so large that everything has been said
  for (int i = 0; i < 300; ++i) middling += "word" + std::to_string(i * i) + " ";
  agent.web.pages["http://a.test/"] = page(middling, "text/plain");
  m.pass(1s);
  const auto put_aside = [&](Wanted wanted) {
    const fetch::Token token = m.ask("http://a.test/", 0, content_wish());
    m.pass(1s);
    const bool aside = m.remote->contents().aside(token).has_value();
    m.remote->contents().judged(token, wanted);
    return aside;
  };
  EXPECT_FALSE(put_aside(Wanted::yes)) << "the first cannot be known";
  for (int i = 0; i < 10; ++i) put_aside(Wanted::no);
  EXPECT_TRUE(put_aside(Wanted::no));
  for (int i = 0; i < 60; ++i) put_aside(Wanted::yes);
  EXPECT_FALSE(put_aside(Wanted::yes)) << "it changed its ways";
}

SetAside some(std::size_t bytes) {
  return {hash_of("x"), bytes, false, std::string(bytes, 'x')};
}

TEST(PutAsideContents, are_bounded_in_bytes_and_in_time) {
  const Instant now{};
  PutAside aside(1000, 10s);
  for (std::uint64_t id = 1; id <= 20; ++id) aside.put(id, some(100), now);
  EXPECT_EQ(aside.bytes(), 1000u);
  EXPECT_EQ(aside.find(10, now), nullptr) << "the oldest go first";
  ASSERT_NE(aside.find(11, now), nullptr);
  EXPECT_NE(aside.find(11, now + 9s), nullptr) << "it may be asked for again";
  aside.put(21, some(100), now + 9s);
  EXPECT_EQ(aside.find(12, now + 10s), nullptr);
  EXPECT_NE(aside.find(21, now + 10s), nullptr);
  EXPECT_EQ(aside.bytes(), 100u);
  aside.put(22, some(2000), now + 10s);
  EXPECT_EQ(aside.bytes(), 0u) << "more than there may be";
  aside.put(23, some(50), now + 10s);
  aside.put(23, some(70), now + 10s);
  EXPECT_EQ(aside.bytes(), 50u) << "the first counts";
  aside.clear();
  EXPECT_EQ(aside.bytes(), 0u);
  EXPECT_EQ(aside.find(23, now + 10s), nullptr);
}

}  // namespace
}  // namespace pollux::agent
