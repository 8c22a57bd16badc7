#include "pollux/report/changes.hpp"

#include "unit/report/facts.hpp"

#include <map>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

store::ChangeView change() {
  return {.id = 5,
          .url = "https://user:secret@example.org/",
          .name = {},
          .tags = {},
          .row = {.page = PageId(7),
                  .found_at = noon,
                  .previous_poll_at = noon - std::chrono::minutes(2),
                  .old_hash = "aa",
                  .new_hash = "bb",
                  .body_bytes = 2048,
                  .status = 200}};
}

TEST(Changes, the_table_tells_when_and_how_late) {
  const Table table = changes_table({change()}, noon + std::chrono::hours(3));
  ASSERT_EQ(table.rows.size(), 1U);
  ASSERT_EQ(table.rows[0].size(), table.columns.size());
  std::vector<std::string> texts;
  for (const Cell& cell : table.rows[0]) texts.push_back(cell.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"2026-09-21T14:13:20Z", "3 h ago", "2 min", "2 KiB",
                                             "https://***@example.org/", "—", "—",
                                             "https://***@example.org/", "—", "5", "—"}));
  EXPECT_EQ(table.rows[0][2].value, 120.0);
}

TEST(Changes, a_page_is_called_by_its_name) {
  store::ChangeView named = change();
  named.name = "Release notes";
  named.tags = R"(["work","releases"])";
  const Table table = changes_table({named}, noon);
  std::map<std::string, std::string> cells;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    cells[table.columns[i].title] = table.rows[0][i].text;
  EXPECT_EQ(cells["PAGE"], "Release notes");
  EXPECT_EQ(cells["URL"], "https://***@example.org/");
  EXPECT_EQ(cells["TAGS"], "work, releases");
  EXPECT_EQ(change_json(named).at("name"), "Release notes");
  EXPECT_EQ(change_json(named).at("tags"), boost::json::parse(named.tags));
}

TEST(Changes, as_json_a_change_has_every_field) {
  const boost::json::object told = changes_json({change()}).at(0).as_object();
  EXPECT_EQ(told.size(), 15U);
  EXPECT_TRUE(told.at("words_added").is_null());
  EXPECT_TRUE(told.at("summary").is_null());
  EXPECT_EQ(told.at("id"), 5);
  EXPECT_EQ(told.at("page_id"), 7);
  EXPECT_EQ(told.at("found_at"), "2026-09-21T14:13:20.000Z");
  EXPECT_EQ(told.at("previous_poll_at"), "2026-09-21T14:11:20.000Z");
  EXPECT_EQ(told.at("old_hash"), "aa");
  EXPECT_EQ(told.at("new_hash"), "bb");
  EXPECT_EQ(told.at("body_bytes"), 2048);
  EXPECT_EQ(told.at("status"), 200);
  EXPECT_EQ(told.at("url"), "https://user:secret@example.org/");
}

TEST(Changes, what_is_missing_is_null_and_masked_places_are_an_ellipsis) {
  store::ChangeView change;
  change.url = "https://example.org/";
  change.row.summary = "Made as ‹hex›: +news";
  const boost::json::object json = change_json(change);
  EXPECT_TRUE(json.at("name").is_null());
  EXPECT_TRUE(json.at("tags").as_array().empty());
  EXPECT_TRUE(json.at("old_hash").is_null());
  EXPECT_EQ(json.at("summary"), "Made as …: +news");
  change.row.summary.clear();
  EXPECT_TRUE(change_json(change).at("summary").is_null());
}

}  // namespace
}  // namespace pollux::report
