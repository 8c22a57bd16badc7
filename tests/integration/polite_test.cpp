// The whole program as a guest of a real server: robots.txt, Retry-After, caches, moves, restarts.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class Polite : public RunningDaemon {
 protected:
  void configure_with(const std::vector<std::string>& urls, const std::string& hosts,
                      const std::string& more = "") {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: 50\ndatabase: test.db\nnetwork: { allow: [127.0.0.0/8] }\nhosts: { " << hosts
         << " }\nlearner: { seed: 7 }\ndefaults: { min_interval: 0s, timeout: 5s }\n"
         << every_byte_counts << more << "pages:\n";
    for (const std::string& url : urls) file << "  - " << url << "\n";
  }
  static constexpr const char* quick = "delay: 0s, connections: 8";
};

TEST_F(Polite, robots_txt_is_obeyed_and_read_once_also_over_a_restart) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  origin.on("/robots.txt", serve::page("User-agent: *\nDisallow: /private\n"));
  configure_with({origin.url("/open"), origin.url("/private/1"), origin.url("/private/2")}, quick);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/open")).changes >= 3; }));
  ASSERT_TRUE(eventually(
      [&] { return progress(origin.url("/private/2")).last_error.starts_with("robots:"); }));
  EXPECT_EQ(stop().exit_code, 0);
  start();
  const std::int64_t before = progress(origin.url("/open")).polls;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/open")).polls >= before + 5; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests("/robots.txt"), 1u);
  EXPECT_EQ(origin.requests("/private/1"), 0u);
  EXPECT_EQ(origin.requests("/private/2"), 0u);
  EXPECT_EQ(progress(origin.url("/private/1")).polls, 0);
  EXPECT_EQ(reader()->page(origin.url("/private/1"))->state, "active");
}

TEST_F(Polite, a_reload_that_ignores_robots_txt_sets_its_pages_free) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  origin.on("/robots.txt", serve::page("User-agent: *\nDisallow: /\n"));
  configure_with({origin.url("/a")}, quick);
  start();
  ASSERT_TRUE(
      eventually([&] { return progress(origin.url("/a")).last_error.starts_with("robots:"); }));
  configure_with({origin.url("/a")}, std::string(quick) + ", robots: ignore");
  daemon_->send(SIGHUP);
  EXPECT_TRUE(eventually([&] { return progress(origin.url("/a")).polls >= 2; }));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Polite, a_server_whose_robots_txt_fails_is_left_alone) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  origin.on("/robots.txt", serve::status(500));
  configure_with({origin.url("/a"), origin.url("/b")}, quick);
  start();
  ASSERT_TRUE(
      eventually([&] { return progress(origin.url("/b")).last_error.starts_with("robots:"); }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests(), origin.requests("/robots.txt"));
}

TEST_F(Polite, an_endless_robots_txt_counts_as_far_as_it_is_read) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  origin.on("/robots.txt",
            serve::repeat("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n",
                          "# more and more and more and more\n"));
  configure_with({origin.url("/open"), origin.url("/private")}, quick);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/open")).changes >= 2; }));
  ASSERT_TRUE(eventually(
      [&] { return progress(origin.url("/private")).last_error.starts_with("robots:"); }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests("/private"), 0u);
}

TEST_F(Polite, a_crawl_delay_lies_between_all_requests) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  origin.on("/robots.txt", serve::page("User-agent: pollux\nCrawl-delay: 0.4\n"));
  configure_with({origin.url("/a"), origin.url("/b")}, "delay: 10ms, connections: 8");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() >= 6; }));
  EXPECT_EQ(stop().exit_code, 0);
  const auto arrivals = origin.arrivals();
  // What arrives was sent at most a moment earlier: a little less than the delay is still it.
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    EXPECT_GE(arrivals[i] - arrivals[i - 1], 350ms) << i;
}

TEST_F(Polite, the_user_agent_names_the_contact) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure_with({origin.url("/a")}, quick, "contact: https://example.org/me\n");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/a") >= 1; }));
  EXPECT_EQ(stop().exit_code, 0);
  for (const char* path : {"/robots.txt", "/a"}) {
    const std::string agent = origin.last_header(path, "user-agent");
    EXPECT_TRUE(agent.starts_with("pollux/")) << agent;
    EXPECT_TRUE(agent.ends_with(" (+https://example.org/me)")) << agent;
  }
}

