#include "store/merged_rows.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace pollux::store {
namespace {

RobotsRow robots(const std::string& host, std::size_t rule_bytes) {
  RobotsRow row;
  row.host = host;
  row.verdict = "rules";
  row.rules = std::string(rule_bytes, 'x');
  row.fetched_at = WallTime(std::chrono::hours(480'000));
  row.check_at = row.fetched_at + std::chrono::hours(24);
  return row;
}

// An older copy may lie in the file, and allow what the newer one forbids.
TEST(MergedRows, rules_that_find_no_room_leave_a_note_to_ask_again) {
  constexpr std::size_t large = 500u << 10;
  MergedRows merged;
  for (int i = 0; i < 100; ++i) {
    Batch batch;
    batch.robots.push_back(robots("host" + std::to_string(i), large));
    merged.add(std::move(batch));
  }
  Batch written;
  merged.move_to(written);
  ASSERT_EQ(written.robots.size(), 100u);
  std::size_t bytes = 0, kept = 0;
  for (const RobotsRow& row : written.robots) {
    bytes += row.rules.size();
    if (!row.rules.empty()) {
      ++kept;
      EXPECT_EQ(row.verdict, "rules");
      continue;
    }
    EXPECT_EQ(row.verdict, "disallow") << row.host;
    EXPECT_EQ(row.check_at, row.fetched_at) << row.host;
  }
  EXPECT_LE(bytes, 16u << 20);
  EXPECT_GT(kept, 0u);
}

}  // namespace
}  // namespace pollux::store
