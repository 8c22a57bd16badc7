#include "pollux/concurrency/controller.hpp"

#include "unit/concurrency/simulated_daemon.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace pollux::concurrency {
namespace {

using namespace std::chrono_literals;

constexpr double slow_detection = 0.0025, fast_detection = 0.00005;
constexpr double phase_seconds = 10;

ControllerOptions fixed(std::size_t fetches) {
  ControllerOptions options;
  options.fixed = fetches;
  return options;
}

SimulatedDaemon::World world(double fetch_seconds, double detect_seconds) {
  SimulatedDaemon::World made;
  made.fetch_seconds = fetch_seconds;
  made.detect_seconds = detect_seconds;
  return made;
}

// Pages per second of the best fixed number, once it runs evenly.
double best_fixed(double fetch_seconds, double detect_seconds) {
  double best = 0;
  for (const std::size_t fetches : {4, 16, 64, 128, 256, 512}) {
    SimulatedDaemon daemon(fixed(fetches), world(fetch_seconds, detect_seconds));
    daemon.run(3);
    best = std::max(best, static_cast<double>(daemon.run(phase_seconds)) / phase_seconds);
  }
  return best;
}

TEST(Controller, keeps_up_with_the_best_fixed_number_in_every_phase_and_never_overflows) {
  for (const double fetch_seconds : {0.002, 0.12, 0.25, 0.6}) {
    const std::map<double, double> best = {
        {slow_detection, best_fixed(fetch_seconds, slow_detection)},
        {fast_detection, best_fixed(fetch_seconds, fast_detection)}};
    SimulatedDaemon daemon({}, world(fetch_seconds, fast_detection));
    daemon.run(3);
    for (int phase = 0; phase < 6; ++phase) {
      daemon.world.detect_seconds = phase % 2 == 0 ? slow_detection : fast_detection;
      const double rate = static_cast<double>(daemon.run(phase_seconds)) / phase_seconds;
      EXPECT_GE(rate, 0.95 * best.at(daemon.world.detect_seconds))
          << "fetches of " << fetch_seconds << " s, phase " << phase;
    }
    EXPECT_EQ(daemon.controller().take_counts(daemon.now()).overflows, 0u) << fetch_seconds;
    EXPECT_LT(daemon.longest_queue, 1024u) << fetch_seconds;
  }
}

TEST(Controller, what_it_avoids_does_happen_to_fixed_numbers) {
  SimulatedDaemon many(fixed(512), world(0.25, slow_detection));
  many.run(phase_seconds);
  EXPECT_GT(many.controller().take_counts(many.now()).overflows, 1000u);

  SimulatedDaemon few(fixed(16), world(0.25, fast_detection));
  few.run(phase_seconds);
  EXPECT_GT(few.controller().take_counts(few.now()).starved_seconds, 0.8 * phase_seconds);
}

TEST(Controller, a_slow_detection_is_not_left_idle) {
  SimulatedDaemon daemon({}, world(0.25, slow_detection));
  daemon.run(5);
  static_cast<void>(daemon.controller().take_counts(daemon.now()));
  daemon.run(phase_seconds);
  EXPECT_LT(daemon.controller().take_counts(daemon.now()).starved_seconds, 0.02 * phase_seconds);
  EXPECT_LE(daemon.longest_queue, 2 * ControllerOptions().queue);
}

TEST(Controller, measures_what_is_there) {
  SimulatedDaemon daemon({}, world(0.25, slow_detection));
  daemon.run(phase_seconds);
  EXPECT_NEAR(daemon.controller().fetch_rate(), 4, 0.5);
  EXPECT_NEAR(daemon.controller().detect_rate(), 400, 80);
}

TEST(Controller, steady_rates_are_solved_for_once_not_all_the_time) {
  SimulatedDaemon daemon({}, world(0.25, slow_detection));
  daemon.run(5);
  static_cast<void>(daemon.controller().take_counts(daemon.now()));
  daemon.run(60);
  EXPECT_LT(daemon.controller().take_counts(daemon.now()).solutions, 60u);
}

TEST(Controller, quick_answers_get_as_many_fetches_as_there_are) {
  SimulatedDaemon daemon({}, world(0.02, 0.00001));
  daemon.run(2);
  EXPECT_EQ(daemon.controller().allowed(), ControllerOptions().most);
  EXPECT_EQ(daemon.controller().out(), ControllerOptions().most);
}

TEST(Controller, slow_answers_get_more) {
  SimulatedDaemon daemon({}, world(0.5, 0.00001));
  daemon.run(5);
  EXPECT_EQ(daemon.controller().allowed(), ControllerOptions().most_if_slow);
}

TEST(Controller, answers_that_are_slow_because_we_are_get_no_more) {
  SimulatedDaemon::World busy = world(0.001, 0.00001);
  busy.most_per_second = 1500;
  SimulatedDaemon daemon({}, busy);
  int more = 0;
  for (int second = 0; second < 100; ++second) {
    daemon.run(1);
    if (daemon.controller().allowed() > ControllerOptions().most) ++more;
  }
  EXPECT_LE(more, 8);
}

// A step of the clock, so that the controller may think again.
class Steps : public testing::Test {
 protected:
  void fetch(Duration away, std::uint64_t bytes = 4000) {
    controller.started(now);
    now += 100ms;
    controller.arrived(now, away, bytes);
  }
  void detect(double seconds) {
    now += 100ms;
    controller.served(1, seconds);
    controller.detected(now);
  }
  Instant now{1s};
  Controller controller{ControllerOptions{}};
};

TEST_F(Steps, before_anything_is_known_all_may_go_out) {
  for (std::size_t i = 0; i < ControllerOptions().most; ++i) {
    ASSERT_TRUE(controller.may_start()) << i;
    controller.started(now);
  }
  EXPECT_FALSE(controller.may_start());
  controller.returned(now, 20ms);
  EXPECT_TRUE(controller.may_start());
}

TEST_F(Steps, nothing_goes_out_while_too_many_wait_and_one_does_when_none_waits) {
  for (std::size_t i = 0; i < ControllerOptions().queue; ++i) fetch(1ms);
  EXPECT_FALSE(controller.may_start());
  while (controller.waiting() > 0) detect(1);
  EXPECT_TRUE(controller.may_start());
}

TEST_F(Steps, an_answer_without_a_page_does_not_wait) {
  controller.started(now);
  controller.returned(now, 20ms);
  controller.started(now);
  controller.withdrawn(now);
  EXPECT_EQ(controller.out(), 0u);
  EXPECT_EQ(controller.waiting(), 0u);
}

TEST_F(Steps, large_pages_fill_the_queue_sooner) {
  for (int i = 0; i < 8; ++i) fetch(1ms, 1 << 20);
  EXPECT_FALSE(controller.may_start());
}

TEST_F(Steps, an_idle_daemon_does_not_count_as_starving) {
  fetch(20ms);
  detect(0.001);
  now += 1h;
  EXPECT_EQ(controller.take_counts(now).starved_seconds, 0);
}

TEST_F(Steps, pages_that_come_with_their_hash_limit_nothing_and_starve_nobody) {
  const std::size_t limit = controller.limit();
  for (std::uint64_t bytes = 1; bytes < 1ull << 32; bytes *= 2) {
    while (controller.may_start()) controller.started(now);
    while (controller.out() > 0) {
      now += 1ms;
      controller.arrived(now, 20ms, bytes);
      controller.detected(now);
      ASSERT_EQ(controller.allowed(), limit);
    }
  }
  EXPECT_EQ(controller.waiting(), 0u);
  EXPECT_EQ(controller.detect_rate(), 0);
  EXPECT_EQ(controller.take_counts(now).starved_seconds, 0);
}

// Quick answers have made a few fetches enough; then servers fall silent and hold them all.
TEST_F(Steps, fetches_that_hang_are_not_those_that_keep_detection_busy) {
  for (int i = 0; i < 200; ++i) fetch(10ms), detect(0.1);
  ASSERT_LT(controller.allowed(), 16u);
  while (controller.may_start()) controller.started(now);
  now += 100ms;
  controller.pass(now);
  ASSERT_FALSE(controller.may_start()) << "they may only be slow";
  std::size_t rounds = 0;
  for (; controller.out() < controller.limit(); ++rounds) {
    ASSERT_LT(rounds, ControllerOptions().most);
    now += 2s;
    controller.pass(now);
    ASSERT_TRUE(controller.may_start()) << controller.out() << " hang";
    while (controller.may_start()) controller.started(now);
  }
  EXPECT_GT(rounds, 10u) << "the others are few at a time";
  now += 2s;
  controller.pass(now);
  EXPECT_FALSE(controller.may_start()) << "there is a limit";
  while (controller.out() > 0) controller.returned(now, 20s);
  EXPECT_TRUE(controller.may_start());
}

TEST_F(Steps, under_a_budget_one_more_goes_out_whenever_nothing_waits) {
  controller.set_limits({.most = 64, .paced = true}, now);
  for (int i = 0; i < 200; ++i) fetch(10ms), detect(0.1);
  ASSERT_LT(controller.allowed(), 16u);
  while (controller.may_start()) controller.started(now);
  EXPECT_EQ(controller.out(), 64u) << "without a second's delay: they may all stall";
  controller.arrived(now, 10ms, 4000);
  EXPECT_FALSE(controller.may_start()) << "there is work to be done";
  detect(0.1);
  EXPECT_TRUE(controller.may_start());
}

TEST_F(Steps, a_fixed_number_stays_fixed) {
  controller.set_limits(fixed(3), now);
  for (int i = 0; i < 400; ++i) fetch(1ms);
  for (int i = 0; i < 100; ++i) detect(10);
  EXPECT_EQ(controller.allowed(), 3u);
}

TEST_F(Steps, extreme_rates_are_survived) {
  for (const double service : {1e-9, 1e6, 1e-9, 0.0}) {
    for (const Duration away : {Duration(0), Duration(1), Duration(3600s)}) {
      for (int i = 0; i < 50; ++i) {
        fetch(away);
        detect(service);
      }
      EXPECT_TRUE(controller.may_start());
    }
  }
}

TEST(Controller, begins_with_few_and_doubles_while_a_budget_is_not_used_up) {
  Controller controller({.first = 4, .most = 16});
  const Instant now{};
  EXPECT_EQ(controller.limit(), 4u);
  EXPECT_TRUE(controller.grow(Behind::yes)) << "not all are out yet";
  EXPECT_EQ(controller.limit(), 4u);
  std::size_t out = 0;
  while (controller.may_start() || controller.grow(Behind::yes)) {
    controller.started(now);
    ++out;
    EXPECT_EQ(controller.could_start(Behind::yes), out < 16) << "it is worth waking up for";
  }
  EXPECT_EQ(out, 16u);
}

TEST(Controller, without_a_budget_more_go_out_only_where_servers_are_what_is_waited_for) {
  for (const Duration answer : {Duration(1ms), Duration(20ms)}) {
    Controller controller({.first = 4, .most = 16});
    Instant now{};
    for (int i = 0; i < 200; ++i) {
      while (controller.may_start() || controller.grow(Behind::no)) controller.started(now);
      now += answer;
      while (controller.out() > 0) controller.returned(now, answer);
    }
    EXPECT_EQ(controller.limit(), answer > 10ms ? 16u : 4u);
  }
}

// `rate`: answers per second that we can take, however many are out; the server itself is quick.
void run_at(Controller& controller, Instant& now, double rate, Duration server, Duration lasts) {
  for (const Instant end = now + lasts; now < end;) {
    while (controller.may_start() || controller.grow(Behind::no)) controller.started(now);
    const auto round = std::max(
        server, std::chrono::duration_cast<Duration>(
                    std::chrono::duration<double>(static_cast<double>(controller.out()) / rate)));
    now += round;
    while (controller.out() > 0) controller.returned(now, round);
  }
}

TEST(Controller, no_more_go_out_where_all_of_them_wait_for_our_own_processor) {
  Controller controller({.first = 64, .most = 128});
  Instant now{};
  run_at(controller, now, 10'000, 100us, 2s);  // 64 take 6.4 ms, as if servers were waited for
  EXPECT_EQ(controller.limit(), 64u);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    run_at(controller, now, 10'000, 100us, 1s);
    most += controller.limit() > 64 ? 1 : 0;
  }
  EXPECT_LE(most, 5u) << "that is tried again, but seldom";
}

TEST(Controller, more_that_went_out_at_a_slow_start_come_back) {
  Controller controller({.first = 32, .most = 128});
  Instant now{};
  run_at(controller, now, 1'000'000, 25ms, 5s);  // servers that are slow
  EXPECT_EQ(controller.limit(), 128u);
  run_at(controller, now, 30'000, 100us, 30s);  // 128 take 4.3 ms
  EXPECT_EQ(controller.limit(), 32u);
  run_at(controller, now, 1'000'000, 25ms, 60s);
  EXPECT_EQ(controller.limit(), 128u);
}

// Fetches that only stall are no work for detection, and say nothing about it.
TEST(Controller, what_brings_nothing_does_not_make_fetches_few) {
  Controller controller({.most = 128});
  Instant now{};
  for (int i = 0; i < 1000; ++i) {
    controller.started(now);
    now += 100ms;
    controller.returned(now, 20s);
  }
  controller.started(now);
  controller.arrived(now, 1ms, 100);  // the first page; how long its detection takes is not known
  EXPECT_EQ(controller.allowed(), 128u);
}

TEST(Controller, a_larger_weight_of_starvation_lets_more_go_out) {
  const auto allowed_when_half_full = [](double weight) {
    Controller controller({.most = 256, .queue = 64, .servers = 1});
    ControllerOptions options{.most = 256, .queue = 64, .servers = 1};
    options.starvation_weight = weight;
    controller.set_limits(options, Instant{});
    Instant now{};
    std::size_t waiting = 0;
    for (int i = 0; i < 400; ++i) {
      now += 5ms;
      controller.started(now);
      controller.arrived(now, 100ms, 1000);
      controller.served(1, 0.005);
      if (++waiting > 32) {
        controller.detected(now);
        --waiting;
      }
    }
    return controller.allowed();
  };
  EXPECT_LT(allowed_when_half_full(0.1), allowed_when_half_full(20));
}

}  // namespace
}  // namespace pollux::concurrency
