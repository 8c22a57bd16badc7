#include "pollux/report/history.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

constexpr WallTime now(std::chrono::hours(500'000));

std::vector<Version> versions() {
  return {{4, now - std::chrono::hours(3), "bb", "text", 2048, "price 99.90 → 94.90"},
          {3, now - std::chrono::hours(30), "aa", "text", 2040, ""}};
}

TEST(History, is_a_line_for_each_version) {
  const Table table = history_table(versions(), now);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.rows[0][0].text, "4");
  EXPECT_EQ(table.rows[0][2].text, "3 h ago");
  EXPECT_EQ(table.rows[0].back().text, "price 99.90 → 94.90");
  EXPECT_EQ(table.rows[1].back().text, "—");
}

TEST(History, as_json_has_null_for_what_is_not_known) {
  const boost::json::array json = history_json(versions());
  EXPECT_EQ(json.at(0).at("number"), 4);
  EXPECT_EQ(json.at(0).at("bytes"), 2048);
  EXPECT_EQ(json.at(0).at("hash"), "bb");
  EXPECT_TRUE(json.at(1).at("summary").is_null());
}

}  // namespace
}  // namespace pollux::report
