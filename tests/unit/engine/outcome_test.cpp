// What a poll meant, decided in one place.
#include "engine/outcome.hpp"

#include "engine/page_noise.hpp"
#include "pollux/base/units.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using detect::Verdict;

detect::Hash hash_of(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return digest.finish();
}

class OutcomeTest : public testing::Test {
 protected:
  OutcomeTest() {
    page_.id = PageId{1};
    page_.url = "http://a.test/";
    flight_.asked = moment_.now - 1s;
    flight_.answer.status = 200;
    settings_.limits = {5s, 24h};
  }
  Outcome content(const std::string& body) {
    flight_.answer.body_bytes = body.size();
    return settle(page_, flight_, {.body = hash_of(body)}, settings_, {}, moment_, rng_);
  }
  Outcome end(std::string error = "") {
    return settle(page_, flight_, {.error = std::move(error)}, settings_, {}, moment_, rng_);
  }
  Moment moment_{Instant(1h), WallTime(1'790'000'000s)};
  PageRecord page_;
  Flight flight_;
  PageSettings settings_;
  Rng rng_{1};
};

TEST_F(OutcomeTest, first_content_then_the_same_then_another) {
  Outcome outcome = content("one");
  EXPECT_EQ(outcome.verdict, Verdict::baseline);
  EXPECT_FALSE(outcome.feedback) << "nothing to compare with: nothing to learn";
  outcome = content("one");
  EXPECT_EQ(outcome.verdict, Verdict::same);
  ASSERT_TRUE(outcome.feedback);
  EXPECT_FALSE(outcome.feedback->changed);
  outcome = content("two");
  EXPECT_EQ(outcome.verdict, Verdict::changed);
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(outcome.change->new_hash, detect::to_hex(hash_of("two")));
  EXPECT_EQ(page_.changes, 1u);
  EXPECT_EQ(page_.polls, 3u);
}

TEST_F(OutcomeTest, a_version_that_comes_back_is_no_change_and_the_page_is_flapping) {
  (void)content("A");
  std::vector<bool> heard;
  for (const char* version : {"B", "A", "B", "A", "C", "A", "C", "D"}) {
    const Outcome outcome = content(version);
    EXPECT_EQ(outcome.change.has_value(), outcome.feedback->changed) << version;
    heard.push_back(outcome.feedback->changed);
  }
  EXPECT_EQ(heard, (std::vector<bool>{true, false, false, false, true, false, false, true}));
  EXPECT_EQ(page_.changes, 3u);
  EXPECT_EQ(page_.health, Health::flapping);
  for (std::uint32_t i = 0; i < KnownVersions::window; ++i) (void)content("D");
  EXPECT_EQ(page_.health, Health::ok);
}

TEST_F(OutcomeTest, what_comes_back_after_a_long_while_is_news) {
  (void)content("open");
  (void)content("closed");
  for (std::uint32_t i = 0; i < KnownVersions::window; ++i) (void)content("closed");
  EXPECT_TRUE(content("open").feedback->changed);
}

TEST_F(OutcomeTest, only_a_few_versions_are_remembered) {
  (void)content("first");
  for (std::size_t i = 0; i <= KnownVersions::most; ++i) (void)content(std::to_string(i));
  EXPECT_FALSE(content("3").feedback->changed);
  EXPECT_TRUE(content("first").feedback->changed);
}

TEST_F(OutcomeTest, an_error_backs_off_and_leaves_the_content_as_it_was) {
  (void)content("one");
  flight_.answer = {};
  flight_.answer.status = 503;
  flight_.answer.retry_after = 1h;
  const Outcome outcome = end();
  EXPECT_EQ(outcome.verdict, Verdict::unknown);
  EXPECT_EQ(outcome.error, "HTTP 503, Retry-After 1 h");
  EXPECT_EQ(outcome.block_host, Duration(1h));
  EXPECT_GE(*outcome.not_before, moment_.now + 1h);
  EXPECT_FALSE(outcome.change || outcome.feedback);
  EXPECT_EQ(page_.hash, hash_of("one"));
  EXPECT_EQ(page_.error_streak, 1);
}

TEST_F(OutcomeTest, an_empty_body_where_there_was_content_is_an_error) {
  (void)content("one");
  const Outcome outcome = content("");
  EXPECT_EQ(outcome.verdict, Verdict::unknown);
  EXPECT_EQ(outcome.error, "empty body where there was content before");
}

TEST_F(OutcomeTest, a_204_is_told_by_its_status) {
  (void)content("one");
  flight_.answer.status = 204;
  EXPECT_EQ(content("").error, "HTTP 204");
}

TEST_F(OutcomeTest, an_error_of_our_own_is_told_as_it_is) {
  EXPECT_EQ(end("more than 5 redirects").error, "more than 5 redirects");
}

TEST_F(OutcomeTest, what_a_server_calls_fresh_counts_if_the_user_wants_up_to_max_interval) {
  flight_.answer.fresh_for = 48h;
  EXPECT_FALSE(content("one").not_before);
  settings_.respect_cache = true;
  EXPECT_EQ(content("one").not_before, flight_.asked + 24h);
  EXPECT_TRUE(page_.resting_fresh);
}

TEST_F(OutcomeTest, a_move_for_good_is_news_once) {
  flight_.trail.hops = 1;
  flight_.trail.moved_to = "http://b.test/";
  EXPECT_TRUE(content("one").moved);
  EXPECT_FALSE(content("one").moved);
  EXPECT_TRUE(page_.etag.empty()) << "validators of another URL";
}

TEST_F(OutcomeTest, of_a_very_long_redirect_no_more_than_a_kib_is_remembered) {
  flight_.trail.hops = 1;
  flight_.url = flight_.trail.moved_to = "http://b.test/" + std::string(8000, 'p');
  EXPECT_TRUE(content("one").moved);
  EXPECT_FALSE(content("one").moved) << "news once all the same";
  EXPECT_EQ(page_.moved_to.view().size(), 1024u);
  EXPECT_EQ(page_.final_url.view().size(), 1024u);
}

TEST_F(OutcomeTest, where_the_answer_came_from_is_kept_until_another_answer_says_otherwise) {
  flight_.trail.hops = 2;
  flight_.url = "http://id.test/login?t=1";
  EXPECT_TRUE(content("one").landed);
  EXPECT_EQ(page_.final_url.view(), "http://id.test/login?t=1");
  EXPECT_EQ(page_.redirects, 2);
  flight_.url = "http://id.test/login?t=2";
  EXPECT_FALSE(content("one").landed) << "another query is no news";
  flight_.trail.hops = 0;
  flight_.url = "http://a.test/";
  EXPECT_FALSE(end("timeout").landed);
  EXPECT_EQ(page_.final_url.view(), "http://id.test/login?t=2") << "a time-out says nothing";
  EXPECT_TRUE(content("one").landed);
  EXPECT_TRUE(page_.final_url.empty());
  flight_.trail.hops = 1;  // there and back, for a cookie
  EXPECT_FALSE(content("one").landed);
  EXPECT_TRUE(page_.final_url.empty());
  EXPECT_EQ(page_.redirects, 1);
}

// --- Bodies that were looked into.

class LookedInto : public OutcomeTest {
 protected:
  static Look text(const std::string& kept) {
    Look look;
    look.text = kept;
    look.hash = hash_of(kept);
    look.as = extract::As::text;
    return look;
  }
  Outcome look(Look look) {
    flight_.answer.body_bytes = 100;
    End end{.body = hash_of("bytes " + std::to_string(++bodies_))};
    look.same = look.same || page_.known_hash() == look.hash;
    end.look = std::make_unique<Look>(std::move(look));
    return settle(page_, flight_, std::move(end), settings_, {}, moment_, rng_);
  }
  int bodies_ = 0;
};

TEST_F(LookedInto, the_content_counts_and_not_the_bytes) {
  Outcome outcome = look(text("one"));
  EXPECT_EQ(outcome.verdict, Verdict::baseline);
  ASSERT_TRUE(outcome.version);
  EXPECT_EQ(outcome.version->text, "one");
  outcome = look(text("one"));
  EXPECT_EQ(outcome.verdict, Verdict::same);
  EXPECT_FALSE(outcome.version);
  Look changed = text("two");
  changed.base_known = true;
  changed.words_added = changed.words_removed = 1;
  changed.summary = "one → two";
  outcome = look(std::move(changed));
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(outcome.change->summary, "one → two");
  EXPECT_EQ(outcome.change->words_added, 1);
  EXPECT_TRUE(outcome.version) << "the text that the change names";
  EXPECT_EQ(page_.kept_as, extract::As::text);
}

TEST_F(LookedInto, small_differences_do_not_move_the_base) {
  (void)look(text("one"));
  Look small = text("one.");
  small.significant = false;
  const Outcome outcome = look(std::move(small));
  EXPECT_EQ(outcome.verdict, Verdict::same);
  EXPECT_FALSE(outcome.change);
  EXPECT_EQ(page_.hash, hash_of("one"));
}

TEST_F(LookedInto, a_condition_fires_each_time_it_becomes_true) {
  const auto price = [](const std::string& kept, bool fires) {
    Look look = text(kept);
    look.has_condition = look.base_follows = true;
    look.significant = fires;
    return look;
  };
  (void)look(price("50", false));
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(look(price("71", false)).change);
    EXPECT_EQ(page_.hash, hash_of("71")) << "what comes next is compared with this";
    EXPECT_TRUE(look(price("50", true)).change) << "also where it was there before";
  }
}

TEST_F(LookedInto, a_state_that_was_held_and_comes_back_is_news) {
  (void)look(text("operational"));
  for (int round = 0; round < 2; ++round) {
    for (const char* state : {"degraded", "operational"}) {
      EXPECT_TRUE(look(text(state)).change) << state;
      for (int poll = 0; poll < 6; ++poll) (void)look(text(state));
    }
  }
  EXPECT_EQ(page_.health, Health::ok);
}

// It may tick again, so however quiet the page was, what differs next is looked at again.
TEST_F(LookedInto, a_mask_that_ends_is_no_change_and_its_page_is_judged_anew) {
  (void)look(text("read ‹number› times"));
  std::vector<store::MaskRow> rows;
  page_.masks.add({{extract::TokenKind::number, {"read"}, {"times"}}}, page_.id, moment_.wall,
                  rows);
  Look ended = text("read 17 times");
  ended.same = true;
  ended.masks_shown = {{5, 0s}};
  ended.masks_ended = {true};
  for (int i = 0; i < 10; ++i) page_.trust.saw(page_.hash);
  const Outcome outcome = look(std::move(ended));
  EXPECT_FALSE(outcome.change);
  ASSERT_EQ(outcome.masks.size(), 1u);
  EXPECT_EQ(outcome.masks.front().what, store::MaskRow::What::expired);
  EXPECT_EQ(page_.hash, hash_of("read 17 times")) << "what is compared with from now on";
  EXPECT_EQ(page_.health, Health::ok);
  EXPECT_TRUE(page_.unmasked);
  EXPECT_FALSE(page_.trust.settled());
  EXPECT_TRUE(look(text("read 99 times")).change);
  EXPECT_FALSE(page_.unmasked) << "it has been judged";
}

TEST_F(LookedInto, what_is_not_believed_is_remembered_for_the_polls_after_it) {
  (void)look(text("one"));
  flight_.put_off = 2;
  (void)look(text("two"));
  (void)look(text("three"));
  (void)look(text("four"));
  ASSERT_TRUE(page_.doubted);
  ASSERT_EQ(page_.doubted->seen.size(), 2u);
  EXPECT_EQ(page_.doubted->seen[0].hash, hash_of("three"));
  EXPECT_EQ(page_.doubted->seen[1].hash, hash_of("four"));
  EXPECT_TRUE(look(text("four")).change);
  EXPECT_FALSE(page_.doubted);
}

// It may come from a cache, whatever looks at the same moment say.
TEST_F(LookedInto, a_token_that_is_polled_every_second_has_to_stay_for_ten) {
  (void)look(text("read 17 times"));
  const auto second = [&](const std::string& kept, Noise noise = Noise::none) {
    moment_.now += 1s;
    moment_.wall += 1s;
    flight_.asked = moment_.now;
    Look seen = text(kept);
    seen.only_tokens = true;
    seen.noise = noise;
    return look(std::move(seen)).change.has_value();
  };
  EXPECT_FALSE(second("read 18 times", Noise::twins_agree));
  for (int i = 1; i < 10; ++i) EXPECT_FALSE(second("read 19 times")) << i;
  EXPECT_FALSE(second("read 20 times")) << "it has not stayed";
  for (int i = 1; i < 10; ++i) EXPECT_FALSE(second("read 20 times")) << i;
  EXPECT_TRUE(second("read 20 times"));
  moment_.now += 10s;
  moment_.wall += 10s;
  EXPECT_TRUE(second("read 21 times")) << "polls that lie further apart see what stays";
}

TEST_F(LookedInto, a_selector_that_matches_nothing_is_no_change_and_no_error) {
  (void)look(text("one"));
  Look lost;
  lost.failure = extract::Failure{extract::Failure::Kind::selector, "select matches nothing"};
  Outcome outcome = look(std::move(lost));
  EXPECT_EQ(outcome.verdict, Verdict::withheld);
  EXPECT_EQ(page_.health, Health::selector);
  EXPECT_EQ(page_.error_streak, 0);
  EXPECT_EQ(health_reason(page_, ""), "select matches nothing");
  outcome = look(text("one"));
  EXPECT_EQ(outcome.verdict, Verdict::same) << "the history was kept";
  EXPECT_EQ(page_.health, Health::ok);
}

TEST_F(LookedInto, a_wall_in_which_a_selector_matches_nothing_is_suspect_until_it_goes) {
  (void)look(text("one"));
  const auto lost = [](bool wall) {
    Look look;
    look.failure = extract::Failure{extract::Failure::Kind::selector, "select matches nothing"};
    if (wall) look.suspicion = extract::Suspicion::login;
    return look;
  };
  EXPECT_EQ(look(lost(true)).verdict, Verdict::withheld);
  EXPECT_EQ(page_.health, Health::suspect);
  EXPECT_EQ(health_reason(page_, ""), "login wall");
  const Outcome outcome = look(lost(false));
  ASSERT_EQ(outcome.suspicions.size(), 1u);
  EXPECT_TRUE(outcome.suspicions.front().reason.empty()) << "the wall has gone";
  EXPECT_EQ(page_.health, Health::selector) << "the selector is lost all the same";
  EXPECT_EQ(look(text("one")).verdict, Verdict::same);
  EXPECT_EQ(page_.health, Health::ok);
}

TEST_F(LookedInto, a_page_that_is_back_from_a_wall_with_news_that_waits_is_not_suspect) {
  (void)look(text("one"));
  Look wall = text("please log in");
  wall.suspicion = extract::Suspicion::login;
  (void)look(std::move(wall));
  EXPECT_EQ(page_.health, Health::suspect);
  flight_.put_off = 2;
  const Outcome outcome = look(text("two"));
  EXPECT_EQ(outcome.verdict, Verdict::noisy);
  EXPECT_EQ(page_.health, Health::ok);
  ASSERT_EQ(outcome.suspicions.size(), 1u);
  EXPECT_TRUE(outcome.suspicions.front().reason.empty());
  EXPECT_TRUE(look(text("two")).change);
}

// A host is asked once a day what it says of missing pages, and a restart forgets the answer.
TEST_F(LookedInto, what_was_not_believed_and_is_still_the_same_is_not_believed) {
  (void)look(text("one"));
  Look gone = text("sorry");
  gone.suspicion = extract::Suspicion::not_found;
  (void)look(std::move(gone));
  const std::string noise = noise_text(page_);
  page_.suspect_mark = 0;
  restore_noise(page_, noise);
  Look still = text("sorry");
  still.another = true;
  EXPECT_EQ(look(std::move(still)).verdict, Verdict::withheld);
  EXPECT_EQ(page_.health, Health::suspect);
  EXPECT_EQ(health_reason(page_, ""), "soft 404");
  EXPECT_TRUE(look(text("two")).change) << "something else may be";
  EXPECT_EQ(page_.suspect_mark, 0u);
}

TEST_F(LookedInto, new_rules_do_not_make_a_wall_the_page) {
  (void)look(text("one"));
  Look wall = text("please log in");
  wall.suspicion = extract::Suspicion::login;
  (void)look(std::move(wall));
  page_.forget_content();
  const auto shown = [&](const char* content, bool another) {
    Look seen = text(content);
    seen.another = another;
    return look(std::move(seen));
  };
  EXPECT_EQ(shown("log in", true).verdict, Verdict::withheld);
  EXPECT_EQ(page_.health, Health::suspect);
  EXPECT_FALSE(page_.has_hash);
  EXPECT_EQ(shown("one", false).verdict, Verdict::baseline);
  EXPECT_EQ(page_.health, Health::ok);
  EXPECT_EQ(shown("one", false).verdict, Verdict::same);
}

TEST_F(LookedInto,
       a_page_that_has_gone_when_its_rules_are_edited_is_seen_twice_before_it_is_the_base) {
  (void)look(text("one"));
  page_.forget_content();
  const auto shown = [&] {
    Look seen = text("sorry");
    seen.another = true;
    flight_.put_off = 2;
    return look(std::move(seen)).verdict;
  };
  EXPECT_EQ(shown(), Verdict::noisy);
  EXPECT_FALSE(page_.has_hash);
  EXPECT_EQ(shown(), Verdict::baseline) << "it was rewritten";
}

TEST_F(LookedInto, what_differs_from_poll_to_poll_is_not_believed_when_one_is_seen_twice_more) {
  (void)look(text("11 ms"));
  for (const char* took : {"9 ms", "8 ms", "12 ms"}) {
    flight_.put_off = Trust::often;
    EXPECT_EQ(look(text(took)).verdict, Verdict::noisy) << took;
  }
  EXPECT_TRUE(page_.trust.wavers());
  int polls = 1;
  flight_.put_off = Trust::often;
  while (look(text("12 ms")).verdict == Verdict::noisy) ++polls;
  EXPECT_EQ(polls, 5) << "and what the first poll saw";
}

TEST_F(LookedInto, news_that_waits_for_another_look_says_until_when) {
  (void)look(text("one"));
  EXPECT_EQ(health_reason(page_, ""), "");
  flight_.put_off = Trust::often;
  EXPECT_EQ(look(text("two")).verdict, Verdict::noisy);
  const std::string reason = health_reason(page_, "");
  EXPECT_EQ(page_.health, Health::ok);
  EXPECT_NE(reason.find("since " + format_time(page_.undecided_since)), std::string::npos)
      << reason;
  EXPECT_NE(reason.find(format_time(page_.undecided_since + std::chrono::minutes(10))),
            std::string::npos)
      << reason;
  flight_.put_off = 0;
  EXPECT_TRUE(look(text("two")).change);
  EXPECT_EQ(health_reason(page_, ""), "");
}

TEST_F(LookedInto, a_program_that_fails_is_an_error) {
  Look failed;
  failed.failure = extract::Failure{extract::Failure::Kind::program, "pipe: exit status 1"};
  const Outcome outcome = look(std::move(failed));
  EXPECT_EQ(outcome.verdict, Verdict::unknown);
  EXPECT_EQ(outcome.error, "content: pipe: exit status 1");
  EXPECT_EQ(page_.health, Health::failing);
}

TEST_F(LookedInto, leaving_a_login_wall_is_no_change) {
  (void)look(text("one"));
  Look wall = text("log in");
  wall.suspicion = extract::Suspicion::login;
  Outcome outcome = look(std::move(wall));
  EXPECT_EQ(outcome.verdict, Verdict::withheld);
  EXPECT_FALSE(outcome.change);
  EXPECT_FALSE(outcome.feedback);
  EXPECT_EQ(page_.health, Health::suspect);
  ASSERT_EQ(outcome.suspicions.size(), 1u);
  outcome = look(text("one"));
  EXPECT_EQ(outcome.verdict, Verdict::same);
  ASSERT_EQ(outcome.suspicions.size(), 1u);
  EXPECT_TRUE(outcome.suspicions[0].reason.empty()) << "it ends";
  EXPECT_EQ(page_.health, Health::ok);
}

TEST_F(LookedInto, a_page_that_stays_short_for_a_day_is_believed) {
  (void)look(text("a long text"));
  Look collapsed = text("short");
  collapsed.suspicion = extract::Suspicion::collapse;
  EXPECT_EQ(look(std::move(collapsed)).verdict, Verdict::withheld);
  moment_.wall += 25h;
  collapsed = text("short");
  collapsed.suspicion = extract::Suspicion::collapse;
  EXPECT_EQ(look(std::move(collapsed)).verdict, Verdict::changed);
}

TEST_F(LookedInto, noise_that_nothing_explains_is_told_once_a_day_and_teaches_nothing) {
  (void)look(text("one"));
  flight_.look = LookReason::twin;
  Look noise = text("two");
  noise.noise = Noise::unexplained;
  Outcome outcome = look(std::move(noise));
  EXPECT_EQ(outcome.verdict, Verdict::noisy);
  EXPECT_EQ(page_.health, Health::noisy);
  flight_.look = LookReason::poll;
  EXPECT_FALSE(look(text("three")).change);
  moment_.wall += 25h;
  outcome = look(text("four"));
  ASSERT_TRUE(outcome.change);
  EXPECT_FALSE(outcome.feedback->changed);
  EXPECT_FALSE(look(text("five")).change);
}

TEST_F(LookedInto, what_looks_have_left_open_the_next_polls_tell) {
  (void)look(text("one"));
  flight_.look = LookReason::confirm;
  Look open = text("two");
  open.noise = Noise::perhaps;
  EXPECT_EQ(look(std::move(open)).verdict, Verdict::noisy);
  EXPECT_EQ(page_.hash, hash_of("one")) << "the base stays";
  EXPECT_EQ(page_.health, Health::ok);
  flight_.look = LookReason::poll;
  flight_.put_off = Trust::often;  // nobody could look again
  EXPECT_EQ(look(text("two")).verdict, Verdict::noisy);
  EXPECT_TRUE(look(text("two")).change) << "the third time";
}

TEST_F(LookedInto, a_noisy_page_that_shows_the_same_for_long_is_none_any_more) {
  (void)look(text("one"));
  flight_.look = LookReason::confirm;
  Look noise = text("two");
  noise.noise = Noise::unexplained;
  (void)look(std::move(noise));
  ASSERT_EQ(page_.health, Health::noisy);
  flight_.look = LookReason::poll;
  for (int poll = 1; poll < Trust::calm; ++poll) {
    EXPECT_FALSE(look(text("three")).change) << poll;
    EXPECT_EQ(page_.health, Health::noisy);
  }
  EXPECT_TRUE(look(text("three")).change);
  EXPECT_EQ(page_.health, Health::ok);
}

TEST_F(LookedInto, masks_make_a_page_what_it_was) {
  (void)look(text("token 1"));
  Look masked = text("token *");
  masked.noise = Noise::masked;
  masked.same = true;
  masked.new_masks = {{extract::TokenKind::number, {"token"}, {}}};
  const Outcome outcome = look(std::move(masked));
  EXPECT_EQ(outcome.verdict, Verdict::same);
  ASSERT_EQ(outcome.masks.size(), 1u);
  EXPECT_EQ(page_.hash, hash_of("token *"));
  EXPECT_TRUE(outcome.version);
  EXPECT_EQ(page_.health, Health::masked);
}

TEST_F(LookedInto, places_that_are_set_aside_are_no_change_and_news_beside_them_is) {
  (void)look(text("ad 70 % and words"));
  Look aside = text("‹lines› and words");
  aside.noise = Noise::masked;
  aside.same = aside.aside = aside.newly_aside = true;
  flight_.look = LookReason::confirm;
  EXPECT_FALSE(look(std::move(aside)).change);
  EXPECT_TRUE(page_.aside);
  EXPECT_EQ(page_.hash, hash_of("‹lines› and words"));
  EXPECT_EQ(page_.health, Health::masked);
  EXPECT_NE(health_reason(page_, "").find("set aside"), std::string::npos);
  flight_.look = LookReason::poll;
  Look news = text("‹lines› and other words");
  news.aside = true;
  EXPECT_TRUE(look(std::move(news)).change);
  EXPECT_TRUE(page_.aside);
  EXPECT_TRUE(look(text("words without a place")).change);
  EXPECT_FALSE(page_.aside);
}

TEST_F(LookedInto, bytes_that_nobody_reads_are_told_by_their_number) {
  Look bytes = text("one");
  bytes.readable = false;
  (void)look(std::move(bytes));
  Look others = text("two");
  others.readable = false;
  const Outcome outcome = look(std::move(others));
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(outcome.change->summary, "binary content, other 100 bytes");
}

// Rows of 0.1.0 know the bytes alone.
TEST_F(LookedInto, bytes_of_an_earlier_version_make_a_baseline_or_where_they_count_a_change) {
  page_.has_body_hash = true;
  page_.body_hash = hash_of("old bytes");
  Outcome outcome = look(text("one"));
  EXPECT_EQ(outcome.verdict, Verdict::baseline);
  EXPECT_TRUE(outcome.rebaselined);
  PageRecord raw;
  raw.id = PageId{2};
  raw.url = "http://a.test/raw";
  raw.has_body_hash = true;
  raw.body_hash = hash_of("old bytes");
  std::swap(page_, raw);
  EXPECT_EQ(content("new bytes").verdict, Verdict::changed);
}

}  // namespace
}  // namespace pollux::engine
