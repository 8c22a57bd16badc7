// Brains that share a budget, on a virtual clock and a bus that fails.
#include "pollux/brains/member.hpp"

#include "brains/messages.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "pollux/bus/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::brains {
namespace {

using namespace std::chrono_literals;

constexpr double budget = 60;

// A brain, and an engine that sends as fast as it may.
class Brain {
 public:
  Brain(VirtualLoop& loop, const ManualClock& clock, bus::MemoryHub& hub, std::string called,
        std::uint64_t seed, double rate, std::vector<Instant>& sent)
      : name(std::move(called)),
        bus_(hub.join(loop, name)),
        clock_(clock),
        rng_(seed),
        changing_(rate * pages),
        sent_(sent),
        pace_(1, clock.now()),
        timer_(loop.make_timer()) {
    Options options;
    options.name = name;
    options.budget = budget;
    member.emplace(*bus_, loop, clock, options, seed,
                   Member::Callbacks{[this] { return figures(); },
                                     [this](double now, Instant ends) { obey(now, ends); }});
  }
  double rate() const { return clock_.now() < ends_ ? rate_ : 0; }
  std::size_t sent() const { return count_; }

  static constexpr std::uint64_t pages = 1000;
  const std::string name;

 private:
  std::unique_ptr<bus::Bus> bus_;

 public:
  std::optional<Member> member;  // ends before its bus

 private:
  Figures figures() const {
    Figures figures;
    figures.pages = pages;
    const double y = changing_ / std::max(rate(), 1e-9);
    figures.marginal_value = 1 - (1 + y) * std::exp(-y);
    return figures;
  }
  void obey(double rate, Instant ends) {
    rate_ = rate;
    ends_ = ends;
    if (rate > 0) pace_.set_rate(rate, clock_.now());
    send();
  }
  void send() {
    if (rate() <= 0) return;
    while (pace_.next_allowed() <= clock_.now()) {
      pace_.take(clock_.now());
      sent_.push_back(clock_.now());
      ++count_;
    }
    // As late as an ordinary timer; a rate of nearly nothing is as good as never.
    timer_->arm(std::min(pace_.next_allowed(), ends_) + Duration(rng_.below(2000)),
                [this] { send(); });
  }

  const ManualClock& clock_;
  Rng rng_;
  double changing_;
  std::vector<Instant>& sent_;
  schedule::Budget pace_;
  std::unique_ptr<Timer> timer_;
  double rate_ = 0;
  Instant ends_ = Instant::min();
  std::size_t count_ = 0;
};

class Brains : public testing::Test {
 protected:
  Brain& add(const std::string& name, double rate = 0.02) {
    all_.push_back(std::make_unique<Brain>(loop_, clock_, hub_, name, ++seed_, rate, sent_));
    return *all_.back();
  }
  // As a process that is killed: nothing is said.
  void kill(const std::string& name) {
    hub_.set_line(name, {.cut_off = true});
    std::erase_if(all_, [&](const auto& brain) { return brain->name == name; });
    hub_.set_line(name, {});
  }
  void run(Duration how_long) { loop_.run_until(clock_.now() + how_long); }
  double sum() const {
    double all = 0;
    for (const auto& brain : all_) all += brain->rate();
    return all;
  }
  std::string allocators() const {
    std::string names;
    for (const auto& brain : all_) {
      if (brain->member->allocates()) names += brain->name;
    }
    return names;
  }
  std::size_t most_in_a_second() const {
    std::size_t most = 0, first = 0;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      while (sent_[i] - sent_[first] >= 1s) ++first;
      most = std::max(most, i - first + 1);
    }
    return most;
  }

  ManualClock clock_;
  VirtualLoop loop_{clock_};
  bus::MemoryHub hub_{clock_};
  std::uint64_t seed_ = 0;
  std::vector<Instant> sent_;
  std::vector<std::unique_ptr<Brain>> all_;
};

