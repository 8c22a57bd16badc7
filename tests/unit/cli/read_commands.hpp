// What the tests of the commands that show things share: a database, and the program on it.
#pragma once

#include "pollux/cli/command.hpp"
#include "pollux/store/store.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pollux::cli {

namespace json = boost::json;
using store::Batch;
using store::PollRecord;
using store::Store;

inline WallTime wall_now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

struct Outcome {
  int exit_code = 0;
  std::string out, err;
  bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
  bool complains(const std::string& text) const { return err.find(text) != std::string::npos; }
};

// A database as a daemon would have left it: a busy page, a quiet one that its max_interval keeps
// alive, a failing one, and one not polled yet.
class ReadCommands : public testing::Test {
 protected:
  ReadCommands() {
    database_ = (folder_ / "pollux.db").string();
    auto opened = Store::open(database_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    fill();
  }

  void fill() {
    std::vector<store::PageSpec> pages;
    for (const char* name : {"busy", "quiet", "broken", "new"}) {
      pages.push_back({.url = std::string("https://example.org/") + name,
                       .host = "example.org:443",
                       .importance = name == std::string("busy") ? 3.0 : 1.0,
                       .min_interval_ms = 5'000,
                       .max_interval_ms = 3'600'000});
    }
    ASSERT_TRUE(store_->reconcile(pages, now_).ok());
    std::map<std::string, PageId> ids;
    ASSERT_TRUE(
        store_->load_pages([&](store::PageRow&& page) { ids[page.spec.url.substr(20)] = page.id; })
            .ok());
    Batch batch;
    batch.polls = {busy(ids["busy"]), quiet(ids["quiet"]), broken(ids["broken"])};
    batch.hosts.push_back({"example.org:443", now_, std::nullopt, 120, 3});
    const WallTime minute = std::chrono::floor<std::chrono::minutes>(now_);
    batch.minutes.push_back({.minute = minute - std::chrono::minutes(1),
                             .budget = 2,
                             .requests = 114,
                             .polls = 110,
                             .changes = 4});
    const auto ms = [](WallTime time) { return std::to_string(time.time_since_epoch().count()); };
    batch.meta = {{"budget", "2"},
                  {"policy", "htraa"},
                  {"explore", "0.03"},
                  {"max_interval_stretch", "1.000"},
                  {"version", "0.1.0"},
                  {"started_at", ms(minute - std::chrono::minutes(1))},
                  {"heartbeat_at", ms(minute)}};
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
  PageId id_of(const std::string& name) const {
    PageId id{};
    EXPECT_TRUE(store_
                    ->load_pages([&](store::PageRow&& page) {
                      if (page.spec.url.ends_with("/" + name)) id = page.id;
                    })
                    .ok());
    return id;
  }
  PollRecord busy(PageId id) const {
    PollRecord record;
    record.page = id;
    record.progress.polls = 100;
    record.progress.changes = 7;
    record.progress.last_polled_at = now_ - std::chrono::seconds(10);
    record.progress.last_changed_at = now_ - std::chrono::hours(3);
    record.progress.last_status = 200;
    record.progress.content_hash = std::string(64, 'b');
    record.progress.body_bytes = 2048;
    record.progress.share = 0.9;
    record.progress.change_rate_per_day = 24;
    record.progress.next_due_at = now_ + std::chrono::minutes(5);
    record.change = store::ChangeRow{.page = id,
                                     .found_at = now_ - std::chrono::hours(3),
                                     .previous_poll_at = now_ - std::chrono::hours(4),
                                     .old_hash = std::string(64, 'a'),
                                     .new_hash = std::string(64, 'b'),
                                     .body_bytes = 2048,
                                     .status = 200};
    return record;
  }
  PollRecord quiet(PageId id) const {
    PollRecord record;
    record.page = id;
    record.progress.polls = 12;
    record.progress.last_polled_at = now_;
    record.progress.last_status = 200;
    record.progress.content_hash = std::string(64, 'c');
    record.progress.share = 0.00001;
    record.progress.change_rate_per_day = 0.01;
    return record;
  }
  PollRecord broken(PageId id) const {
    PollRecord record;
    record.page = id;
    record.progress.polls = 3;
    record.progress.errors = 3;
    record.progress.error_streak = 3;
    record.progress.last_error = "timeout";
    record.progress.last_polled_at = now_;
    record.progress.retry_at = now_ + std::chrono::hours(2);
    record.progress.share = 0.05;
    return record;
  }

  Outcome run(std::vector<std::string> words, bool name_database = true) {
    words.insert(words.begin(), "pollux");
    if (name_database) {
      words.emplace_back("--database");
      words.push_back(database_);
    }
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.exit_code = cli::run(static_cast<int>(argv.size()), argv.data());
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
  }

  const WallTime now_ = wall_now();
  test::TempFolder folder_;
  std::string database_;
  std::unique_ptr<Store> store_;
};

}  // namespace pollux::cli
