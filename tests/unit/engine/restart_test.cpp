// A restart earns nobody a burst: delays, back-offs and phases go on where they were.
#include "engine/adaptive_pause.hpp"
#include "engine/page_list.hpp"
#include "unit/engine/noon.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

class SharingPolicy final : public learn::Policy {
 public:
  std::string_view name() const override { return "sharing"; }
  void add(PageSlot, double, const std::optional<learn::PageMemory>&) override { ++pages; }
  void remove(PageSlot) override { --pages; }
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot, const learn::Observation&) override {}
  double share(PageSlot) const override { return 1.0 / pages; }
  void set_sweep(double) override {}
  learn::PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return 0; }
  int pages = 0;
};

constexpr double budget = 20;
constexpr int listed_pages = 1000, host_count = 50;

// A daemon that has just read its database, on a virtual clock.
struct Life {
  explicit Life(WallTime wall) : start{Instant(1h), wall} {
    config.settings.resize(1);
    config.settings[0].limits = {5s, 24h};
  }
  void begin(const std::vector<store::PageRow>& rows, const std::vector<store::HostRow>& known,
             LastStop last_stop = LastStop::clean) {
    PageInstaller installer(parts(), start, true);
    const SettingsId wanted = settings.add(config, 0);
    for (const store::PageRow& row : rows) installer.add(row, wanted);
    installer.finish();
    install_hosts(known, parts(), start, last_stop);
  }
  PageListParts parts() { return {config, settings, pages, hosts, policy, scheduler}; }
  // Polls as the budget allows, each answered at once; when each page and host was asked.
  void run(Duration length) {
    for (Instant now = start.now; now < start.now + length; now += from_seconds(1 / budget)) {
      const auto choice = scheduler.next(now);
      if (!choice) continue;
      const HostSlot host = pages[choice->page].host;
      asked[host].push_back(now);
      first.try_emplace(choice->page, now);
      scheduler.release_host(host, now);
      scheduler.finish(choice->page, now);
    }
  }

  Moment start;
  config::Config config;
  PageSettingsTable settings;
  SharingPolicy policy;
  schedule::Scheduler scheduler{{.budget = budget, .explore = 0, .seed = 3}, policy};
  PageTable pages;
  HostTable hosts;
  std::map<HostSlot, std::vector<Instant>> asked;
  std::map<PageSlot, Instant> first;
};

store::PageRow page_row(int i) {
  const std::string host = "h" + std::to_string(i % host_count) + ".test";
  store::PageRow row;
  row.id = PageId{i + 1};
  row.slot = PageSlot{static_cast<std::uint32_t>(i)};
  row.spec.url = "http://" + host + "/" + std::to_string(i);
  row.spec.host = host + ":80";
  row.progress.polls = 3;
  // A sweep takes fifty seconds: the pages were polled one after the other.
  row.progress.last_polled_at = noon - 49s + i * 49ms;
  row.progress.next_due_at = *row.progress.last_polled_at + 50s;
  return row;
}
std::vector<store::PageRow> page_rows() {
  std::vector<store::PageRow> rows;
  for (int i = 0; i < listed_pages; ++i) rows.push_back(page_row(i));
  return rows;
}

TEST(Restart, pages_are_due_when_they_were_due_before) {
  Life life(noon);
  const auto rows = page_rows();
  life.begin(rows, {});
  for (const store::PageRow& row : rows) {
    const WallTime due = life.start.to_wall(life.scheduler.next_due(row.slot, life.start.now));
    EXPECT_LE(std::chrono::abs(due - *row.progress.next_due_at), 100ms) << row.spec.url;
  }
  life.run(50s);
  for (const auto& [slot, at] : life.first) {
    const WallTime was_due = *rows[index(slot)].progress.next_due_at;
    EXPECT_LE(std::chrono::abs(life.start.to_wall(at) - was_due), 3s) << index(slot);
  }
}

TEST(Restart, the_first_seconds_obey_the_delay_of_every_host) {
  Life life(noon);
  life.config.host_default.delay = 2s;
  std::vector<store::HostRow> known;
  for (int i = 0; i < host_count; ++i)
    known.push_back({"h" + std::to_string(i) + ".test:80", noon - 500ms, std::nullopt, 10, 0});
  life.begin(page_rows(), known);
  life.run(20s);
  ASSERT_EQ(life.asked.size(), static_cast<std::size_t>(host_count));
  for (const auto& [host, times] : life.asked) {
    EXPECT_GE(times.front(), life.start.now + 1500ms) << "the last request was half a second ago";
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 2s);
  }
}

TEST(Restart, redirects_cannot_block_a_host_once_per_restart) {
  HostTable hosts;
  const HostSlot slot = hosts.add("h0.test:80");
  const Moment before{Instant(1h), noon};
  hosts.note_block(slot, before.now + 60s, "http://bad.test/");
  hosts[slot].redirects_may_block_at = before.now + 10min;
  ASSERT_EQ(hosts.take_changed(before).size(), 1u);
  const Moment over{before.now + 90s, noon + 90s};
  hosts.note_end(slot, over.now);
  const std::vector<store::HostRow> rows = hosts.take_changed(over);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].blocked_until, noon + 60s) << "it is over, and not forgotten";
  Life life(noon + 2min);
  life.begin(page_rows(), rows);
  const HostRecord& host = life.hosts[*life.hosts.find("h0.test:80")];
  EXPECT_FALSE(host.blocked_until);
  EXPECT_EQ(host.redirects_may_block_at, life.start.now + 8min);
}

