#include "pollux/report/brains.hpp"

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

constexpr char written[] = R"({"self":"a","allocator":"b","trouble":"","written_at":10000,"brains":[
  {"name":"a","pages":10,"hosts":2,"budget":1.5,"poll_rate":1.25,"requests":7,"changes":3,"errors":1,
   "seconds_ago":0.5},
  {"name":"b","pages":30,"hosts":4,"budget":2.5,"poll_rate":2,"requests":9,"changes":4,"errors":0,
   "seconds_ago":0.25}]})";
const WallTime two_seconds_later{std::chrono::milliseconds(12000)};

TEST(BrainsReport, adds_all_of_them_up) {
  const auto overview = brains_of(written, two_seconds_later);
  ASSERT_TRUE(overview);
  const BrainUse all = overview->all();
  EXPECT_EQ(all.pages, 40);
  EXPECT_EQ(all.hosts, 6);
  EXPECT_EQ(all.budget, 4);
  EXPECT_EQ(all.requests, 16);
  EXPECT_EQ(all.changes, 7);
  EXPECT_EQ(all.errors, 1);
  EXPECT_EQ(all.seconds_ago, 2.5);
  const Table table = brains_table(*overview);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[2][0].text, "all");
  EXPECT_EQ(table.rows[2][1].text, "40");
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(brains_text(*overview), "b divides the budget.");
  EXPECT_EQ(brains_json(*overview).at("all").at("pages").as_int64(), 40);
}

TEST(BrainsReport, what_is_wrong_is_told_and_nonsense_is_none) {
  BrainsOverview overview{.self = "a", .allocator = "", .trouble = "the line is cut", .brains = {}};
  EXPECT_EQ(brains_text(overview), "Nobody is known to divide the budget.\na: the line is cut");
  EXPECT_FALSE(brains_of("", two_seconds_later));
  EXPECT_FALSE(brains_of("[]", two_seconds_later));
  EXPECT_FALSE(brains_of(R"({"brains":1})", two_seconds_later));
  const auto odd = brains_of(R"({"brains":[1,{"name":2,"pages":"x"}]})", two_seconds_later);
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->brains.size(), 1u);
  EXPECT_EQ(odd->all().pages, 0);
}

}  // namespace
}  // namespace pollux::report
