// The real daemon against one page of a bad server and healthy pages of a good one. What must hold
// whatever the bad server does is checked in one place: the error is classified, the page backs
// off, nothing is taken for a change, the healthy pages do not notice, the budget is kept, memory
// stays small and the daemon stops when told to.
//
// The bad page first serves good content, so that there is something to take for changed.
#pragma once

#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

class HostileWeb : public RunningDaemon {
 protected:
  static constexpr double budget = 60;
  // Where the servers are; the rest of loopback is closed, so that there is something to be
  // refused.
  static constexpr const char* here = "127.0.0.9";
  static constexpr const char* content = "what the page says when all is well";

  HostileWeb() {
    good_.on("/moving", serve::changing_page());
    good_.on("/still", serve::page_with_etag("always the same", "\"v1\""));
    good_.on("/zipped", serve::gzipped("compressed"));
    good_.otherwise(serve::status(404));
  }

  // Well-behaved at first, then bad for ever.
  static Script after_a_good_one(Script bad) {
    return serve::in_turn({serve::page(content), std::move(bad)});
  }
  // Does this to every connection made after a good answer, which closes its own.
  void after_a_good_connection(Origin& origin, Script bad) {
    after_a_good_answer(origin, [] {});
    origin.on_connect([this, bad = std::move(bad)](Exchange& x) -> Step {
      if (served_) co_await bad(x);
    });
  }
  // Calls `turn_bad` once a good answer has been given; its connection is closed.
  template <typename TurnBad>
  void after_a_good_answer(Origin& origin, TurnBad turn_bad) {
    origin.on("/bad", [this, turn_bad](Exchange& x) -> Step {
      served_ = true;
      co_await x.respond(200, "Connection: close\r\n", content);
      turn_bad();
      x.close();
    });
  }
  // The bad page has this script; its error must begin like this.
  void expect_error(Script bad, std::string_view error) {
    bad_.on("/bad", after_a_good_one(std::move(bad)));
    expect_error_at(bad_.url("/bad"), error);
  }
  void expect_error_at(const std::string& url, std::string_view error) {
    watch(url, [](const store::PageProgress& page) { return page.errors > 0; });
    const store::PageProgress page = progress(url);
    EXPECT_TRUE(page.last_error.starts_with(error)) << page.last_error;
    EXPECT_GE(page.error_streak, 1);
    EXPECT_EQ(page.changes, 0) << "an error is never a change";
    EXPECT_FALSE(page.content_hash.empty()) << "what was known stays known";
    // The first back-off is 10 s with a quarter of jitter either way.
    ASSERT_TRUE(page.retry_at && page.last_polled_at);
    EXPECT_GE(*page.retry_at - *page.last_polled_at, std::chrono::seconds(7));
  }
  // Odd, but an answer all the same: neither an error nor a change.
  void expect_nothing(Script odd) {
    bad_.on("/bad", std::move(odd));
    expect_nothing_at(bad_.url("/bad"));
  }
  void expect_nothing_at(const std::string& url) {
    watch(url, [](const store::PageProgress& page) { return page.polls >= 4; });
    const store::PageProgress page = progress(url);
    EXPECT_EQ(page.last_error, "");
    EXPECT_EQ(page.errors, 0);
    EXPECT_EQ(page.changes, 0);
  }

  // Runs until `done` is true of the page and every healthy page has been polled some more.
  template <typename Done>
  void watch(const std::string& url, Done done) {
    write_configuration(url);
    const std::size_t earlier = all_arrivals().size();
    const auto started = std::chrono::steady_clock::now();
    launch();
    EXPECT_TRUE(eventually([&] { return done(progress(url)); })) << daemon_->text("err");
    for (const char* path : {"/moving", "/still", "/zipped"}) {
      const std::size_t then = good_.requests(path);
      EXPECT_TRUE(eventually([&] { return good_.requests(path) >= then + 3; })) << path;
    }
    expect_little_memory();
    const auto asked = std::chrono::steady_clock::now();
    const Finished finished = stop();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
    expect_budget(started, earlier);
    expect_healthy_pages();
  }

  virtual void launch() { start(); }

  virtual void write_configuration(const std::string& url) {
    std::ofstream(folder_ / "pollux.yaml")
        << "budget: " << budget << "\ndatabase: test.db\nlearner: { policy: uniform, seed: 7 }\n"
        << "network: { allow: [" << here << "]" << network_
        << " }\n"
           "rules: [{ match: \"*\", content: { as: raw } }]\n"
        << "hosts: { delay: 0s, connections: 64, robots: ignore }\ndefaults: { min_interval: 0s "
           "}\npages:\n"
        << "  - { url: '" << url << "', timeout: " << timeout_ << ", max_body: 1MiB" << page_
        << " }\n  - " << good_.url("/moving") << "\n  - " << good_.url("/still") << "\n  - "
        << good_.url("/zipped") << "\n";
  }
  void trust(const std::string& certificates) {
    std::ofstream(folder_ / "ca.pem") << certificates;
    network_ += ", ca_file: ca.pem";
  }

  void expect_healthy_pages() {
    const store::PageProgress moving = progress(good_.url("/moving"));
    EXPECT_EQ(moving.errors, 0) << moving.last_error;
    EXPECT_EQ(moving.changes, moving.polls - 1) << "all but the baseline";
    for (const char* path : {"/still", "/zipped"}) {
      const store::PageProgress page = progress(good_.url(path));
      EXPECT_EQ(page.errors, 0) << page.last_error;
      EXPECT_EQ(page.changes, 0) << path;
    }
  }

  // No request arrives before the budget allowed it, counted from the start: being slow cannot
  // break this, only a burst can. And each one that arrived was paid for.
  void expect_budget(SteadyTime started, std::size_t earlier) {
    std::vector<SteadyTime> arrivals = all_arrivals();
    arrivals.erase(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(earlier));
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const double seconds = std::chrono::duration<double>(arrivals[i] - started).count();
      ASSERT_LE(static_cast<double>(i), seconds * budget + 1);
    }
    const auto open = reader();
    ASSERT_NE(open, nullptr);
    const auto summary = open->summary();
    ASSERT_TRUE(summary.ok());
    std::int64_t paid = 0;
    for (const store::MinuteRow& minute : summary->minutes) paid += minute.requests;
    EXPECT_GE(paid, static_cast<std::int64_t>(earlier + arrivals.size()));
  }

  std::vector<SteadyTime> all_arrivals() {
    std::vector<SteadyTime> all;
    for (const Origin* origin : origins_) {
      const std::vector<SteadyTime> some = origin->arrivals();
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  void expect_little_memory() {
    if (sanitized) return;
    const double peak = daemon_->peak_mb();
    EXPECT_GT(peak, 0);
    EXPECT_LE(peak, 64);
  }

  Origin good_{Origin::Options{.address = here}};
  Origin bad_{Origin::Options{.address = here}};
  std::vector<Origin*> origins_{&good_, &bad_};  // whose requests the budget pays for
  std::atomic<bool> served_{false};
  std::string timeout_ = "500ms";  // of the bad page
  std::string page_;               // more options of the bad page: ", key: value"
  std::string network_;            // more keys of the network section, likewise
};

}  // namespace pollux::test
