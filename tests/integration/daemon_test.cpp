// The whole program against a real server: sockets, SQLite and signals, nothing faked.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <atomic>

namespace pollux::test {
namespace {

class Daemon : public RunningDaemon {
 protected:
  // How late the event loop of the daemon that has just ended was at most.
  std::chrono::milliseconds longest_stall() {
    const auto open = reader();
    if (!open) return {};
    const auto meta = open->meta();
    return meta.ok() ? std::chrono::milliseconds(std::stoll(meta->at("loop_stall_longest_ms")))
                     : std::chrono::milliseconds(0);
  }
};

// On a busy machine a request leaves, or is noticed, so much later than it was paid for; `late`
// says how much for what came at two moments.
template <typename Late>
std::size_t fullest_second(const std::vector<SteadyTime>& arrivals, const Late& late) {
  std::size_t fullest = 0, first = 0;
  for (std::size_t last = 0; last < arrivals.size(); ++last) {
    while (arrivals[last] - arrivals[first] + late(arrivals[first], arrivals[last]) >=
           std::chrono::seconds(1))
      ++first;
    fullest = std::max(fullest, last - first + 1);
  }
  return fullest;
}

TEST_F(Daemon, records_the_changes_of_a_live_page_and_stops_cleanly) {
  Origin origin;
  origin.on("/moving", serve::changing_page());
  origin.on("/still", serve::page_with_etag("always the same", "\"v1\""));
  configure({origin.url("/moving"), origin.url("/still")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/moving")).changes >= 3; }));
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/still")).polls >= 3; }));
  const Finished finished = stop();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const store::PageProgress moving = progress(origin.url("/moving"));
  EXPECT_EQ(moving.changes, moving.polls - 1) << "all but the baseline";
  EXPECT_EQ(progress(origin.url("/still")).changes, 0);
  EXPECT_EQ(progress(origin.url("/still")).errors, 0);
  EXPECT_EQ(origin.last_header("/still", "if-none-match"), "\"v1\"");
}

TEST_F(Daemon, goes_on_where_it_was_after_a_restart) {
  Origin origin;
  std::atomic<int> version{1};
  origin.on("/", [&](Exchange& x) -> Step {
    co_await x.respond(200, "", "version " + std::to_string(version));
  });
  configure({origin.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).polls >= 2; }));
  EXPECT_EQ(stop().exit_code, 0);
  const std::int64_t before = progress(origin.url("/")).polls;
  version = 2;  // while nobody looks
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).changes == 1; }));
  EXPECT_EQ(stop(SIGINT).exit_code, 0);
  EXPECT_GT(progress(origin.url("/")).polls, before);
  EXPECT_EQ(progress(origin.url("/")).changes, 1);
}

TEST_F(Daemon, after_a_stop_the_file_alone_is_the_whole_database) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).changes >= 3; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(database() + "-wal"), 0U);
  std::filesystem::copy_file(database(), folder_ / "copy.db");
  const auto copy = store::Reader::open((folder_ / "copy.db").string());
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_GE((*copy)->page(origin.url("/"))->progress.changes, 3);
}

TEST_F(Daemon, a_second_one_on_the_same_database_is_refused) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  start();
  ASSERT_TRUE(logged("watching 1 page on 1 host"));
  const std::filesystem::path other = folder_ / "other";
  std::filesystem::create_directory(other);
  Program second(POLLUX_BINARY, other, {"run", "--config", (folder_ / "pollux.yaml").string()});
  const Finished refused = second.wait();
  EXPECT_EQ(refused.exit_code, 75);
  EXPECT_NE(refused.err.find(std::to_string(daemon_->pid())), std::string::npos) << refused.err;
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Daemon, a_reload_adds_and_removes_pages_and_keeps_what_was_learnt) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/old"), origin.url("/kept")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/kept")).changes >= 2; }));
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/old")).changes >= 2; }));
  configure({origin.url("/new"), origin.url("/kept")}, "50");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/new")).changes >= 2; }));
  const std::size_t asked = origin.requests("/old");
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/kept")).changes >= 6; }));
  EXPECT_LE(origin.requests("/old"), asked + 1) << "one may have been in flight";
  EXPECT_EQ(stop().exit_code, 0);
  const auto removed = reader()->page(origin.url("/old"));
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->state, "removed");
  EXPECT_GE(removed->progress.changes, 2) << "its history stays";
}

TEST_F(Daemon, a_bad_file_on_reload_keeps_the_old_configuration_and_says_so) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).changes >= 2; }));
  configure({origin.url("/")}, "-3");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reload refused"));
  const auto told = [&] { return reader()->meta().value()["reload_refused"]; };
  EXPECT_TRUE(eventually([&] { return told().find("budget") != std::string::npos; }))
      << "for `pollux status`";
  const std::int64_t then = progress(origin.url("/")).polls;
  EXPECT_TRUE(eventually([&] { return progress(origin.url("/")).polls > then + 2; }));
  configure({origin.url("/")}, "50");
  daemon_->send(SIGHUP);
  EXPECT_TRUE(eventually([&] { return told().empty(); })) << "until one succeeds";
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Daemon, survives_a_storm_of_reloads) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  for (int i = 0; i < 20; ++i) {
    configure({origin.url("/" + std::to_string(i)), origin.url("/" + std::to_string(i + 1))},
              "200");
    if (!daemon_) {
      start();
      ASSERT_TRUE(logged("watching"));
    }
    daemon_->send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/20")).changes >= 2; }));
  const Finished finished = stop();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  store::Reader::PageQuery active;
  active.state = "active";
  EXPECT_EQ(reader()->pages(active).value().size(), 2u);
}

