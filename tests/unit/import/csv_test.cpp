#include "imported.hpp"

namespace pollux::import {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

TEST(ImportCsv, columns_are_known_by_their_names) {
  const Imported list = imported(
      "Name,URL,Tags,Importance,Interval,Min interval,Timeout,User-Agent,Select\n"
      "\"News, daily\",https://a.example/news,\"press; daily\",2.5,6h,30s,10s,me/1,main article\n"
      ",b.example/,,,,,,,\n");
  EXPECT_EQ(list.format, Format::csv);
  ASSERT_EQ(list.pages.size(), 2u);
  const Page& page = list.pages[0];
  EXPECT_EQ(page.name, "News, daily");
  EXPECT_EQ(page.tags, (Texts{"press", "daily"}));
  EXPECT_EQ(page.importance, 2.5);
  EXPECT_EQ(page.max_interval, 6h);
  EXPECT_EQ(page.min_interval, 30s);
  EXPECT_EQ(page.timeout, 10s);
  EXPECT_EQ(page.user_agent, "me/1");
  EXPECT_EQ(page.content.select,
            (std::vector<extract::Selector>{{extract::Selector::Language::css, "main article"}}));
  EXPECT_EQ(list.pages[1].url, "https://b.example/");
  expect_same_when_loaded(list);
}

TEST(ImportCsv, other_separators_and_quotes_over_lines_are_read) {
  for (const char separator : {';', '\t', '|'}) {
    std::string text =
        "url,name\n\"https://a.example/\",\"two \"\"lines\"\"\nhere\"\nhttps://b.example/,x\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const Imported list = imported(text);
    ASSERT_EQ(list.pages.size(), 2u) << separator;
    EXPECT_EQ(list.pages[0].name, "two \"lines\" here");
    EXPECT_EQ(list.pages[1].name, "x");
  }
}

TEST(ImportCsv, a_quote_that_nothing_closes_swallows_no_row) {
  const Imported list = imported(
      "url,name\nhttps://a.example/,\"open\nhttps://b.example/,b\nhttps://c.example/,\"\"\n");
  ASSERT_EQ(list.pages.size(), 3u);
  EXPECT_EQ(list.pages[0].name, "\"open");
  EXPECT_EQ(list.pages[1].url, "https://b.example/");
  EXPECT_TRUE(has_note(list.changed, 2, "a quote that nothing closes")) << all_of(list.changed);
}

TEST(ImportCsv, without_a_first_row_of_names_the_column_with_urls_is_taken) {
  const Imported list =
      imported("1;https://a.example/;x\n2;https://b.example/;y\n", Format::automatic, "export.csv");
  EXPECT_EQ(urls_of(list), (Texts{"https://a.example/", "https://b.example/"}));
  EXPECT_TRUE(has_note(list.left_out, 1, "nothing names them"));
}

TEST(ImportCsv, what_cannot_be_taken_is_named_with_its_line) {
  const Imported list = imported(
      "url,importance,interval,owner\nhttps://a.example/,high,6,anna\n,1,1h,x\nhttps://b.example/,"
      "1,0.0001ms,\n\nnot a url,,,\n");
  EXPECT_EQ(list.pages.size(), 2u);
  EXPECT_TRUE(has_note(list.left_out, 1, "the column 'owner'")) << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.left_out, 2, "importance 'high'"));
  EXPECT_TRUE(has_note(list.left_out, 2, "unit"));
  EXPECT_TRUE(has_note(list.left_out, 3, "a row without a URL"));
  EXPECT_TRUE(has_note(list.left_out, 6, "not a url"));
  expect_same_when_loaded(list);
}

TEST(ImportCsv, a_table_without_urls_is_refused) {
  const Error error = refused("a,b\nc,d\n", Format::csv);
  EXPECT_EQ(error.exit_code, ExitCode::bad_data);
  EXPECT_TRUE(contains(error.message, "list:1: no column holds URLs")) << error.message;
}

TEST(ImportCsv, names_and_tags_of_any_kind_can_be_read_again) {
  const Imported list = imported(
      "url,name,tags\nhttps://a.example/,yes,\"null, #x, [y], {z}\"\nhttps://b.example/,\"- it's: "
      "#1 \"\"\",true\nhttps://c.example/,\xC3\xA4\xC2\x85\x01z,*a\nhttps://d.example/," +
      std::string(500, 'x') + ",~\n");
  ASSERT_EQ(list.pages.size(), 4u);
  EXPECT_EQ(list.pages[3].name.size(), 200u);
  expect_same_when_loaded(list);
}

}  // namespace
}  // namespace pollux::import
