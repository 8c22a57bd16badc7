#include "pollux/report/status.hpp"

#include "unit/report/facts.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

StatusFacts facts_of(const Holder& holder) {
  StatusFacts facts{.database = "/var/lib/pollux/pollux.db",
                    .summary = {},
                    .figures = busy_figures(),
                    .health = {},
                    .now = noon + std::chrono::seconds(5)};
  facts.summary.active = 4;
  facts.summary.hosts = 2;
  facts.summary.polls = 1'000;
  facts.summary.changes = 50;
  facts.summary.database_bytes = 4096;
  facts.summary.minutes = {{.minute = std::chrono::floor<std::chrono::minutes>(noon),
                            .budget = 2,
                            .requests = 114,
                            .polls = 110,
                            .changes = 4}};
  facts.health = health_of(holder, facts.figures, facts.now);
  return facts;
}

TEST(Status, a_daemon_at_work) {
  const std::vector<Line> lines = status_of(facts_of({.pid = 42}));
  EXPECT_EQ(on(lines, "daemon"), "running, pid 42, since 2026-09-21T13:13:20.000Z");
  EXPECT_EQ(on(lines, "budget"), "2/s, 95.0 % used (114 requests in 1 min)");
  EXPECT_EQ(on(lines, "pages"), "4 active on 2 hosts");
  EXPECT_EQ(on(lines, "failing"), "0");
  EXPECT_EQ(on(lines, "changes"), "4 in the last 10 min, 50 since the beginning in 1000 polls");
  EXPECT_EQ(on(lines, "learner"), "htraa, objective changes, 3 % of the polls explore");
  EXPECT_EQ(on(lines, "database"), "/var/lib/pollux/pollux.db, 4 KiB, log 0 B");
  for (const char* topic : {"ALERT", "fetches", "note", "backup", "config"}) {
    EXPECT_EQ(on(lines, topic), "(none)") << topic;
  }
}

TEST(Status, looks_are_counted_when_there_were_any) {
  StatusFacts facts = facts_of({.pid = 42});
  EXPECT_EQ(on(status_of(facts), "looks"), "(none)");
  facts.summary.minutes.front().looks = 30;
  facts.summary.minutes.front().looks_found = 21;
  facts.summary.minutes.front().explored = 4;
  EXPECT_EQ(on(status_of(facts), "looks"),
            "30 of 110 polls were at siblings of pages that had changed, 21 found a change");
  const boost::json::object told = status_json(facts);
  const boost::json::object& minute = told.at("minutes").as_array().at(0).as_object();
  EXPECT_EQ(minute.at("explored"), 4);
  EXPECT_EQ(minute.at("looks"), 30);
  EXPECT_EQ(minute.at("looks_found"), 21);
}

TEST(Status, what_needs_attention_is_said) {
  StatusFacts facts = facts_of({.pid = 42, .alert = "disk\nfull"});
  facts.summary.failing = 3;
  facts.summary.paused = 1;
  facts.summary.wal_bytes = 65 << 20;
  facts.figures.max_interval_stretch = 1.5;
  facts.figures.last_backup_at = noon;
  facts.figures.last_backup = "copy.db";
  facts.figures.config_file = "/etc/pollux.yaml";
  const std::vector<Line> lines = status_of(facts);
  EXPECT_TRUE(on(lines, "ALERT").starts_with("disk\\x0afull; polling goes on"));
  EXPECT_EQ(on(lines, "failing"), "3   (pollux pages --order errors)");
  EXPECT_EQ(on(lines, "pages"), "4 active on 2 hosts, 1 paused");
  EXPECT_TRUE(on(lines, "database").ends_with("(large: does a reader hold a transaction open?)"));
  EXPECT_TRUE(on(lines, "note").ends_with("they are stretched 1.5 times"));
  EXPECT_EQ(on(lines, "backup"), "5 s ago, copy.db");
  EXPECT_EQ(on(lines, "config"), "/etc/pollux.yaml");
}

TEST(Status, nobody_there_and_somebody_silent_differ) {
  EXPECT_EQ(on(status_of(facts_of({.pid = std::nullopt})), "daemon"),
            "not running; the last one was alive 5 s ago");
  StatusFacts silent = facts_of({.pid = 42});
  silent.now = noon + std::chrono::hours(1);
  silent.health = health_of({.pid = 42}, silent.figures, silent.now);
  EXPECT_TRUE(
      on(status_of(silent), "daemon").ends_with("STUCK? its last sign of life was 1 h ago"));
}

TEST(Status, fetches_are_told_when_they_are_controlled) {
  StatusFacts facts = facts_of({.pid = 42});
  facts.figures.fetches_out = 31;
  facts.figures.fetches_allowed = 32;
  facts.figures.detect_waiting = 4;
  facts.figures.detect_starved_seconds = 1.5;
  facts.figures.detect_overflows = 2;
  EXPECT_EQ(on(status_of(facts), "fetches"),
            "31 out of 32 allowed, 4 pages wait for detection; since the start: starved 1.5 s, "
            "overflowed 2 times");
  EXPECT_EQ(status_json(facts).at("fetches").at("fetches_allowed"), 32.0);
}

TEST(Status, a_refused_reload_is_told_until_one_succeeds) {
  StatusFacts facts = facts_of({.pid = 42});
  facts.figures.reload_refused = "pollux.yaml:3: unknown key 'budgt'";
  facts.figures.reloaded_at = noon;
  EXPECT_EQ(on(status_of(facts), "RELOAD"),
            "refused 5 s ago, the old configuration stays in force: pollux.yaml:3: unknown key "
            "'budgt'");
  EXPECT_EQ(status_json(facts).at("reload_refused").as_string(), facts.figures.reload_refused);
  facts.figures.reload_refused.clear();
  EXPECT_EQ(on(status_of(facts), "RELOAD"), "(none)");
  EXPECT_TRUE(status_json(facts).at("reload_refused").is_null());
}

TEST(Status, as_json_it_has_every_field) {
  const boost::json::object status = status_json(facts_of({.pid = 42}));
  for (const char* field : {"running",
                            "healthy",
                            "alert",
                            "pid",
                            "started_at",
                            "heartbeat_at",
                            "version",
                            "policy",
                            "config_file",
                            "reload_refused",
                            "reloaded_at",
                            "last_backup_at",
                            "last_backup",
                            "budget",
                            "explore",
                            "max_interval_stretch",
                            "loop_stall_p999_ms",
                            "loop_stall_longest_ms",
                            "fetches",
                            "budget_used",
                            "pages",
                            "deliveries",
                            "file_budget",
                            "polls",
                            "changes",
                            "errors",
                            "database",
                            "database_bytes",
                            "wal_bytes",
                            "minutes"}) {
    EXPECT_TRUE(status.contains(field)) << field;
  }
  EXPECT_EQ(status.size(), 32U);
  EXPECT_EQ(status.at("fetches").as_object().size(), 7U);
  EXPECT_EQ(status.at("budget_used"), 0.95);
  EXPECT_EQ(status.at("minutes").at(0).at("requests"), 114);
  EXPECT_TRUE(status.at("alert").is_null());
}

}  // namespace
}  // namespace pollux::report