TEST_F(Polite, retry_after_binds_the_page_and_its_host_over_a_restart) {
  Origin origin;
  origin.on("/busy", serve::status(503, "Retry-After: 3600\r\n"));
  origin.on("/other", serve::changing_page());
  configure_with({origin.url("/busy"), origin.url("/other")},
                 "delay: 0s, connections: 1, robots: ignore");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/busy")).errors == 1; }));
  EXPECT_EQ(progress(origin.url("/busy")).last_error, "HTTP 503, Retry-After 1 h");
  EXPECT_EQ(stop().exit_code, 0);
  const std::size_t asked = origin.requests();
  start();
  ASSERT_TRUE(logged("watching 2 pages"));
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests(), asked) << "the host asked for an hour";
  EXPECT_GE(progress(origin.url("/busy")).retry_at.value(),
            progress(origin.url("/busy")).last_polled_at.value() + 1h);
}

TEST_F(Polite, retry_after_that_is_garbage_negative_or_past_is_a_moment) {
  Origin origin;
  const std::vector<std::string> odd = {"-1", "soon", "Sun, 06 Nov 1994 08:49:37 GMT",
                                        "1000000000000"};
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < odd.size(); ++i) {
    origin.on("/" + std::to_string(i), serve::status(429, "Retry-After: " + odd[i] + "\r\n"));
    urls.push_back(origin.url_at("127.0.0." + std::to_string(1), "/" + std::to_string(i)));
  }
  // The last one blocks the host for a day, so each is asked by a daemon of its own.
  for (std::size_t i = 0; i < odd.size(); ++i) {
    std::filesystem::remove_all(folder_ / "test.db");
    std::filesystem::remove(folder_ / "test.db-wal");
    std::filesystem::remove(folder_ / "test.db-shm");
    configure_with({urls[i]}, std::string(quick) + ", robots: ignore");
    start();
    ASSERT_TRUE(eventually([&] { return progress(urls[i]).errors >= 1; })) << odd[i];
    EXPECT_EQ(stop().exit_code, 0);
    const store::PageProgress page = progress(urls[i]);
    const auto wait = *page.retry_at - *page.last_polled_at;
    const bool day = i + 1 == odd.size();
    EXPECT_GE(wait, day ? std::chrono::milliseconds(24h) : std::chrono::milliseconds(1s)) << odd[i];
    EXPECT_LE(wait, day ? std::chrono::milliseconds(27h) : std::chrono::milliseconds(1min))
        << odd[i];
    EXPECT_EQ(page.last_error, day ? "HTTP 429, Retry-After 1 d" : "HTTP 429, Retry-After 1 s");
  }
}

TEST_F(Polite, a_moved_page_is_reported_in_the_log_the_table_and_the_view) {
  Origin origin;
  origin.on("/old", serve::redirect(301, origin.url("/new")));
  origin.on("/new", serve::page("here"));
  configure_with({origin.url("/old")}, quick);
  start();
  ASSERT_TRUE(
      eventually([&] { return progress(origin.url("/old")).moved_to == origin.url("/new"); }));
  ASSERT_TRUE(logged("moved for good"));
  EXPECT_EQ(stop().exit_code, 0);
  Program sqlite("/usr/bin/sqlite3", folder_,
                 {"-readonly", database(), "SELECT status, moved_to FROM page_report"});
  EXPECT_EQ(sqlite.wait().out, "ok, moved|" + origin.url("/new") + "\n");
}

TEST_F(Polite, a_cache_is_respected_if_the_user_wants) {
  Origin origin;
  origin.on("/fresh", serve::page("x", "Cache-Control: max-age=3600\r\n"));
  origin.on("/plain", serve::changing_page());
  configure_with(
      {"{ url: \"" + origin.url("/fresh") + "\", respect_cache: true }", origin.url("/plain")},
      quick);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/plain")).polls >= 10; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests("/fresh"), 1u);
  EXPECT_TRUE(progress(origin.url("/fresh")).fresh_until.has_value());
}

TEST_F(Polite, a_kill_forgets_no_retry_after_that_is_a_second_old) {
  Origin origin;
  origin.on("/busy", serve::status(503, "Retry-After: 3600\r\n"));
  origin.on("/other", serve::changing_page());
  configure_with({origin.url("/busy"), origin.url("/other")},
                 "delay: 0s, connections: 1, robots: ignore");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/busy") == 1; }));
  std::this_thread::sleep_for(1s);
  (void)stop(SIGKILL);
  const std::size_t asked = origin.requests();
  start();
  ASSERT_TRUE(logged("watching 2 pages"));
  std::this_thread::sleep_for(1500ms);
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(origin.requests(), asked) << "the host asked for an hour";
}

