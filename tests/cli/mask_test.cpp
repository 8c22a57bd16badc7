#include "pollux/extract/masks.hpp"
#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

class Masks : public testing::Test {
 protected:
  Masks() : database_(folder_.file("pollux.db")) {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    const std::vector<store::PageSpec> pages = {
        {.url = "https://example.org/news", .host = "example.org:443"},
        {.url = "https://example.org/quiet", .host = "example.org:443"}};
    EXPECT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(490'000))).ok());
  }

  // A mask on the first page, in the table that the daemon keeps.
  void add_mask() {
    auto connection = store::Connection::open(database_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(connection
                    ->execute("CREATE TABLE IF NOT EXISTS mask (id INTEGER PRIMARY KEY, page_id "
                              "INTEGER NOT NULL, mask TEXT NOT NULL, state TEXT NOT NULL, made_at "
                              "INTEGER NOT NULL, last_matched_at INTEGER)")
                    .ok());
    auto row = connection->prepare(
        "INSERT INTO mask(page_id, mask, state, made_at) SELECT id, ?1, 'learnt', 1764000000000 "
        "FROM page WHERE url LIKE '%news'");
    ASSERT_TRUE(row.ok());
    const std::string text = extract::to_text(mask_);
    ASSERT_TRUE(row->bind(1, std::string_view(text)).run().ok());
  }
  test::Finished run(std::vector<std::string> words) {
    words.insert(words.begin(), {"mask", "list", "--database", database_});
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }

  const extract::Mask mask_{
      .kind = extract::TokenKind::number, .before = {"Visitors", ":"}, .after = {"today"}};
  test::TempFolder folder_;
  std::string database_;
};

TEST_F(Masks, there_are_none_in_a_database_without_any) {
  EXPECT_EQ(run({}).out, "No page has a mask.\n");
  EXPECT_EQ(run({"news"}).out, "This page has no mask.\n");
  EXPECT_TRUE(json::parse(run({"--json"}).out).as_array().empty());
  EXPECT_EQ(run({"nowhere"}).exit_code, 66);
}

TEST_F(Masks, are_listed_with_a_line_for_the_configuration) {
  add_mask();
  const test::Finished list = run({});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_TRUE(list.out.starts_with("https://example.org/news\n  1  learnt, number after “Visitors"))
      << list.out;
  EXPECT_NE(list.out.find("\n      ignore: ['"), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("last matched never"), std::string::npos) << list.out;
  EXPECT_EQ(run({"news"}).out, list.out);
  EXPECT_EQ(run({"quiet"}).out, "This page has no mask.\n");
}

TEST_F(Masks, as_json_have_the_pattern) {
  add_mask();
  const json::value all = json::parse(run({"--json"}).out);
  ASSERT_EQ(all.as_array().size(), 1u);
  EXPECT_EQ(all.at(0).at("url"), "https://example.org/news");
  EXPECT_EQ(all.at(0).at("kind"), "number");
  EXPECT_EQ(all.at(0).at("state"), "learnt");
  EXPECT_EQ(all.at(0).at("before").at(0), "Visitors");
  EXPECT_EQ(all.at(0).at("ignore").as_string(), extract::ignore_pattern(mask_));
  EXPECT_TRUE(all.at(0).at("last_matched_at").is_null());
}

}  // namespace
}  // namespace pollux::cli
