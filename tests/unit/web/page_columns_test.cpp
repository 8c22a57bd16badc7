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

TEST(PageColumns, a_pass_that_ends_before_the_last_page_tells_that_pages_are_gone) {
  PageColumns columns;
  pass_over(columns, 3);
  EXPECT_TRUE(columns.whole());
  columns.begin();
  for (int number = 0; number < 2; ++number) {
    const std::string url = backward_url(number);
    ASSERT_TRUE(columns.take(backward_page(number, url)));
  }
  EXPECT_FALSE(columns.whole());
}

TEST(PageColumns, a_host_that_a_pass_finds_has_no_share_before_its_end) {
  PageColumns columns;
  pass_over(columns, 1);
  columns.begin();
  const std::string first = backward_url(0), second = backward_url(1);
  ASSERT_TRUE(columns.take(backward_page(0, first)));
  store::PageFigures page = backward_page(1, second);
  page.host = "new.example";
  ASSERT_TRUE(columns.take(page));
  const auto host = columns.hosts().find("new.example");
  ASSERT_TRUE(host.has_value());
  EXPECT_EQ(columns.share_of_host(*host), 0);
  columns.end(columns.url_order());
  EXPECT_EQ(columns.share_of_host(*host), 1);
}

TEST(PageColumns, a_share_that_limits_cut_down_is_planned_and_sorted_as_what_is_left_of_it) {
  PageColumns columns;
  columns.begin();
  const std::string lively = backward_url(0), quiet = backward_url(1);
  store::PageFigures page = backward_page(0, lively);
  page.share = 0.9;
  page.min_interval_ms = 10'000;
  ASSERT_TRUE(columns.take(page));
  page = backward_page(1, quiet);
  page.share = 0.1;
  page.min_interval_ms = 1'000;
  ASSERT_TRUE(columns.take(page));
  columns.end(columns.url_order());
  EXPECT_NEAR(columns.planned_share(0), 0.9, 1e-6) << "nothing else is known";
  // The view says that the rest of the budget is the other page's.
  columns.plan({.shares_of = 1, .budget = 1, .factor = {.free = 9, .held = 1}});
  EXPECT_NEAR(columns.planned_share(0), 0.1, 1e-6);
  EXPECT_NEAR(columns.planned_share(1), 0.9, 1e-6);
  const auto first = columns.find({.sort = SortBy::share, .descending = true, .limit = 1});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->ids, std::vector<std::int64_t>{2});
  // Both share a host that lets them have a poll in two seconds.
  columns.plan({.shares_of = 1, .budget = 1, .pauses = {2}});
  EXPECT_NEAR(columns.planned_share(1), 0.05, 1e-6);
}

TEST(PageColumns, an_id_that_has_another_url_now_is_another_page) {
  PageColumns columns;
  pass_over(columns, 2);
  columns.begin();
  const std::string first = backward_url(0), other = "https://other.example/";
  ASSERT_TRUE(columns.take(backward_page(0, first)));
  EXPECT_FALSE(columns.take(backward_page(1, other)));
}

TEST(PageColumns, are_sorted_by_how_likely_they_are_outdated_and_found_when_paused) {
  PageColumns columns;
  const WallTime now(std::chrono::hours(490'000));
  columns.begin(now);
  std::vector<std::string> urls;
  for (int number = 0; number < 4; ++number) urls.push_back(backward_url(number));
  for (int number = 0; number < 4; ++number) {
    store::PageFigures page = backward_page(number, urls[static_cast<std::size_t>(number)]);
    if (number == 3) page.state = "paused";
    // The first was looked at last, and is the most outdated all the same.
    page.change_rate_per_day = number == 0 ? 1000 : 1;
    page.confirmed_at = now - std::chrono::hours(1 + number);
    ASSERT_TRUE(columns.take(page));
  }
  columns.end(columns.url_order());
  const auto outdated = columns.find({.sort = SortBy::outdated, .descending = true, .limit = 3});
  EXPECT_EQ(outdated->ids, (std::vector<std::int64_t>{1, 3, 2}));
  EXPECT_EQ(columns.find({.health = "paused"})->ids, (std::vector<std::int64_t>{4}));
  const auto middle = columns.find({.limit = 2, .offset = 1});
  EXPECT_EQ(middle->ids, (std::vector<std::int64_t>{3, 2})) << "by URL, without the first";
  EXPECT_EQ(middle->cursor, urls[1]);
  EXPECT_TRUE(columns.find({.limit = 2, .offset = 9})->ids.empty());
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
