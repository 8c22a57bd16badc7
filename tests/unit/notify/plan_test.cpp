#include "pollux/notify/plan.hpp"

#include "pollux/notify/quiet_hours.hpp"
#include "pollux/notify/rules.hpp"
#include "unit/notify/moments.hpp"

#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

namespace pollux::notify {
namespace {

using namespace std::chrono_literals;
using What = store::DeliveryChange::What;

// An outbox in memory that answers like the one in the database.
class MemoryOutbox {
 public:
  struct Entry {
    std::int64_t id = 0;
    WallTime at{};
    std::int64_t message = 0;
    std::int64_t attempts = 0;
    std::optional<WallTime> next_attempt_at = {}, sent_at = {};
    bool dead = false;
    bool waits() const { return !sent_at && !dead; }
  };
  void add(WallTime at) { entries_.push_back({.id = ++last_, .at = at}); }
  store::OutboxHead head(const store::OutboxQuery& query) const {
    store::OutboxHead head;
    for (const Entry& entry : entries_) {
      if (entry.sent_at && entry.id == entry.message && query.sent_since &&
          *entry.sent_at > *query.sent_since)
        head.sent.push_back(*entry.sent_at);
      if (!entry.waits()) continue;
      if (entry.message != 0 && !head.current)
        head.current = store::OutboxHead::Message{.id = entry.message,
                                                  .attempts = entry.attempts,
                                                  .next_attempt_at = entry.next_attempt_at};
      if (entry.message != 0 || head.waiting == query.most) continue;
      if (head.waiting++ == 0) {
        head.first = entry.id;
        head.oldest = entry.at;
      }
      head.last = entry.id;
    }
    std::ranges::sort(head.sent);
    return head;
  }
  void apply(const store::DeliveryChange& change) {
    for (Entry& entry : entries_) {
      if (!entry.waits()) continue;
      if (change.what == What::grouped) {
        if (entry.message == 0 && entry.id <= change.last) entry.message = change.message;
        continue;
      }
      if (entry.id != change.message && entry.message != change.message) continue;
      entry.message = change.message;
      ++entry.attempts;
      if (change.what == What::sent) entry.sent_at = change.at;
      if (change.what == What::failed) entry.next_attempt_at = change.next_attempt_at;
      if (change.what == What::dead) entry.dead = true;
    }
  }
  std::size_t count(std::int64_t message) const {
    return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const Entry& entry) {
      return entry.message == message || entry.id == message;
    }));
  }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  std::deque<Entry> entries_;
  std::int64_t last_ = 0;
};

struct Sent {
  WallTime at;
  std::size_t events;
};