TEST_F(Polite, after_a_kill_every_host_waits_its_full_pause) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure_with({origin.url("/a"), origin.url("/b")}, "delay: 3s, robots: ignore");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() == 1; }));
  (void)stop(SIGKILL);  // nothing of it can be on disk
  const auto restarted = std::chrono::steady_clock::now();
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() == 2; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_GE(origin.arrivals()[1] - restarted, 2900ms);
}

TEST_F(Polite, after_a_restart_the_pause_counts_from_the_end_of_a_slow_answer) {
  Origin origin;
  std::mutex mutex;
  std::vector<SteadyTime> ends;
  origin.otherwise([&](Exchange& x) -> Step {
    co_await x.sleep(1500ms);
    {
      const std::lock_guard lock(mutex);
      ends.push_back(std::chrono::steady_clock::now());
    }
    co_await x.respond(200, "", std::to_string(x.nth));
  });
  configure_with({origin.url("/a"), origin.url("/b")},
                 "delay: 2s, adaptive_delay: 0, robots: ignore");
  for (std::size_t life = 1; life <= 2; ++life) {
    start();
    ASSERT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return ends.size() >= life;
    }));
    EXPECT_EQ(stop().exit_code, 0);
  }
  const auto arrivals = origin.arrivals();
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    EXPECT_GE(arrivals[i] - ends[i - 1], 1900ms) << i;
}

TEST_F(Polite, a_redirect_does_not_silence_the_host_it_leads_to) {
  Origin bad, victim;
  victim.on("/own", serve::changing_page());
  victim.on("/busy", serve::status(429, "Retry-After: 86400\r\n"));
  bad.on("/", serve::redirect(302, victim.url("/busy")));
  configure_with({bad.url("/"), victim.url("/own")}, "delay: 0s, connections: 1, robots: ignore");
  start();
  ASSERT_TRUE(eventually([&] { return progress(bad.url("/")).errors == 1; }));
  const auto open = reader();
  const std::string name = "127.0.0.1:" + std::to_string(victim.port());
  const store::HostRow host = open->host(name).value();
  ASSERT_TRUE(host.blocked_until);
  const store::PageProgress page = progress(bad.url("/"));
  EXPECT_LE(*host.blocked_until - *page.last_polled_at, 61s);
  EXPECT_GE(*page.retry_at - *page.last_polled_at, 24h);
  Program explain(POLLUX_BINARY, folder_,
                  {"explain", "--database", database(), victim.url("/own")});
  const std::string text = explain.wait().out;
  EXPECT_NE(text.find("when " + bad.url("/") + " was redirected to it"), std::string::npos) << text;
  Program blocked(POLLUX_BINARY, folder_, {"explain", "--database", database(), bad.url("/")});
  EXPECT_NE(blocked.wait().out.find("from " + victim.url("/busy")), std::string::npos);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Polite, redirects_leave_a_host_turns_for_its_own_pages) {
  Origin origin(Origin::Options{.address = "0.0.0.0"});
  const std::string own = origin.url_at("127.0.9.1", "/own");
  origin.on("/own", serve::page("its own"));
  origin.on("/led", serve::page("where others are led"));
  origin.otherwise(serve::redirect(302, origin.url_at("127.0.9.1", "/led")));
  std::vector<std::string> urls{own};
  // More of them than can be led there: some wait all the time.
  for (int i = 1; i <= 50; ++i)
    urls.push_back(origin.url_at("127.0.8." + std::to_string(i), "/page"));
  configure_with(urls, "delay: 500ms, connections: 1, robots: ignore");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/led") >= 30; }));
  EXPECT_GE(origin.requests("/own"), 20u)
      << "a turn between any two of the others, while it is due";
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Polite, a_page_has_its_share_of_the_requests_wherever_it_is_redirected_to) {
  // Each answer leads to another host, whose robots.txt is asked for.
  std::vector<std::unique_ptr<Origin>> chain;
  for (std::size_t i = 0; i < 6; ++i) {
    chain.push_back(std::make_unique<Origin>());
    chain[i]->on("/", serve::page("the end"));
    if (i > 0) chain[i - 1]->on("/", serve::redirect(302, chain[i]->url("/")));
  }
  Origin good;
  good.otherwise(serve::page("x"));
  std::vector<std::string> urls{chain[0]->url("/")};
  for (int i = 0; i < 19; ++i) urls.push_back(good.url("/" + std::to_string(i)));
  configure_with(urls, quick);
  start();
  ASSERT_TRUE(eventually([&] { return good.requests() >= 400; }));
  EXPECT_EQ(stop().exit_code, 0);
  std::size_t caused = 0;
  for (const auto& origin : chain) caused += origin->requests();
  EXPECT_LE(caused, 1 + 12 + good.requests() / 19) << "its own robots.txt, twelve, and its share";
}

