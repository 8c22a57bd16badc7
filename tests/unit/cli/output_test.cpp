#include "cli/output.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

TEST(Output, widths_are_those_of_a_terminal) {
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("übung"), 5U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // a combining accent takes no room
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Output, text_is_shortened_between_characters) {
  EXPECT_EQ(shortened("https://example.org", 19), "https://example.org");
  EXPECT_EQ(shortened("https://example.org", 9), "https://…");
  EXPECT_EQ(shortened("日本日本", 5), "日本…");
  EXPECT_EQ(shortened("日本日本", 4), "日…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Output, urls_are_shortened_in_the_middle) {
  EXPECT_EQ(shortened_middle("https://example.org/a/b", 23), "https://example.org/a/b");
  EXPECT_EQ(shortened_middle("https://example.org/news/42", 16), "https://…news/42");
  EXPECT_EQ(shortened_middle("日本日本日本", 7), "日…本");
  EXPECT_EQ(shortened_middle("abc", 1), "…");
  EXPECT_EQ(shortened_middle("abc", 0), "");
  for (std::size_t width = 0; width < 30; ++width) {
    EXPECT_LE(display_width(shortened_middle("https://日本.example/übung?q=1", width)), width);
  }
}

TEST(Output, tables_are_aligned) {
  Table table({{"N", Align::right}, {"NAME"}});
  table.add({"1", "日本"});
  table.add({"100", "b"});
  EXPECT_EQ(table.text(std::nullopt), "  N  NAME\n  1  日本\n100  b\n");
}

TEST(Output, the_last_column_gives_way_to_the_terminal) {
  Table table({{"N"}, {"URL"}});
  table.add({"1", "https://example.org/a/very/long/path"});
  EXPECT_EQ(table.text(20), "N  URL\n1  https://example.…\n");
  EXPECT_EQ(table.text(1), "N  URL\n1  https://e…\n");
}

TEST(Output, cells_cannot_forge_lines) {
  Table table({{"URL"}});
  table.add({"a\nb\x1b[31m"});
  EXPECT_EQ(table.text(std::nullopt), "URL\na\\x0ab\\x1b[31m\n");
}

TEST(Output, the_column_that_may_be_shortened_gives_way) {
  Table table(
      report::Table{{{"URL", Align::left, report::Fit::shortened}, {"N", Align::right}},
                    {{std::string("https://example.org/a/very/long/path"), report::Cell("7", 7)}}});
  EXPECT_EQ(table.text(20), "URL                N\nhttps://…ong/path  7\n");
}

TEST(Output, columns_that_give_way_share_what_is_left) {
  const auto table = [](const std::string& what) {
    return Table(
        report::Table{{{"N"},
                       {"URL", Align::left, report::Fit::shortened},
                       {"WHAT", Align::left, report::Fit::cut}},
                      {{std::string("1"), std::string("https://example.org/a/long/path"), what}}});
  };
  EXPECT_EQ(table("price 99.90 to 94.90, in stock again").text(45),
            "N  URL                   WHAT\n"
            "1  https://ex…long/path  price 99.90 to 94.9…\n");
  EXPECT_EQ(table("sold").text(45),
            "N  URL                              WHAT\n"
            "1  https://example.org/a/long/path  sold\n")
      << "who needs less leaves it to the others";
}

TEST(Output, columns_that_nobody_asked_for_or_that_are_empty_are_left_out) {
  Table table(
      report::Table{{{"N"},
                     {"NAME", Align::left, report::Fit::whole, 1, report::Show::if_any},
                     {"TAGS", Align::left, report::Fit::whole, 1, report::Show::if_any},
                     {"URL", Align::left, report::Fit::whole, 1, report::Show::asked}},
                    {{std::string("1"), std::string("—"), std::string("—"), std::string("u")},
                     {std::string("2"), std::string("a"), std::string(), std::string("v")}}});
  Table asked = table;
  table.drop_idle();
  EXPECT_EQ(table.text(std::nullopt), "N  NAME\n1  —\n2  a\n");
  ASSERT_TRUE(asked.keep({"url", "tags"}).ok());
  EXPECT_EQ(asked.text(std::nullopt), "URL  TAGS\nu    —\nv\n");
}

Table ranked() {
  return Table(report::Table{{{"SHARE", Align::right, report::Fit::whole, 1},
                              {"POLLS", Align::right, report::Fit::whole, 3},
                              {"STATUS", Align::left, report::Fit::capped, 2},
                              {"URL", Align::left, report::Fit::shortened}},
                             {{report::Cell("90 %"), report::Cell("123456"),
                               report::Cell("200, moved to https://example.org/somewhere/else"),
                               report::Cell("https://example.org/a/very/long/path/to/a/page")}}});
}

TEST(Output, the_least_telling_columns_are_left_out_where_room_is_short) {
  Table wide = ranked();
  EXPECT_TRUE(wide.fit(200).empty());
  Table some = ranked();
  EXPECT_EQ(some.fit(76), std::vector<std::string>{"POLLS"});
  Table few = ranked();
  EXPECT_EQ(few.fit(50), (std::vector<std::string>{"POLLS", "STATUS"}));
  Table least = ranked();
  EXPECT_EQ(least.fit(20).size(), 3u) << "the URL stays";
  for (const std::size_t width : {20u, 40u, 60u, 76u, 80u, 100u, 132u}) {
    Table table = ranked();
    table.fit(width);
    std::istringstream lines(table.text(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width);
  }
}

TEST(Output, columns_are_chosen_by_their_titles_in_any_spelling) {
  Table table = ranked();
  ASSERT_TRUE(table.keep({"url", "Share"}).ok());
  EXPECT_TRUE(table.text(std::nullopt).starts_with("URL "));
  EXPECT_EQ(title_key("CHANGES/DAY"), "changes_day");
  const Status unknown = ranked().keep({"colour"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().exit_code, ExitCode::usage);
  EXPECT_NE(unknown.error().message.find("share, polls, status, url"), std::string::npos);
}

}  // namespace
}  // namespace pollux::cli