// Goes from moment to moment as a courier does, which keeps nothing in memory: what is between two
// calls may be a restart.
class Telling {
 public:
  explicit Telling(Rule rule) : rule_(std::move(rule)) {}
  // All that is to be done up to that moment; `attempt`: what each one comes to.
  template <typename Try>
  std::vector<Sent> run(WallTime from, WallTime until, Try attempt) {
    std::vector<Sent> sent;
    WallTime now = from;
    for (int steps = 0; now <= until; ++steps) {
      EXPECT_LT(steps, 100'000) << "it goes round in circles";
      while (!coming_.empty() && coming_.front() <= now) {
        outbox_.add(coming_.front());
        coming_.pop_front();
      }
      const store::OutboxHead head = outbox_.head(question(rule_, now));
      const Step step = next_step(rule_, head, now);
      if (step.what == Step::What::wait) {
        WallTime next = until + 1ms;
        if (step.wake) next = std::min(next, std::max(*step.wake, now + 1ms));
        if (!coming_.empty()) next = std::min(next, coming_.front());
        now = next;
      } else if (step.what == Step::What::group) {
        outbox_.apply({.what = What::grouped, .message = step.message, .last = step.last});
      } else {
        const Attempt came_to = attempt(now);
        Sending sending{.newest = newest(step.message)};
        if (head.current) sending.attempts = head.current->attempts;
        const store::DeliveryChange change =
            after(rule_, step.message, sending, came_to, now, rng_);
        outbox_.apply(change);
        if (came_to.delivered) sent.push_back({now, outbox_.count(step.message)});
      }
    }
    return sent;
  }
  std::vector<Sent> run(WallTime from, WallTime until) {
    return run(from, until, [](WallTime) { return Attempt{.delivered = true}; });
  }
  void event(WallTime at) { coming_.push_back(at); }
  const MemoryOutbox& outbox() const { return outbox_; }

 private:
  WallTime newest(std::int64_t message) const {
    WallTime last{};
    for (const auto& entry : outbox_.entries()) {
      if (entry.id == message || entry.message == message) last = std::max(last, entry.at);
    }
    return last;
  }
  Rule rule_;
  MemoryOutbox outbox_;
  std::deque<WallTime> coming_;
  Rng rng_{7};
};

const Quiet berlin_night{.from = 22 * 60, .to = 7 * 60, .zone = "Europe/Berlin"};

TEST(Plan, without_digest_quiet_or_limit_each_event_goes_at_once) {
  Telling telling(Rule{.name = "r"});
  for (int i = 0; i < 10; ++i) telling.event(moment("2026-03-01T12:00:00Z") + i * 1s);
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-01T13:00:00Z"));
  ASSERT_EQ(sent.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(sent[i].at, moment("2026-03-01T12:00:00Z") + std::chrono::seconds(i));
    EXPECT_EQ(sent[i].events, 1u);
  }
}

TEST(Plan, a_digest_gathers_from_its_first_event_on) {
  Telling telling(Rule{.name = "r", .digest = 1h});
  telling.event(moment("2026-03-01T12:10:00Z"));
  telling.event(moment("2026-03-01T12:20:00Z"));
  telling.event(moment("2026-03-01T13:09:59Z"));
  telling.event(moment("2026-03-01T13:30:00Z"));
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-02T12:00:00Z"));
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].at, moment("2026-03-01T13:10:00Z"));
  EXPECT_EQ(sent[0].events, 3u);
  EXPECT_EQ(sent[1].at, moment("2026-03-01T14:30:00Z"));
  EXPECT_EQ(sent[1].events, 1u);
}

TEST(Plan, a_restart_does_not_begin_a_digest_anew) {
  Telling telling(Rule{.name = "r", .digest = 1h});
  telling.event(moment("2026-03-01T12:00:00Z"));
  EXPECT_TRUE(telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-01T12:40:00Z")).empty());
  const auto sent = telling.run(moment("2026-03-01T12:50:00Z"), moment("2026-03-01T14:00:00Z"));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].at, moment("2026-03-01T13:00:00Z"));
}

TEST(Plan, quiet_hours_hold_back_and_send_together_when_they_end) {
  Telling telling(Rule{.name = "r", .quiet = berlin_night});
  telling.event(moment("2026-01-15T20:59:00Z"));  // 21:59
  telling.event(moment("2026-01-15T21:01:00Z"));  // 22:01
  telling.event(moment("2026-01-16T02:00:00Z"));
  telling.event(moment("2026-01-16T05:59:00Z"));  // 06:59
  telling.event(moment("2026-01-16T06:01:00Z"));  // 07:01
  const auto sent = telling.run(moment("2026-01-15T20:00:00Z"), moment("2026-01-16T20:00:00Z"));
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].at, moment("2026-01-15T20:59:00Z"));
  EXPECT_EQ(sent[1].at, moment("2026-01-16T06:00:00Z"));
  EXPECT_EQ(sent[1].events, 3u);
  EXPECT_EQ(sent[2].at, moment("2026-01-16T06:01:00Z"));
}

