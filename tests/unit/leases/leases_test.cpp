#include "pollux/leases/leases.hpp"

#include "pollux/base/rng.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "pollux/bus/memory.hpp"
#include "unit/leases/wire.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::leases {
namespace {

using namespace std::chrono_literals;
constexpr double no_end = std::numeric_limits<double>::infinity();

TEST(Division, is_by_weight_and_nobody_gets_more_than_he_could_use) {
  EXPECT_EQ(divide(100, {{1}, {3}}), (std::vector<double>{25, 75}));
  EXPECT_EQ(divide(100, {{1, 10}, {1}, {2}}), (std::vector<double>{10, 30, 60}));
  EXPECT_EQ(divide(100, {{1, 10}, {1, 20}}), (std::vector<double>{10, 20}));
  EXPECT_EQ(divide(100, {{0}, {1}}), (std::vector<double>{0, 100}));
  EXPECT_EQ(divide(100, {{0}}), std::vector<double>{0});
  EXPECT_TRUE(divide(100, {}).empty());
}

class Leases : public testing::Test {
 protected:
  // Asks until there is a grant, at once.
  static double settle(Granter& granter, Holder& holder, const std::string& name, Instant now,
                       const Claim& claim = {}) {
    for (int i = 0; i < 4; ++i) {
      const auto grant = granter.answer(name, holder.ask(claim, now), now);
      if (!grant || holder.take(*grant, now) != Holder::Took::ask_again) break;
    }
    return holder.rate(now);
  }
  Instant now_{1h};
  Granter granter_{{.ceiling = 100, .lasts = 10s}, 1, now_, Granter::First::yes};
  Holder a_{now_}, b_{now_};
};

TEST_F(Leases, a_lease_ends_by_the_holders_clock_from_before_it_asked) {
  a_.take(*granter_.answer("a", a_.ask({}, now_), now_), now_);
  const Ask ask = a_.ask({}, now_);
  const auto grant = granter_.answer("a", ask, now_ + 3s);
  ASSERT_TRUE(grant);
  EXPECT_EQ(a_.take(*grant, now_ + 4s), Holder::Took::yes);
  EXPECT_EQ(a_.rate(now_ + 4s), 100);
  EXPECT_EQ(a_.ends(), now_ + 10s);
  EXPECT_EQ(a_.rate(now_ + 10s), 0);
  EXPECT_EQ(a_.next_allowed(now_ + 10s), Holder::never);
  EXPECT_EQ(granter_.promised(now_ + 13s), 100);
  EXPECT_EQ(granter_.promised(now_ + 13s + 101ms), 0);
}

TEST_F(Leases, a_grant_that_comes_after_its_end_is_refused) {
  settle(granter_, a_, "a", now_, {.most = 1});
  const auto grant = granter_.answer("a", a_.ask({}, now_), now_);
  EXPECT_EQ(a_.take(*grant, now_ + 10s), Holder::Took::no);
}

TEST_F(Leases, a_part_moves_only_when_its_holder_obeys_the_smaller_grant) {
  EXPECT_EQ(settle(granter_, a_, "a", now_), 100);
  EXPECT_EQ(settle(granter_, b_, "b", now_), 0);
  const auto smaller = granter_.answer("a", a_.ask({}, now_ + 1s), now_ + 1s);
  EXPECT_EQ(smaller->rate, 50);
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 2s), 0) << "a may not have heard of it";
  EXPECT_EQ(a_.take(*smaller, now_ + 2s), Holder::Took::ask_again);
  EXPECT_EQ(granter_.answer("a", a_.ask({}, now_ + 2s), now_ + 2s)->rate, 50);
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 2s), 0) << "what left just now may be on its way";
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 2s + 101ms), 50);
}

TEST_F(Leases, what_was_granted_to_somebody_lost_is_free_after_its_end) {
  EXPECT_EQ(settle(granter_, a_, "a", now_), 100);
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 10s), 0);
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 10s + 100ms), 100);
}

TEST_F(Leases, who_leaves_frees_his_part_at_once) {
  EXPECT_EQ(settle(granter_, a_, "a", now_), 100);
  EXPECT_FALSE(granter_.answer("a", a_.leave(now_), now_));
  EXPECT_EQ(a_.rate(now_), 0);
  EXPECT_EQ(settle(granter_, b_, "b", now_ + 100ms), 100);
}

TEST_F(Leases, repeated_and_late_asks_change_nothing) {
  settle(granter_, a_, "a", now_);
  const Ask early = a_.ask({}, now_);
  const Ask late = a_.ask({}, now_);
  EXPECT_TRUE(granter_.answer("a", late, now_));
  EXPECT_FALSE(granter_.answer("a", late, now_));
  EXPECT_FALSE(granter_.answer("a", early, now_));
}