TEST(Restart, a_wait_is_as_long_as_it_was_however_the_clock_was_set) {
  for (const std::chrono::hours set : {12h, -12h}) {
    Life life(noon + 1min + set);
    store::HostRow row;
    row.host = "h0.test:80";
    row.last_request_at = noon;
    row.blocked_until = noon + 1h;
    life.begin(page_rows(), {});
    install_hosts({row}, life.parts(), life.start, LastStop::unclean,
                  Moment{life.start.now, noon + 1min});
    EXPECT_EQ(life.hosts[*life.hosts.find(row.host)].blocked_until, life.start.now + 59min);
  }
}

TEST(Restart, what_was_long_overdue_comes_spread_over_a_sweep) {
  Life life(noon + 1h);
  const auto rows = page_rows();
  life.begin(rows, {});
  const auto soon = std::count_if(rows.begin(), rows.end(), [&](const store::PageRow& row) {
    return life.scheduler.next_due(row.slot, life.start.now) < life.start.now + 5s;
  });
  EXPECT_GE(soon, 50);
  EXPECT_LE(soon, 150) << "a tenth of the sweep holds a tenth of the pages";
}

TEST(Restart, after_an_unclean_stop_every_host_counts_as_asked_right_now) {
  Life life(noon);
  life.config.host_default.delay = 2s;
  store::HostRow long_ago{"h1.test:80", noon - 1h, std::nullopt, 10, 0};
  store::HostRow slow{"h2.test:80", noon - 1h, std::nullopt, 10, 0};
  slow.response_ms = 5000;
  life.begin(page_rows(), {long_ago, slow}, LastStop::unclean);
  for (int i = 0; i < host_count; ++i) {
    const std::string name = "h" + std::to_string(i) + ".test:80";
    EXPECT_EQ(life.scheduler.host_ready_at(*life.hosts.find(name)),
              life.start.now + (i == 2 ? Duration(10s) : Duration(2s)))
        << name << ", its full pause";
  }
}

TEST(Restart, a_host_without_a_page_that_asked_us_to_wait_is_remembered_for_a_reload) {
  Life life(noon);
  life.begin(page_rows(), {{"gone.test:80", noon - 1min, noon + 2h, 10, 3}});
  const auto host = life.hosts.find("gone.test:80");
  ASSERT_TRUE(host);
  EXPECT_EQ(life.scheduler.host_ready_at(*host), life.start.now + 2h);
}

TEST(Restart, a_back_off_and_a_retry_after_go_on) {
  Life life(noon);
  auto rows = page_rows();
  rows[1].progress.retry_at = noon + 1h;
  rows[1].progress.error_streak = 4;
  store::HostRow blocked{"h2.test:80", noon - 1min, noon + 2h, 10, 3};
  life.begin(rows, {blocked});
  EXPECT_GE(life.scheduler.next_due(PageSlot{1}, life.start.now), life.start.now + 1h);
  EXPECT_EQ(life.pages[PageSlot{1}].error_streak, 4);
  EXPECT_EQ(life.scheduler.host_ready_at(*life.hosts.find("h2.test:80")), life.start.now + 2h);
  life.run(60s);
  EXPECT_FALSE(life.first.contains(PageSlot{1}));
  EXPECT_FALSE(life.first.contains(PageSlot{2})) << "a page of the host that asked us to wait";
}

TEST(Restart, a_rest_that_a_cache_asked_for_goes_on_if_it_is_still_wanted) {
  auto rows = page_rows();
  rows[1].progress.fresh_until = noon + 1h;
  Life believing(noon);
  believing.config.settings[0].respect_cache = true;
  believing.begin(rows, {});
  EXPECT_GE(believing.scheduler.next_due(PageSlot{1}, believing.start.now),
            believing.start.now + 1h);
  Life other(noon);
  other.begin(rows, {});
  EXPECT_LE(other.scheduler.next_due(PageSlot{1}, other.start.now), other.start.now + 1min);
}

TEST(Restart, a_page_that_is_gone_stays_a_rare_poll) {
  auto rows = page_rows();
  rows[1].progress.last_status = 410;
  rows[1].progress.retry_at = noon + 24h * 6;
  rows[2].progress.retry_at = noon + 24h * 6;  // the clock was wrong when this was written
  Life life(noon);
  life.begin(rows, {});
  EXPECT_GE(life.scheduler.next_due(PageSlot{1}, life.start.now), life.start.now + 24h * 6);
  EXPECT_LE(life.scheduler.next_due(PageSlot{2}, life.start.now), life.start.now + 25h);
}

TEST(Restart, a_page_robots_txt_forbade_is_polled_at_once_where_that_is_ignored_now) {
  auto rows = page_rows();
  rows[1].progress.last_error = "robots: disallowed by robots.txt";
  rows[1].progress.retry_at = noon + 20h;
  Life obeying(noon);
  obeying.begin(rows, {});
  EXPECT_GE(obeying.scheduler.next_due(PageSlot{1}, obeying.start.now), obeying.start.now + 20h);
  Life ignoring(noon);
  ignoring.config.host_default.obey_robots = false;
  ignoring.begin(rows, {});
  EXPECT_LE(ignoring.scheduler.next_due(PageSlot{1}, ignoring.start.now),
            ignoring.start.now + 2min);
}

TEST(Restart, a_slow_server_is_remembered_as_one) {
  Life life(noon);
  store::HostRow slow{"h2.test:80", noon - 1s, std::nullopt, 10, 0};
  slow.response_ms = 5000;
  life.begin(page_rows(), {slow});
  EXPECT_EQ(life.scheduler.host_ready_at(*life.hosts.find("h2.test:80")), life.start.now + 9s);
}

}  // namespace
}  // namespace pollux::engine