// In 2026 Berlin's clocks go from 02:00 to 03:00 on 29 March and from 03:00 to 02:00 on 25 October.
TEST(Plan, quiet_hours_follow_the_clock_when_daylight_saving_begins_and_ends) {
  Telling spring(Rule{.name = "r", .quiet = berlin_night});
  spring.event(moment("2026-03-28T23:00:00Z"));
  auto sent = spring.run(moment("2026-03-28T22:00:00Z"), moment("2026-03-30T00:00:00Z"));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].at, moment("2026-03-29T05:00:00Z")) << "07:00 summer time";

  Telling autumn(Rule{.name = "r", .quiet = berlin_night});
  autumn.event(moment("2026-10-24T23:00:00Z"));
  sent = autumn.run(moment("2026-10-24T22:30:00Z"), moment("2026-10-26T00:00:00Z"));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].at, moment("2026-10-25T06:00:00Z")) << "07:00 winter time";
}

TEST(Plan, a_digest_in_the_night_of_a_change_of_clocks_goes_when_the_night_is_over_also_restarted) {
  Telling telling(Rule{.name = "r", .digest = 1h, .quiet = berlin_night});
  telling.event(moment("2026-10-24T19:30:00Z"));  // 21:30, its hour ends at night
  telling.event(moment("2026-10-25T01:30:00Z"));
  EXPECT_TRUE(telling.run(moment("2026-10-24T19:00:00Z"), moment("2026-10-25T02:00:00Z")).empty());
  const auto sent = telling.run(moment("2026-10-25T03:00:00Z"), moment("2026-10-25T12:00:00Z"));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].at, moment("2026-10-25T06:00:00Z"));
  EXPECT_EQ(sent[0].events, 2u);
}

TEST(Plan, what_is_over_the_limit_goes_into_one_summary) {
  Telling telling(Rule{.name = "r", .limit = Limit{.messages = 3, .within = 1h}});
  for (int i = 0; i < 10; ++i) telling.event(moment("2026-03-01T12:00:00Z") + i * 1s);
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-01T18:00:00Z"));
  ASSERT_EQ(sent.size(), 4u);
  EXPECT_EQ(sent[3].at, moment("2026-03-01T13:00:00Z"));
  EXPECT_EQ(sent[3].events, 7u);
}

TEST(Plan, a_flood_of_5000_changes_of_one_host_is_a_bounded_number_of_messages) {
  Telling telling(Rule{.name = "r", .limit = Limit{.messages = 20, .within = 1h}});
  for (int i = 0; i < 5000; ++i) telling.event(moment("2026-03-01T12:00:00Z") + i * 720ms);
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-01T20:00:00Z"));
  EXPECT_LE(sent.size(), 41u);
  std::size_t told = 0;
  for (const Sent& message : sent) {
    told += message.events;
    const auto within = std::ranges::count_if(sent, [&](const Sent& other) {
      return other.at >= message.at && other.at < message.at + 1h;
    });
    EXPECT_LE(within, 20);
  }
  EXPECT_EQ(told, 5000u) << "none is lost";
}

TEST(Plan, a_restart_does_not_forget_what_the_limit_has_counted) {
  Telling telling(Rule{.name = "r", .limit = Limit{.messages = 2, .within = 1h}});
  for (int i = 0; i < 4; ++i) telling.event(moment("2026-03-01T12:00:00Z") + i * 1min);
  EXPECT_EQ(telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-01T12:10:00Z")).size(), 2u);
  EXPECT_TRUE(telling.run(moment("2026-03-01T12:30:00Z"), moment("2026-03-01T12:50:00Z")).empty());
  const auto sent = telling.run(moment("2026-03-01T12:55:00Z"), moment("2026-03-01T14:00:00Z"));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].events, 2u);
}

TEST(Plan, a_receiver_that_fails_is_tried_less_and_less_often_and_nobody_overtakes) {
  Telling telling(Rule{.name = "r"});
  telling.event(moment("2026-03-01T12:00:00Z"));
  telling.event(moment("2026-03-01T12:00:01Z"));
  std::vector<WallTime> attempts;
  const WallTime works_from = moment("2026-03-01T15:00:00Z");
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-02T12:00:00Z"),
                                [&](WallTime now) -> Attempt {
                                  attempts.push_back(now);
                                  if (now < works_from) return {.error = "HTTP 500"};
                                  return {.delivered = true};
                                });
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_LT(attempts.size(), 25u);
  for (std::size_t i = 2; i + 3 < attempts.size(); ++i)
    EXPECT_GE(attempts[i + 1] - attempts[i], 500ms * (1 << std::min<std::size_t>(i, 11)) / 2);
  EXPECT_LT(sent[0].at, works_from + 61min) << "an hour at most between two attempts";
}

