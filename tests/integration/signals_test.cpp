// Signals at bad moments: during the start, during a reload, with everything in flight, by the
// hundred.
#include "integration/running_daemon.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/config/config.hpp"
#include "pollux/engine/daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <future>

#include <sys/resource.h>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class Signals : public RunningDaemon {
 protected:
  // A list that takes a while to read.
  void configure_many(const Origin& origin, int pages) {
    std::vector<std::string> urls;
    for (int i = 0; i < pages; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
    configure(urls, "200");
  }
};

TEST_F(Signals, sigterm_at_any_moment_of_a_start_ends_it_in_time_and_leaves_a_sound_database) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_many(origin, 5'000);
  Rng rng(5);
  for (int i = 0; i < 15; ++i) {
    start();
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(300)));
    const auto asked = std::chrono::steady_clock::now();
    daemon_->send(SIGTERM);
    const Finished finished = daemon_->wait();
    daemon_.reset();
    // Before the database is touched nothing listens to signals yet, and nothing needs saving.
    EXPECT_TRUE(finished.exit_code == 0 || finished.exit_code == -1) << finished.err;
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
  }
  start();
  ASSERT_TRUE(logged("watching 5000 pages"));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Signals, sigterm_during_a_reload_ends_it_in_time) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_many(origin, 5'000);
  Rng rng(6);
  for (int i = 0; i < 5; ++i) {
    start();
    ASSERT_TRUE(logged("watching 5000 pages"));
    daemon_->send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(150)));
    const auto asked = std::chrono::steady_clock::now();
    const Finished finished = stop();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
  }
}

TEST_F(Signals, a_hundred_sighups_are_survived_and_the_last_one_counts) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_many(origin, 500);
  start();
  ASSERT_TRUE(logged("watching 500 pages"));
  for (int i = 0; i < 99; ++i) {
    daemon_->send(SIGHUP);
    std::this_thread::sleep_for(2ms);
  }
  configure_many(origin, 400);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("changed; watching 400 pages"));
  const std::size_t asked = origin.requests();
  EXPECT_TRUE(eventually([&] { return origin.requests() > asked + 20; }));
  EXPECT_EQ(stop().exit_code, 0);
}

// Before its first instruction the kernel ends any program by SIGHUP; from then on it must not.
TEST_F(Signals, a_sighup_in_the_first_moment_asks_for_a_reload_and_not_for_the_end) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_many(origin, 5'000);
  for (int i = 0; i < 5; ++i) {
    start();
    while (!daemon_->minds(SIGHUP)) std::this_thread::yield();
    daemon_->send(SIGHUP);
    ASSERT_TRUE(logged("watching 5000 pages")) << daemon_->text("err");
    ASSERT_TRUE(logged("0 pages added, 0 removed, 0 changed")) << daemon_->text("err");
    EXPECT_EQ(stop().exit_code, 0);
  }
}

// The same while the list is in the middle of being read, or the database being opened.
TEST_F(Signals, a_sighup_at_any_moment_of_a_start_does_not_end_it) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_many(origin, 5'000);
  Rng rng(7);
  for (int i = 0; i < 8; ++i) {
    start();
    while (!daemon_->minds(SIGHUP)) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(300)));
    daemon_->send(SIGHUP);
    ASSERT_TRUE(logged("watching 5000 pages")) << daemon_->text("err");
    EXPECT_EQ(stop().exit_code, 0);
  }
}

TEST_F(Signals, a_thousand_polls_in_flight_do_not_hold_up_the_stop) {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
  if (descriptors.rlim_cur < 3'000) GTEST_SKIP() << "both ends of 1 000 connections need more";
  Origin origin;
  // It answers at first: a host that never did gets a few fetches only.
  std::atomic<bool> silent{false};
  std::atomic<int> unanswered{0};
  origin.otherwise([&](Exchange& x) -> Step {
    if (!silent) co_return co_await x.respond(200, "", "here");
    ++unanswered;
    co_await x.wait_for_close();
  });
  std::string text =
      "budget: unlimited\ndatabase: " + database() +
      "\nnetwork: { allow: [127.0.0.0/8] }\nhosts: { delay: 0s, connections: 2000, robots: ignore "
      "}\n"
      "defaults: { timeout: 60s, min_interval: 100ms }\nfetch: { concurrency: 1000 }\nlog: { "
      "level: error }\n"
      "pages:\n";
  for (int i = 0; i < 1'000; ++i) text += "  - " + origin.url("/" + std::to_string(i)) + "\n";
  auto loaded = config::load_text(text, "test");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const SystemClock clock;
  engine::DaemonOptions options;
  options.handle_signals = false;
  options.grace = 200ms;
  std::promise<engine::Daemon*> made;
  std::future<engine::Daemon*> running = made.get_future();
  std::future<bool> ended = std::async(std::launch::async, [&] {
    auto daemon = engine::Daemon::create(std::move(loaded->config), options, clock);
    made.set_value(daemon.ok() ? daemon->get() : nullptr);
    return daemon.ok() && (*daemon)->run().ok();
  });
  engine::Daemon* daemon = running.get();
  ASSERT_NE(daemon, nullptr);
  ASSERT_TRUE(eventually([&] { return origin.requests() > 8; }));
  silent = true;
  ASSERT_TRUE(eventually([&] { return unanswered >= 900; })) << unanswered;
  const auto asked = std::chrono::steady_clock::now();
  daemon->request_stop();
  EXPECT_TRUE(ended.get());
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
}

}  // namespace
}  // namespace pollux::test
