// Polls between a brain and its agents, when all is well.
#include "pollux/base/rng.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/packed.hpp"
#include "unit/agent/machines.hpp"

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;

class AgentPolls : public testing::Test {
 protected:
  const fetch::Response& poll(fetch::Remote wish = {}) {
    const fetch::Token token = m.ask("http://a.test/", 0, std::move(wish));
    m.pass(2s);
    EXPECT_TRUE(m.has(token));
    return m.caller.answers[token];
  }
  Machines m;
  Machine& agent = m.add("one");
  void SetUp() override {
    agent.web.pages["http://a.test/"] = page("<p>Hello you</p>");
    m.pass(1s);
  }
};

TEST_F(AgentPolls, bring_the_hash_of_the_body_and_what_the_server_said) {
  agent.web.pages["http://a.test/"].etag = "\"v1\"";
  const fetch::Response& answer = poll();
  EXPECT_EQ(answer.failure, Failure::none);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body_hash, hash_of("<p>Hello you</p>"));
  EXPECT_EQ(answer.etag, "\"v1\"");
  EXPECT_EQ(answer.final_url, "http://a.test/");
  EXPECT_EQ(answer.body_bytes, 16u);
  EXPECT_EQ(answer.elapsed, 50ms);
  EXPECT_EQ(answer.kept_body, nullptr) << "nobody wanted it";
}

TEST_F(AgentPolls, that_may_not_go_there_say_whose_configuration_refuses) {
  agent.web.pages.clear();
  agent.web.otherwise = fetch::Response{};
  agent.web.otherwise->failure = Failure::address_refused;
  agent.web.otherwise->failure_text = "the address is not public; network.allow can permit it";
  EXPECT_EQ(poll().failure_text,
            "the address is not public; network.allow can permit it, in the agent's configuration");
}

TEST_F(AgentPolls, bring_what_the_rules_keep_where_that_is_wanted) {
  const fetch::Response& answer = poll(content_wish());
  ASSERT_TRUE(answer.extracted);
  const auto remote = extract::unpack_extraction(answer.kept_body->join());
  ASSERT_TRUE(remote);
  EXPECT_FALSE(remote->same);
  EXPECT_EQ(remote->rules, extract::fingerprint({}));
  EXPECT_EQ(std::get<extract::Kept>(remote->found).content, "Hello you");
}

TEST_F(AgentPolls, bring_no_content_whose_bytes_are_known) {
  fetch::Remote wish = content_wish();
  wish.known_body = hash_of("<p>Hello you</p>");
  const fetch::Response& answer = poll(wish);
  EXPECT_EQ(answer.body_hash, wish.known_body);
  EXPECT_EQ(answer.kept_body, nullptr);
}

TEST_F(AgentPolls, bring_no_content_that_is_known_in_other_bytes) {
  fetch::Remote wish = content_wish();
  wish.known_content = hash_of("Hello you");
  const fetch::Response& answer = poll(wish);
  ASSERT_TRUE(answer.extracted);
  const auto remote = extract::unpack_extraction(answer.kept_body->join());
  ASSERT_TRUE(remote);
  EXPECT_TRUE(remote->same);
  EXPECT_EQ(std::get<extract::Kept>(remote->found).content, "");
}

TEST_F(AgentPolls, bring_the_bytes_where_a_program_is_to_look_at_them) {
  fetch::Remote wish;
  wish.wish = fetch::Remote::Wish::bytes;
  EXPECT_EQ(poll(wish).kept_body->join(), "<p>Hello you</p>");
  // And where the rules would start one: an agent starts none.
  extract::Rules rules;
  rules.pipe = {"touch", "/tmp/never"};
  wish.wish = fetch::Remote::Wish::content;
  wish.rules = extract::pack(rules);
  const fetch::Response& answer = poll(wish);
  EXPECT_FALSE(answer.extracted);
  EXPECT_EQ(answer.kept_body->join(), "<p>Hello you</p>");
}

TEST_F(AgentPolls, bring_a_text_whole) {
  agent.web.pages["http://a.test/robots.txt"] = page("User-agent: *\n", "text/plain");
  fetch::Request request;
  request.token = fetch::Token{77};
  request.url = "http://a.test/robots.txt";
  request.cut_body = true;
  request.access_point = fetch::AccessPointId{0};
  m.remote->start(request);
  m.pass(1s);
  EXPECT_EQ(m.caller.answers[request.token].body, "User-agent: *\n");
}

TEST_F(AgentPolls, of_large_pages_come_in_parts) {
  std::string body;
  Rng rng(3);
  while (body.size() < 3u << 20) body += static_cast<char>('a' + rng.below(26));
  agent.web.pages["http://a.test/"] = page(body, "application/octet-stream");
  agent.web.piece = 64u << 10;
  fetch::Remote wish;
  wish.wish = fetch::Remote::Wish::bytes;
  const fetch::Response& answer = poll(wish);
  EXPECT_EQ(answer.body_hash, hash_of(body));
  EXPECT_EQ(answer.kept_body->join(), body);
}

