#include "web/page_columns.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::web {
namespace {

// Pages whose ids and URLs are in opposite orders.
std::string backward_url(int number) {
  return "https://example.org/section/article-" + std::to_string(999'999 - number) + ".html";
}

// Lives as long as its URL.
store::PageFigures backward_page(int number, const std::string& url) {
  store::PageFigures page;
  page.id = number + 1;
  page.url = url;
  page.host = "example.org";
  page.tags = number % 2 == 0 ? R"(["even"])" : "";
  page.state = "active";
  page.health = "ok";
  page.share = number;
  page.importance = 1 + number % 3;
  page.min_interval_ms = 60'000;
  page.max_interval_ms = 40LL * 365 * 86'400'000;
  return page;
}

void pass_over(PageColumns& columns, int pages) {
  columns.begin();
  for (int number = 0; number < pages; ++number) {
    const std::string url = backward_url(number);
    ASSERT_TRUE(columns.take(backward_page(number, url)));
  }
  if (columns.in_order())
    columns.end();
  else
    columns.end(columns.url_order());
}

TEST(PageColumns, pages_that_come_later_take_their_place_among_the_urls) {
  PageColumns columns;
  for (const int pages : {0, 1, 500, 500, 70'000}) {
    pass_over(columns, pages);
    ASSERT_EQ(columns.size(), static_cast<PageColumns::Row>(pages));
    for (PageColumns::Row place = 0; place < columns.size(); ++place) {
      const PageColumns::Row row = columns.by_url()[place];
      ASSERT_EQ(row, columns.size() - 1 - place);
      ASSERT_EQ(columns.url(row), backward_url(static_cast<int>(row)));
    }
  }
  const auto last = columns.find({.descending = true, .limit = 2});
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->ids, (std::vector<std::int64_t>{1, 2}));
}

TEST(PageColumns, what_is_wished_for_many_pages_is_told_of_each) {
  PageColumns columns;
  pass_over(columns, 100);
  for (PageColumns::Row row = 0; row < columns.size(); ++row) {
    EXPECT_EQ(columns.has_tag(row, "even"), row % 2 == 0);
    EXPECT_EQ(columns.importance(row), 1 + row % 3);
    EXPECT_EQ(columns.min_interval_ms(row), 60'000);
    EXPECT_EQ(columns.max_interval_ms(row), 40LL * 365 * 86'400'000);
  }
  EXPECT_EQ(columns.find({.tag = "even", .sort = SortBy::importance})->total, 50u);
}

TEST(PageColumns, a_page_takes_about_a_hundred_bytes) {
  PageColumns columns;
  constexpr int pages = 70'000;
  pass_over(columns, pages);
  const std::size_t letters = backward_url(0).size();
  EXPECT_LE(columns.bytes(), pages * (70 + letters) * 9 / 8 + (1u << 20));
  EXPECT_GE(columns.bytes(), pages * letters);
}

}  // namespace
}  // namespace pollux::web