TEST_F(Leases, nonsense_is_not_answered) {
  Ask ask;
  ask.id = 5;
  ask.knows = 1;
  for (const double bad : {-1.0, std::nan(""), no_end}) {
    ask.weight = bad;
    EXPECT_FALSE(granter_.answer("a", ask, now_));
  }
  ask.weight = 1;
  ask.most = -1;
  EXPECT_FALSE(granter_.answer("a", ask, now_));
}

TEST_F(Leases, a_new_granter_renews_what_is_held_and_raises_nothing_for_one_length) {
  settle(granter_, a_, "a", now_, {.most = 30});
  Granter next({.ceiling = 100, .lasts = 10s}, 2, now_ + 1s);
  EXPECT_EQ(settle(next, a_, "a", now_ + 1s), 30);
  EXPECT_EQ(settle(next, b_, "b", now_ + 1s), 0);
  EXPECT_EQ(settle(next, a_, "a", now_ + 10s), 30);
  EXPECT_EQ(settle(next, b_, "b", now_ + 11s + 101ms), 50);
}

TEST_F(Leases, a_new_granter_believes_nothing_that_was_said_before_it_was_known) {
  settle(granter_, a_, "a", now_);
  const Ask on_its_way = a_.ask({}, now_ + 1s);
  Granter next({.ceiling = 100, .lasts = 10s}, 2, now_ + 9s);
  const auto grant = next.answer("a", on_its_way, now_ + 9s);
  ASSERT_TRUE(grant);
  EXPECT_TRUE(grant->hello);
  EXPECT_EQ(next.promised(now_ + 9s), 0);
  EXPECT_EQ(a_.take(*grant, now_ + 9s), Holder::Took::ask_again);
  EXPECT_EQ(a_.rate(now_ + 9s), 100) << "a greeting ends no lease";
}

TEST_F(Leases, a_granter_of_the_past_is_refused_and_stops) {
  settle(granter_, a_, "a", now_);
  const auto old = granter_.answer("a", a_.ask({}, now_), now_);
  Granter next({.ceiling = 100, .lasts = 10s}, 2, now_);
  EXPECT_EQ(settle(next, a_, "a", now_), 100);
  EXPECT_EQ(a_.take(*old, now_), Holder::Took::no);
  EXPECT_FALSE(granter_.answer("a", a_.ask({}, now_), now_));
  EXPECT_EQ(granter_.superseded(), 2u);
  EXPECT_FALSE(granter_.answer("b", b_.ask({}, now_), now_));
}

// Both sides over a bus, with all that may happen to them.
class Town {
 public:
  static constexpr double ceiling = 60;
  static constexpr Duration lasts = 8s;

  Town(std::uint64_t seed, int holders, bool rough)
      : rng_(seed), rough_(rough), hub_(clock_, {.seed = seed}) {
    replace_granter();
    for (int i = 0; i < holders; ++i) add_holder(i);
    if (rough_) weather();
  }
  void run(Duration how_long) { loop_.run_until(clock_.now() + how_long); }