TEST_F(Brains, one_of_them_allocates_and_all_of_the_budget_is_granted) {
  for (const char* name : {"a", "b", "c"}) add(name);
  run(15s);
  EXPECT_EQ(allocators().size(), 1u);
  EXPECT_EQ(sum(), 0) << "somebody may still hold a lease of the time before";
  run(30s);
  EXPECT_NEAR(sum(), budget, 0.01 * budget);
  EXPECT_EQ(all_[0]->member->brains().size(), 3u);
  EXPECT_EQ(all_[1]->member->allocator(), allocators());
  EXPECT_EQ(all_[1]->member->trouble(), "");
}

TEST_F(Brains, parts_follow_what_the_next_poll_is_worth) {
  add("a", 0.001);
  add("b", 0.004);
  add("c", 0.003);
  run(20min);
  // Of pages of one rate each: in the ratio of all that changes.
  EXPECT_NEAR(all_[0]->rate(), budget / 8, 0.1 * budget / 8);
  EXPECT_NEAR(all_[1]->rate(), budget / 2, 0.1 * budget / 2);
  EXPECT_LE(most_in_a_second(), budget + 3);
}

TEST_F(Brains, an_allocator_that_is_killed_is_succeeded_and_nobody_stops_polling) {
  for (const char* name : {"a", "b", "c"}) add(name);
  run(1min);
  const std::string first = allocators();
  kill(first);
  std::vector<std::size_t> before;
  for (int second = 0; second < 40; ++second) {
    before.clear();
    for (const auto& brain : all_) before.push_back(brain->sent());
    run(1s);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      EXPECT_GT(all_[i]->sent(), before[i]) << all_[i]->name << " after " << second << " s";
    }
  }
  EXPECT_EQ(allocators().size(), 1u);
  EXPECT_NE(allocators(), first);
  run(20s);
  EXPECT_NEAR(sum(), budget, 0.01 * budget) << "the part of the one that was killed is divided";
  add(first);
  run(1min);
  EXPECT_NEAR(sum(), budget, 0.01 * budget);
  EXPECT_GT(all_.back()->rate(), 0.1 * budget);
  EXPECT_LE(most_in_a_second(), budget + 4);
}

TEST_F(Brains, one_that_leaves_frees_its_part_at_once) {
  for (const char* name : {"a", "b"}) add(name);
  run(1min);
  all_.erase(all_.begin() + (all_[0]->member->allocates() ? 1 : 0));
  run(3s);
  EXPECT_NEAR(sum(), budget, 0.01 * budget);
}

TEST_F(Brains, one_that_is_cut_off_stops_by_the_end_of_its_lease) {
  for (const char* name : {"a", "b"}) add(name);
  run(1min);
  hub_.set_line("a", {.cut_off = true});
  run(20s);
  EXPECT_EQ(all_[0]->rate(), 0);
  EXPECT_NE(all_[0]->member->trouble(), "");
  run(40s);
  EXPECT_NEAR(all_[1]->rate(), budget, 0.01 * budget);
  hub_.set_line("a", {});
  run(1min);
  EXPECT_GT(all_[0]->rate(), 0.2 * budget);
  EXPECT_LE(most_in_a_second(), budget + 2);
}

TEST_F(Brains, a_name_that_is_used_twice_is_noticed) {
  add("a");
  add("a");
  run(5s);
  EXPECT_NE(all_[0]->member->trouble().find("another brain is called a"), std::string::npos);
  EXPECT_NE(all_[1]->member->trouble().find("another brain is called a"), std::string::npos);
}

TEST_F(Brains, a_bucket_that_is_lost_brings_a_higher_epoch) {
  for (const char* name : {"a", "b", "c"}) add(name);
  run(1min);
  const auto before = all_[0]->member->lease().knows();
  // All servers were restarted: what was in their memory is gone.
  auto outsider = hub_.join(loop_, "outsider");
  loop_.settle();
  outsider->remove("allocator", [](bool) {});
  run(1min);
  EXPECT_EQ(allocators().size(), 1u);
  EXPECT_GT(all_[0]->member->lease().knows(), before);
  EXPECT_NEAR(sum(), budget, 0.01 * budget);
  EXPECT_LE(most_in_a_second(), budget + 3);
}