TEST_F(Polite, a_page_pays_for_its_second_tries) {
  Origin bad, good;
  // A kept connection ends where the next answer should be, at every poll.
  bad.on("/", [](Exchange& x) -> Step {
    if (x.nth % 2 == 0) co_return x.close();
    co_await x.respond(200, "", "here");
  });
  bad.on("/robots.txt", serve::status(404));
  good.otherwise(serve::page("x"));
  std::vector<std::string> urls{bad.url("/")};
  for (int i = 0; i < 19; ++i) urls.push_back(good.url("/" + std::to_string(i)));
  configure_with(urls, quick);
  start();
  ASSERT_TRUE(eventually([&] { return good.requests() >= 800; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_LE(bad.requests("/"), 12 + good.requests() / 19);
  EXPECT_GE(bad.requests("/"), 10u);
}

TEST_F(Polite, two_versions_in_turn_earn_no_share) {
  Origin origin;
  origin.otherwise(serve::page("still"));
  origin.on("/balanced", [](Exchange& x) -> Step {
    co_await x.respond(200, "", x.nth % 2 == 0 ? "copy A" : "copy B");
  });
  origin.on("/news", serve::changing_page());
  std::vector<std::string> urls{origin.url("/balanced"), origin.url("/news")};
  for (int i = 0; i < 18; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure_with(urls, quick);
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() >= 1000; }));
  const double news = progress(origin.url("/news")).share;
  const store::PageProgress balanced = progress(origin.url("/balanced"));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(balanced.changes, 1) << "the second version was new, and comes back";
  EXPECT_LT(balanced.share, 0.1);
  EXPECT_GT(news, 0.3) << "what really changes is rewarded";
}

TEST_F(Polite, after_a_restart_every_host_keeps_its_delay) {
  Origin one, two;
  for (Origin* origin : {&one, &two}) origin->otherwise(serve::changing_page());
  std::vector<std::string> urls;
  for (int i = 0; i < 20; ++i) {
    urls.push_back(one.url("/" + std::to_string(i)));
    urls.push_back(two.url("/" + std::to_string(i)));
  }
  configure_with(urls, "delay: 300ms");
  for (int life = 0; life < 3; ++life) {
    const std::size_t before = std::min(one.requests(), two.requests());
    start();
    ASSERT_TRUE(eventually([&] { return std::min(one.requests(), two.requests()) >= before + 3; }));
    EXPECT_EQ(stop().exit_code, 0);
  }
  for (const Origin* origin : {&one, &two}) {
    EXPECT_EQ(origin->requests("/robots.txt"), 1u);
    const auto arrivals = origin->arrivals();
    for (std::size_t i = 1; i < arrivals.size(); ++i)
      EXPECT_GE(arrivals[i] - arrivals[i - 1], 250ms) << i;
  }
}

// A host that was listed, then only redirected to, then listed again: its last word counts.
TEST_F(Polite, what_robots_txt_says_to_a_guest_replaces_what_it_said_before) {
  Origin everywhere(Origin::Options{.address = "0.0.0.0"});
  const std::string other = everywhere.url_at("127.0.0.9", "/page");
  const std::string own = everywhere.url_at("127.0.0.8", "/");
  std::atomic<bool> forbids = false;
  everywhere.on("/robots.txt", [&](Exchange& x) -> Step {
    co_await x.respond(200, "", forbids ? "User-agent: *\nDisallow: /page\n" : "");
  });
  everywhere.on("/", serve::redirect(302, other));
  everywhere.on("/page", serve::page("here"));
  configure({other}, "50", "", "obey");
  start();
  ASSERT_TRUE(eventually([&] { return everywhere.requests("/page") > 0; }));
  ASSERT_EQ(stop().exit_code, 0);
  forbids = true;
  configure({own}, "50", "", "obey");
  const std::size_t asked = everywhere.requests("/robots.txt");
  start();
  ASSERT_TRUE(eventually([&] {  // of both hosts, and the redirect is refused
    return everywhere.requests("/robots.txt") >= asked + 2 &&
           progress(own).last_error.find("robots") != std::string::npos;
  }));
  ASSERT_EQ(stop().exit_code, 0);
  const std::size_t polls = everywhere.requests("/page");
  configure({other}, "50", "", "obey");
  start();
  ASSERT_TRUE(eventually([&] { return progress(other).last_error.starts_with("robots"); }));
  ASSERT_EQ(stop().exit_code, 0);
  EXPECT_EQ(everywhere.requests("/page"), polls);
}

}  // namespace
}  // namespace pollux::test