TEST(Plan, after_three_days_a_message_is_given_up_and_the_next_has_its_chance) {
  Telling telling(Rule{.name = "r"});
  telling.event(moment("2026-03-01T12:00:00Z"));
  telling.event(moment("2026-03-04T10:00:00Z"));
  const auto sent = telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-05T00:00:00Z"),
                                [&](WallTime now) -> Attempt {
                                  if (now < moment("2026-03-04T14:00:00Z")) return {.error = "no"};
                                  return {.delivered = true};
                                });
  EXPECT_TRUE(telling.outbox().entries().front().dead);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_LT(sent[0].at, moment("2026-03-04T15:01:00Z"));
}

TEST(Plan, messages_that_waited_for_days_behind_others_do_not_wait_three_days_each) {
  Telling telling(Rule{.name = "r"});
  for (int i = 0; i < 100; ++i) telling.event(moment("2026-03-01T12:00:00Z") + i * 1s);
  telling.run(moment("2026-03-01T12:00:00Z"), moment("2026-03-05T00:00:00Z"),
              [](WallTime) -> Attempt { return {.error = "no"}; });
  EXPECT_TRUE(std::ranges::all_of(telling.outbox().entries(),
                                  [](const auto& entry) { return entry.dead; }));
}

TEST(Plan, what_a_receiver_asks_to_wait_for_is_waited_for) {
  Rng rng(1);
  const WallTime now = moment("2026-03-01T12:00:00Z");
  const auto change =
      after(Rule{.name = "r"}, 1, {.newest = now},
            {.error = "HTTP 429", .retry_after = std::chrono::seconds(120)}, now, rng);
  EXPECT_EQ(change.what, What::failed);
  EXPECT_GE(*change.next_attempt_at, now + 120s);
  EXPECT_LT(*change.next_attempt_at, now + 121s);
}

TEST(Plan, what_will_never_be_taken_and_what_was_retried_by_hand_is_given_up_at_once) {
  Rng rng(1);
  const WallTime now = moment("2026-03-01T12:00:00Z");
  EXPECT_EQ(after(Rule{.name = "r"}, 1, {.newest = now}, {.error = "HTTP 410", .hopeless = true},
                  now, rng)
                .what,
            What::dead);
  EXPECT_EQ(
      after(Rule{.name = "r"}, 1, {.newest = now, .by_hand = true}, {.error = "no"}, now, rng).what,
      What::dead);
}

TEST(Plan, what_is_retried_by_hand_goes_in_quiet_hours_too) {
  store::OutboxHead head;
  const WallTime night = moment("2026-01-16T02:00:00Z");
  head.current = {.id = 3, .next_attempt_at = night, .by_hand = true};
  EXPECT_EQ(next_step(Rule{.name = "r", .quiet = berlin_night}, head, night).what,
            Step::What::send);
  head.current->by_hand = false;
  EXPECT_EQ(next_step(Rule{.name = "r", .quiet = berlin_night}, head, night).wake,
            moment("2026-01-16T06:00:00Z"));
}

TEST(Plan, a_clock_that_was_set_back_makes_nobody_wait_for_long) {
  store::OutboxHead head;
  const WallTime now = moment("2026-03-01T12:00:00Z");
  head.current = {.id = 3, .attempts = 1, .next_attempt_at = now + 24h * 365};
  EXPECT_EQ(next_step(Rule{.name = "r"}, head, now).what, Step::What::send);
  head.current.reset();
  head.waiting = 1;
  head.first = head.last = 4;
  head.oldest = now + 24h * 365;
  EXPECT_EQ(next_step(Rule{.name = "r", .digest = 1h}, head, now).wake, now + 1h);
}

}  // namespace
}  // namespace pollux::notify