// Everything that fails, for a quarter of an hour and many seeds.
// It speaks for itself only, but says what nobody can know.
TEST_F(Brains, one_that_invents_the_last_of_all_epochs_stops_nobody) {
  add("north");
  add("south");
  run(60s);
  ASSERT_NEAR(sum(), budget, 1);
  const auto liar = hub_.join(loop_, "liar");
  run(1s);
  AskMessage lie;
  lie.incarnation = "0123";
  for (const std::uint64_t epoch : {std::uint64_t{1} << 53, (std::uint64_t{1} << 53) - 1}) {
    lie.ask.id += 1;
    lie.ask.knows = epoch;
    liar->publish("px.b.liar.ask", text_of(lie));
    GrantMessage grant{"0123", {}};
    grant.grant.epoch = epoch;
    liar->publish("px.b.north.grant", text_of(grant));
  }
  run(120s);
  EXPECT_NEAR(sum(), budget, 1);
}

TEST_F(Brains, a_claim_of_the_last_of_all_epochs_in_the_bucket_ends_by_itself) {
  add("north");
  run(60s);
  const auto liar = hub_.join(loop_, "liar");
  run(1s);
  liar->remove("allocator", [](bool) {});
  run(1ms);
  bool written = false;
  liar->create("allocator", "9007199254740992 liar 0123",
               [&](bus::Wrote wrote, std::uint64_t) { written = wrote == bus::Wrote::yes; });
  run(100ms);
  EXPECT_TRUE(written);
  run(120s);
  EXPECT_NEAR(sum(), budget, 1);
}

TEST(BrainsProperty, no_second_has_more_than_the_budget_and_one_for_each_brain) {
  const char* given = std::getenv("POLLUX_SEED");
  const std::uint64_t first = given ? std::strtoull(given, nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < (given ? first + 1 : 60); ++seed) {
    ManualClock clock;
    VirtualLoop loop(clock);
    bus::MemoryHub hub(clock, {.seed = seed});
    Rng rng(seed);
    std::vector<Instant> sent;
    std::vector<std::unique_ptr<Brain>> all;
    std::size_t names = 2 + rng.below(4), processes = 0;
    const auto start = [&](std::size_t i) {
      all[i] = std::make_unique<Brain>(loop, clock, hub, "b" + std::to_string(i),
                                       seed * 1000 + ++processes, 0.05 * rng.uniform(), sent);
    };
    all.resize(names);
    for (std::size_t i = 0; i < names; ++i) start(i);
    while (clock.now() < Instant(15min)) {
      for (std::size_t i = 0; i < names; ++i) {
        bus::Line line{.delay = Duration(rng.below(200'000)),
                       .jitter = Duration(rng.below(900'000))};
        line.lost = rng.chance(0.3) ? rng.uniform() * 0.7 : 0;
        line.twice = rng.uniform() * 0.3;
        line.cut_off = rng.chance(0.1);
        line.held = rng.chance(0.05);
        hub.set_line("b" + std::to_string(i), line);
        if (rng.chance(0.03)) {
          if (rng.chance(0.5)) hub.set_line("b" + std::to_string(i), {.cut_off = true});
          all[i].reset();
        } else if (!all[i] && rng.chance(0.3)) {
          start(i);
        }
      }
      if (rng.chance(0.02)) {
        auto outsider = hub.join(loop, "outsider");
        loop.settle();
        outsider->remove("allocator", [](bool) {});
        loop.settle();
      }
      loop.run_until(clock.now() + Duration(rng.below(6'000'000)));
    }
    std::size_t most = 0, from = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      while (sent[i] - sent[from] >= 1s) ++from;
      most = std::max(most, i - from + 1);
    }
    ASSERT_LE(most, budget + static_cast<double>(names)) << "seed " << seed;
    ASSERT_GT(sent.size(), 500u) << "seed " << seed << ": this shows nothing";
  }
}

}  // namespace
}  // namespace pollux::brains