TEST_F(Daemon, a_server_that_never_answers_does_not_hold_up_the_stop) {
  Origin origin;
  origin.otherwise(serve::silence());
  configure({origin.url("/1"), origin.url("/2")}, "50", "defaults: { timeout: 60s }\n");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() == 2; }));
  const auto asked = std::chrono::steady_clock::now();
  const Finished finished = stop();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
}

TEST_F(Daemon, no_second_holds_more_requests_than_the_budget_plus_one) {
  Origin origin({.measure_lateness = true});
  origin.otherwise(serve::changing_page());
  // A redirect is a request too.
  origin.on("/moved", serve::redirect(302, origin.url("/target")));
  std::vector<std::string> urls{origin.url("/moved")};
  for (int i = 0; i < 40; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "40");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() >= 150; }));
  EXPECT_EQ(stop().exit_code, 0);
  const auto stalled_first = longest_stall();
  start();  // a restart does not earn a burst
  ASSERT_TRUE(eventually([&] { return origin.requests() >= 250; }));
  EXPECT_EQ(stop().exit_code, 0);
  const auto stalled = std::max(stalled_first, longest_stall());
  if (stalled > std::chrono::milliseconds(500)) GTEST_SKIP() << "a machine too slow to tell";

  const auto late = [&](SteadyTime first, SteadyTime last) {
    return origin.lateness(first - std::chrono::seconds(1), last) + stalled;
  };
  EXPECT_LE(fullest_second(origin.arrivals(), late), 41u);
}

TEST_F(Daemon, with_two_fetch_threads_finds_changes_and_keeps_the_budget) {
  constexpr int hosts = 6;
  std::vector<std::unique_ptr<Origin>> origins;
  std::vector<std::string> urls;
  for (int i = 0; i < hosts; ++i) {
    origins.push_back(std::make_unique<Origin>(Origin::Options{.measure_lateness = true}));
    origins.back()->on("/robots.txt", serve::page("User-agent: *\nDisallow: /private\n"));
    origins.back()->otherwise(i == 0 ? serve::changing_page() : serve::page("always the same"));
    for (const char* path : {"/a", "/b", "/private"}) urls.push_back(origins.back()->url(path));
  }
  const auto arrivals = [&] {
    std::vector<SteadyTime> all;
    for (const auto& origin : origins) {
      const std::vector<SteadyTime> some = origin->arrivals();
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  configure(urls, "40", "fetch: { threads: 2 }\ndefaults: { min_interval: 0s, timeout: 5s }\n",
            "obey");
  start();
  ASSERT_TRUE(eventually([&] { return arrivals().size() >= 150; }));
  ASSERT_TRUE(eventually([&] { return progress(origins[0]->url("/a")).changes >= 3; }));
  EXPECT_EQ(stop().exit_code, 0);
  const auto stalled = longest_stall();
  const auto late = [&](SteadyTime first, SteadyTime last) {
    auto most = std::chrono::milliseconds(0);
    for (const auto& origin : origins)
      most = std::max(most, origin->lateness(first - std::chrono::seconds(1), last));
    return most + stalled;
  };
  if (stalled < std::chrono::milliseconds(500)) {
    EXPECT_LE(fullest_second(arrivals(), late), 41u);
  }
  for (int i = 0; i < hosts; ++i) {
    EXPECT_EQ(origins[i]->requests("/robots.txt"), 1u);
    EXPECT_EQ(origins[i]->requests("/private"), 0u);
    EXPECT_EQ(progress(origins[i]->url("/b")).errors, 0);
    EXPECT_EQ(progress(origins[i]->url("/a")).changes > 0, i == 0);
  }
}

TEST_F(Daemon, asks_one_host_once_at_a_time_by_default) {
  Origin origin;
  origin.otherwise([](Exchange& x) -> Step {
    co_await x.sleep(std::chrono::milliseconds(30));
    co_await x.respond(200, "", "x");
  });
  std::vector<std::string> urls;
  for (int i = 0; i < 10; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  std::ofstream(folder_ / "pollux.yaml")
      << "budget: 100\ndatabase: test.db\nnetwork: { allow: [127.0.0.0/8] }\nhosts: { delay: 100ms "
         "}\n"
      << "pages: [" << urls[0] << ", " << urls[1] << ", " << urls[2] << ", " << urls[3] << "]\n";
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() >= 4; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.max_concurrent(), 1u);
  const auto arrivals = origin.arrivals();
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    EXPECT_GE(arrivals[i] - arrivals[i - 1], std::chrono::milliseconds(100));
  }
}

TEST_F(Daemon, a_private_address_is_refused_unless_allowed) {
  Origin origin;
  origin.otherwise(serve::page("secret"));
  std::ofstream(folder_ / "pollux.yaml")
      << "budget: 50\ndatabase: test.db\npages: [" << origin.url("/") << "]\n";
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).errors >= 1; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.connections(), 0u);
  EXPECT_EQ(progress(origin.url("/")).last_error.rfind("address_refused", 0), 0u)
      << progress(origin.url("/")).last_error;
}

TEST_F(Daemon, errors_are_never_changes_and_do_not_disturb_others) {
  Origin origin;
  origin.on("/flaky",
            serve::in_turn({serve::page("content"), serve::status(500), serve::status(429),
                            serve::reset(), serve::short_body(100, "half")}));
  origin.on("/good", serve::changing_page());
  configure({origin.url("/flaky"), origin.url("/good")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/flaky")).errors >= 1; }));
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/good")).changes >= 5; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(progress(origin.url("/flaky")).changes, 0);
  EXPECT_TRUE(progress(origin.url("/flaky")).retry_at.has_value());
}

}  // namespace
}  // namespace pollux::test