TEST_F(AgentPolls, report_failures_and_redirects_as_the_agent_saw_them) {
  agent.web.pages["http://a.test/"] = page("");
  agent.web.pages["http://a.test/"].status = 301;
  agent.web.pages["http://a.test/"].redirect_to = "http://b.test/";
  const fetch::Response moved = poll();
  EXPECT_EQ(moved.redirect_to, "http://b.test/");
  EXPECT_EQ(moved.status, 301);
  EXPECT_FALSE(moved.body_hash);
  agent.web.hangs = true;
  const fetch::Token token = m.ask("http://a.test/");
  m.pass(5s);
  EXPECT_EQ(m.caller.answers[token].failure, Failure::timeout);
}

TEST_F(AgentPolls, go_together_in_few_messages) {
  const std::uint64_t before = m.hub.messages();
  for (int i = 0; i < 64; ++i) m.ask("http://a.test/");
  m.pass(400ms);
  EXPECT_EQ(m.caller.answers.size(), 64u);
  EXPECT_EQ(agent.web.asked.size(), 64u);
  // Two with polls, few with results and receipts, and the heartbeat.
  EXPECT_LT(m.hub.messages() - before, 12u);
}

TEST_F(AgentPolls, wait_for_a_slot_so_a_slow_agent_holds_nobody_back) {
  Machine& small = m.add("small", {.slots = 2});
  small.web.answers = 600ms;
  m.pass(1s);
  std::vector<fetch::Token> tokens;
  for (int i = 0; i < 8; ++i) tokens.push_back(m.ask("http://a.test/", 1));
  const fetch::Token other = m.ask("http://a.test/", 0);
  m.pass(200ms);
  EXPECT_TRUE(m.has(other));
  EXPECT_EQ(small.web.asked.size(), 2u);
  m.pass(3s);
  int done = 0;
  for (const fetch::Token token : tokens) {
    const fetch::Response& answer = m.caller.answers[token];
    if (answer.failure == Failure::none) ++done;
    if (answer.failure != Failure::none) {
      EXPECT_EQ(answer.failure, Failure::agent);
      EXPECT_FALSE(answer.sent);
    }
  }
  EXPECT_EQ(done, 4) << "two at a time, the others had no room within a second";
  EXPECT_EQ(small.web.asked.size(), 4u);
}

TEST_F(AgentPolls, with_secrets_go_only_where_that_is_said_and_encrypted) {
  const auto answer = [&](Machines& machines) {
    fetch::Request request;
    request.token = fetch::Token{++machines.tokens};
    request.url = "http://a.test/";
    request.access_point = fetch::AccessPointId{0};
    request.headers =
        std::make_shared<const fetch::HeaderLines>(fetch::HeaderLines{"Authorization: Bearer x"});
    machines.remote->start(request);
    machines.pass(2s);
    return machines.caller.answers[request.token];
  };
  EXPECT_EQ(answer(m).failure, Failure::agent);
  EXPECT_TRUE(agent.web.asked.empty());
  EXPECT_TRUE(m.remote->takes("one", false));
  EXPECT_FALSE(m.remote->takes("one", true));

  RemoteOptions plain, encrypted;
  encrypted.encrypted = true;
  Machines in_the_clear(plain), safe(encrypted);
  in_the_clear.add("one", {.secrets = true});
  Machine& trusted = safe.add("one", {.secrets = true});
  in_the_clear.pass(1s);
  safe.pass(1s);
  EXPECT_EQ(answer(in_the_clear).failure, Failure::agent);
  EXPECT_EQ(answer(safe).failure, Failure::none);
  ASSERT_EQ(trusted.web.asked.size(), 1u);
  EXPECT_EQ(trusted.web.asked[0].request.headers->front(), "Authorization: Bearer x");
}

// Whatever the brain says: two locks.
TEST_F(AgentPolls, of_one_host_keep_the_agents_own_distance) {
  Machine& polite = m.add("polite", {.manners = [](const std::string&) {
                            return HostManners{300ms, 2};
                          }});
  polite.web.answers = 500ms;
  m.pass(1s);
  for (int i = 0; i < 4; ++i) m.ask("http://a.test/", 1);
  m.ask("http://b.test/", 1);
  m.pass(1900ms);
  std::vector<Instant> asked;
  for (const auto& one : polite.web.asked) {
    if (one.url == "http://a.test/") asked.push_back(one.at);
  }
  ASSERT_GE(asked.size(), 2u);
  for (std::size_t i = 1; i < asked.size(); ++i) EXPECT_GE(asked[i] - asked[i - 1], 300ms);
  EXPECT_EQ(polite.web.asked.size(), asked.size() + 1) << "the other host waits for nobody";
}

TEST_F(AgentPolls, are_shown) {
  poll();
  const AgentFigures figures = m.remote->figures().at(0);
  EXPECT_EQ(figures.name, "one");
  EXPECT_TRUE(figures.alive);
  EXPECT_EQ(figures.version, POLLUX_VERSION);
  EXPECT_EQ(figures.polls, 1u);
  EXPECT_EQ(figures.in_flight, 0u);
  EXPECT_EQ(figures.slots, 256u);
  EXPECT_DOUBLE_EQ(figures.seconds, 0.05);
  EXPECT_LE(figures.silent_for, 500ms);
}

}  // namespace
}  // namespace pollux::agent