  // The most that left within one second, over everybody.
  std::size_t most_in_a_second() const {
    std::size_t most = 0, first = 0;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      while (sent_[i] - sent_[first] >= 1s) ++first;
      most = std::max(most, i - first + 1);
    }
    return most;
  }
  std::size_t sent() const { return sent_.size(); }
  double most_promised() const { return most_promised_; }

 private:
  struct Asker {
    std::string name;
    std::unique_ptr<bus::Bus> bus;
    std::unique_ptr<bus::Subscription> answers;
    Holder holder;
    std::unique_ptr<Timer> ask, send;
    Instant frozen_until{};
    Claim claim;
  };

  // The one before does not grant any more, but what it said may still be on its way.
  void replace_granter() {
    ++epoch_;
    granter_bus_ = hub_.join(loop_, "granter" + std::to_string(epoch_));
    granter_.emplace(GranterOptions{.ceiling = ceiling, .lasts = lasts}, epoch_, clock_.now(),
                     epoch_ == 1 ? Granter::First::yes : Granter::First::no);
    asks_ = granter_bus_->subscribe("ask.*", [this](const bus::Message& message) {
      const auto grant = granter_->answer(message.subject, ask_of(message.payload), clock_.now());
      most_promised_ = std::max(most_promised_, granter_->promised(clock_.now()));
      if (grant) granter_bus_->publish("grant." + message.subject, text(*grant));
    });
  }
  void add_holder(int index) {
    auto made = std::make_unique<Asker>(Asker{"h" + std::to_string(index),
                                              nullptr,
                                              nullptr,
                                              Holder(clock_.now()),
                                              loop_.make_timer(),
                                              loop_.make_timer(),
                                              {},
                                              {}});
    Asker& asker = *made;
    asker.bus = hub_.join(loop_, asker.name);
    asker.answers = asker.bus->subscribe(
        "grant.ask." + asker.name, [this, &asker](const bus::Message& message) {
          const auto took = asker.holder.take(grant_of(message.payload), clock_.now());
          if (took == Holder::Took::ask_again) ask(asker);
          if (took != Holder::Took::no) send(asker);
        });
    askers_.push_back(std::move(made));
    asker.ask->arm(clock_.now() + Duration(rng_.below(1'000'000)), [this, &asker] { ask(asker); });
  }
  void ask(Asker& asker) {
    if (thaws_later(asker, *asker.ask, [this, &asker] { ask(asker); })) return;
    asker.bus->publish("ask." + asker.name, text(asker.holder.ask(asker.claim, clock_.now())));
    asker.ask->arm(clock_.now() + 1s, [this, &asker] { ask(asker); });
  }
  void send(Asker& asker) {
    if (thaws_later(asker, *asker.send, [this, &asker] { send(asker); })) return;
    while (asker.holder.next_allowed(clock_.now()) <= clock_.now()) {
      asker.holder.take_one(clock_.now());
      sent_.push_back(clock_.now());
    }
    const Instant next = asker.holder.next_allowed(clock_.now());
    if (next == Holder::never) return;
    // As late as an ordinary timer.
    asker.send->arm(next + Duration(rng_.below(3000)), [this, &asker] { send(asker); });
  }
  bool thaws_later(Asker& asker, Timer& timer, std::function<void()> then) {
    if (clock_.now() >= asker.frozen_until) return false;
    timer.arm(asker.frozen_until, std::move(then));
    return true;
  }
  void weather() {
    for (const auto& asker : askers_) {
      asker->claim.weight = 0.1 + rng_.uniform() * 4;
      bus::Line line{.delay = Duration(rng_.below(400'000)),
                     .jitter = Duration(rng_.below(800'000))};
      line.lost = rng_.chance(0.5) ? rng_.uniform() * 0.8 : 0;
      line.twice = rng_.uniform() * 0.5;
      line.cut_off = rng_.chance(0.1);
      if (rng_.chance(0.15)) {
        asker->frozen_until = clock_.now() + Duration(rng_.below(15'000'000));
        line.held = true;
      }
      if (clock_.now() < asker->frozen_until) line.held = true;
      hub_.set_line(asker->name, line);
    }
    if (rng_.chance(0.1)) replace_granter();
    weather_->arm(clock_.now() + Duration(rng_.below(4'000'000)), [this] { weather(); });
  }

  Rng rng_;
  bool rough_;
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  bus::MemoryHub hub_;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<bus::Bus> granter_bus_;
  std::optional<Granter> granter_;
  std::unique_ptr<bus::Subscription> asks_;
  std::vector<std::unique_ptr<Asker>> askers_;
  std::unique_ptr<Timer> weather_ = loop_.make_timer();
  std::vector<Instant> sent_;
  double most_promised_ = 0;
};

TEST(LeasesProperty, nearly_all_of_the_ceiling_is_used_when_nothing_fails) {
  Town town(1, 5, false);
  town.run(20s);
  const std::size_t begun = town.sent();
  town.run(100s);
  EXPECT_GE(town.sent() - begun, 0.97 * 100 * Town::ceiling);
  EXPECT_LE(town.most_in_a_second(), Town::ceiling + 5);
}

TEST(LeasesProperty, no_second_has_more_than_the_ceiling_and_one_for_each_holder) {
  const char* given = std::getenv("POLLUX_SEED");
  const std::uint64_t first = given ? std::strtoull(given, nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < (given ? first + 1 : 200); ++seed) {
    const int holders = 1 + static_cast<int>(seed % 7);
    Town town(seed, holders, true);
    town.run(5min);
    ASSERT_LE(town.most_in_a_second(), Town::ceiling + holders) << "seed " << seed;
    ASSERT_LE(town.most_promised(), Town::ceiling * 1.000001) << "seed " << seed;
    ASSERT_GT(town.sent(), 100u) << "seed " << seed << ": this shows nothing";
  }
}

}  // namespace
}  // namespace pollux::leases
