// What the tests of the store share: a temporary folder, short ways to say a page and a poll, and a
// connection of one's own to look at what is really in the file.
#pragma once

#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"
#include "support/temp_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::store {

inline WallTime at_ms(std::int64_t ms) {
  return WallTime(std::chrono::milliseconds(ms));
}
inline constexpr std::int64_t noon = 1'790'000'000'000;  // 2026-09-21T14:13:20Z

inline PageSpec page_of(const std::string& name, double importance = 1) {
  return {.url = "https://example.org/" + name,
          .host = "example.org:443",
          .importance = importance,
          .min_interval_ms = 5'000,
          .max_interval_ms = 86'400'000,
          .name = {},
          .tags = {}};
}
inline std::vector<PageSpec> pages_of(std::initializer_list<std::string> names) {
  std::vector<PageSpec> pages;
  for (const std::string& name : names) pages.push_back(page_of(name));
  return pages;
}
inline std::vector<PageSpec> numbered_pages(int count) {
  std::vector<PageSpec> pages;
  for (int i = 0; i < count; ++i) pages.push_back(page_of("p" + std::to_string(i)));
  return pages;
}

inline PollRecord poll_of(PageId page, std::int64_t polls, bool changed = false) {
  PollRecord record;
  record.page = page;
  record.progress.polls = polls;
  record.progress.changes = changed ? 1 : 0;
  record.progress.last_polled_at = at_ms(noon + polls);
  record.progress.last_confirmed_at = at_ms(noon + polls);
  record.progress.last_status = 200;
  record.progress.content_hash = std::string(64, changed ? 'b' : 'a');
  record.progress.body_bytes = 4096;
  record.progress.share = 0.5;
  if (changed) {
    record.progress.last_changed_at = at_ms(noon + polls);
    record.change = ChangeRow{.page = page,
                              .found_at = at_ms(noon + polls),
                              .previous_poll_at = at_ms(noon - 60'000),
                              .old_hash = std::string(64, 'a'),
                              .new_hash = std::string(64, 'b'),
                              .body_bytes = 4096,
                              .status = 200};
  }
  return record;
}

class StoreTest : public testing::Test {
 protected:
  std::string path(const std::string& name = "pollux.db") const { return folder_.file(name); }
  std::unique_ptr<Store> open() const {
    Result<std::unique_ptr<Store>> store = Store::open(path());
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().message);
    return store.ok() ? std::move(*store) : nullptr;
  }
  static std::map<std::string, PageRow> load(Store& store) {
    std::map<std::string, PageRow> pages;
    const Status loaded = store.load_pages(
        [&](PageRow&& page) { pages[page.spec.url.substr(20)] = std::move(page); });
    EXPECT_TRUE(loaded.ok());
    return pages;
  }
  // The first column of the first row, by a connection of our own.
  std::string ask(const std::string& sql) const {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    if (!connection) return connection.error().message;
    const Result<std::string> answer = connection->text(sql);
    return answer ? *answer : answer.error().message;
  }
  void write_file(const std::string& name, const std::string& text) const {
    folder_.write(name, text);
  }

  test::TempFolder folder_;
};

}  // namespace pollux::store
