#include "agent/messages.hpp"

#include "pollux/base/bytes.hpp"
#include "pollux/base/rng.hpp"

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

Polls some_polls() {
  Polls message{7, 3, 2s, {}};
  Poll& poll = message.polls.emplace_back();
  poll.id = 1u << 20;
  poll.request.url = "https://example.org/a?b=c";
  poll.request.etag = "\"abc\"";
  poll.request.last_modified = "Wed, 18 Nov 2026 10:00:00 GMT";
  poll.request.timeout = 20s;
  poll.request.user_agent = "pollux";
  poll.request.wants_modified = true;
  poll.request.render = true;
  poll.request.price = 5;
  poll.request.headers = std::make_shared<const fetch::HeaderLines>(fetch::HeaderLines{"A: b"});
  poll.request.cookies = fetch::CookieLines{"a cookie"};
  poll.remote.wish = fetch::Remote::Wish::content;
  poll.remote.rules = "rules";
  poll.remote.known_body = fetch::Remote::Hash{1, 2, 3};
  poll.remote.wants_whole = true;
  poll.hash_first = true;
  message.polls.emplace_back().request.url = "http://example.org/";
  return message;
}

Results some_results() {
  Results message{5, 7, {}};
  Result& result = message.results.emplace_back();
  result.id = 9;
  fetch::Response& response = result.response;
  response.status = 200;
  response.etag = "\"x\"";
  response.content_type = "text/html";
  response.final_url = "https://example.org/";
  response.redirect_to = "https://example.org/b";
  response.modified_ago = -3s;
  response.retry_after = 5s;
  response.fresh_for = 60s;
  response.body_bytes = 4711;
  response.until_close = true;
  response.body_hash = fetch::Remote::Hash{4, 5};
  response.cookies = {"one", "two"};
  response.elapsed = 123ms;
  response.exchange = 45ms;
  response.new_connection = true;
  result.here = 77ms;
  result.content = Content::extracted;
  result.aside = Aside{{6, 7}, 1234};
  put_body(result, std::string(10'000, 'x'));
  Result& other = message.results.emplace_back();
  other.fate = Fate::unused;
  other.response.failure = fetch::Failure::agent;
  other.response.failure_text = "too late";
  Result& rest = message.results.emplace_back();
  rest.id = 8;
  rest.fate = Fate::rest;
  put_body(rest, std::string(1'000, 'y'));
  message.results.emplace_back().fate = Fate::gone;
  return message;
}

// Whatever is read is what was written: so what is written from it is the same.
TEST(Messages, come_out_as_they_went_in) {
  Ask ask{11, 7, 3, 256, 4, 1, true, true, "0.6.0"};
  ask.renders = 2;
  EXPECT_EQ(encode(*decode_ask(encode(ask))), encode(ask));
  EXPECT_EQ(decode_ask(encode(ask))->slots, 256u);
  EXPECT_EQ(decode_ask(encode(ask))->renders, 2u);
  const Answer answer{7, true, {1, 1u << 30}, {}, false, {2, 3}};
  EXPECT_EQ(encode(*decode_answer(encode(answer))), encode(answer));
  const auto polls = decode_polls(encode(some_polls()));
  ASSERT_TRUE(polls);
  EXPECT_EQ(encode(*polls), encode(some_polls()));
  EXPECT_EQ(polls->ttl, 2s);
  EXPECT_EQ(polls->polls[0].request.headers->front(), "A: b");
  EXPECT_EQ(polls->polls[0].request.cookies->front(), "a cookie");
  EXPECT_TRUE(polls->polls[0].request.render);
  EXPECT_EQ(polls->polls[0].request.price, 5u);
  EXPECT_FALSE(polls->polls[1].request.render);
  EXPECT_EQ(polls->polls[0].remote.rules, "rules");
  EXPECT_TRUE(polls->polls[0].hash_first);
  EXPECT_FALSE(polls->polls[1].hash_first);
  EXPECT_FALSE(polls->polls[0].remote.known_content);
  EXPECT_EQ(polls->polls[1].request.headers, nullptr);
  auto results = decode_results(encode(some_results()));
  ASSERT_TRUE(results);
  EXPECT_EQ(encode(*results), encode(some_results()));
  EXPECT_EQ(results->results[0].response.modified_ago, Duration(-3s));
  EXPECT_EQ(results->results[0].here, 77ms);
  EXPECT_EQ(results->results[0].aside->bytes, 1234u);
  EXPECT_EQ(results->results[1].fate, Fate::unused);
  EXPECT_EQ(take_body(results->results[2]), std::string(1'000, 'y'));
  EXPECT_EQ(results->results[3].fate, Fate::gone);
  EXPECT_EQ(take_body(results->results[0]), std::string(10'000, 'x'));
  const Part part{5, 7, 9, 1, 3, "bytes"};
  EXPECT_EQ(encode(*decode_part(encode(part))), encode(part));
}

TEST(Messages, that_are_cut_short_or_too_long_are_none) {
  const std::string whole[] = {encode(some_polls()), encode(some_results())};
  for (const std::string& bytes : whole) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode_polls(bytes.substr(0, size))) << size;
      EXPECT_FALSE(decode_results(bytes.substr(0, size))) << size;
    }
    EXPECT_FALSE(decode_polls(bytes + "x"));
    EXPECT_FALSE(decode_results(bytes + "x"));
  }
}

TEST(Messages, of_another_kind_or_version_are_none) {
  std::string ask = encode(Ask{});
  EXPECT_FALSE(decode_answer(ask));
  EXPECT_FALSE(decode_polls(ask));
  EXPECT_EQ(version_of(ask), protocol);
  ask[0] = static_cast<char>(protocol + 1);
  EXPECT_FALSE(decode_ask(ask));
  EXPECT_EQ(version_of(ask), protocol + 1);
  EXPECT_EQ(version_of(""), 0);
}

// A million bytes in one that says it has them, and has not.
TEST(Messages, that_lie_about_their_length_cost_no_memory) {
  ByteWriter bytes;
  bytes.number(protocol);
  bytes.number(3);  // polls
  bytes.number(1);
  bytes.number(1);
  bytes.time(1s);
  bytes.number(32);  // of them, and none follows
  EXPECT_FALSE(decode_polls(bytes.take()));
}

TEST(Messages, with_fields_out_of_bounds_are_not_written) {
  Polls polls = some_polls();
  polls.polls[0].request.url.assign(1u << 20, 'x');
  EXPECT_EQ(encode(polls), "");
  polls = some_polls();
  polls.polls.resize(most_polls_at_once + 1);
  EXPECT_EQ(encode(polls), "");
  polls = some_polls();
  polls.polls[0].request.price = most_price + 1;
  EXPECT_EQ(encode(polls), "");
  Ask ask;
  ask.renders = most_renders + 1;
  EXPECT_EQ(encode(ask), "");
}

// A request that costs nothing would pass by every pace.
TEST(Messages, with_a_request_for_nothing_are_none) {
  Polls polls = some_polls();
  polls.polls[0].request.price = 0;
  EXPECT_FALSE(decode_polls(encode(polls)));
}

TEST(Messages, survive_any_bytes) {
  Rng rng(1);
  const std::string seeds[] = {encode(Ask{1, 2, 3, 4, 5, 6, true, false, "x"}),
                               encode(Answer{1, false, {1, 2, 3}, {}, false, {4}}),
                               encode(some_polls()), encode(some_results()),
                               encode(Part{1, 2, 3, 0, 1, "xyz"})};
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = seeds[rng.below(std::size(seeds))];
    for (std::uint64_t n = rng.below(4); n-- > 0;)
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    if (auto results = decode_results(bytes)) {
      for (Result& result : results->results) static_cast<void>(take_body(result));
      ++read;
    }
    read += decode_ask(bytes) || decode_answer(bytes) || decode_polls(bytes) || decode_part(bytes);
  }
  EXPECT_GT(read, 1000);
}

TEST(Messages, a_body_that_does_not_unfold_to_its_size_is_none) {
  Result result;
  put_body(result, std::string(100'000, 'y'));
  ASSERT_TRUE(result.squeezed);
  Result longer = result, shorter = result, huge = result, broken = result;
  ++longer.size;
  --shorter.size;
  huge.size = std::uint64_t{1} << 60;
  broken.body[8] ^= 0x55;
  broken.body.resize(broken.body.size() / 2);
  EXPECT_FALSE(take_body(longer));
  EXPECT_FALSE(take_body(shorter));
  EXPECT_FALSE(take_body(huge));
  EXPECT_FALSE(take_body(broken));
  EXPECT_EQ(take_body(result), std::string(100'000, 'y'));
}

TEST(Messages, names_of_agents_cannot_leave_their_place_in_a_subject) {
  EXPECT_TRUE(is_name("fra-1"));
  for (const char* bad : {"", "a.b", "*", ">", "a b", "\n", "ä"}) EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_FALSE(is_name(std::string(41, 'a')));
  EXPECT_EQ((Subjects{"fra-1"}.polls(0xabcu)), "px.to.fra-1.0000000000000abc.poll");
}

}  // namespace
}  // namespace pollux::agent
