#include "demo/content.hpp"

#include <gtest/gtest.h>

namespace pollux::demo {
namespace {

using std::chrono::milliseconds;

TEST(Content, dates_are_written_as_http_wants_them) {
  EXPECT_EQ(http_date(WallTime(milliseconds(784111777'000))), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(WallTime(milliseconds(951782400'999))), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(Content, a_page_is_a_function_of_its_changes) {
  const WallTime t{milliseconds(784111777'000)};
  EXPECT_EQ(page_html(PageNumber{3}, 5, t), page_html(PageNumber{3}, 5, t));
  EXPECT_NE(page_html(PageNumber{3}, 5, t), page_html(PageNumber{3}, 6, t));
  EXPECT_NE(page_html(PageNumber{3}, 5, t), page_html(PageNumber{4}, 5, t));
  EXPECT_NE(page_html(PageNumber{3}, 5, t).find("Version 6"), std::string::npos);
}

TEST(Content, a_change_is_one_more_sentence) {
  const WallTime t{milliseconds(784111777'000)};
  const auto news = [&t](std::uint64_t changes) {
    const std::string html = page_html(PageNumber{3}, changes, t);
    const std::size_t begin = html.find("GMT</p>") + 8, end = html.find("<p>This page");
    return html.substr(begin, end - begin);
  };
  const std::string before = news(5), after = news(6);
  const std::size_t first = after.find('\n') + 1;
  EXPECT_TRUE(before.starts_with(after.substr(first))) << before << after;
}

TEST(Content, noise_lies_over_what_a_page_says) {
  const WallTime t{milliseconds(784111777'000)};
  Random random(1);
  const auto drawn = [&](NoiseKind kind) {
    return page_html(PageNumber{3}, 5, t, draw_noise(kind, {.nth = 7, .now = t}, random));
  };
  EXPECT_EQ(drawn(NoiseKind::none), page_html(PageNumber{3}, 5, t));
  EXPECT_NE(drawn(NoiseKind::view_counter).find("viewed 12007 times"), std::string::npos);
  EXPECT_NE(drawn(NoiseKind::clock).find("Local time 08:49:37"), std::string::npos);
  for (const NoiseKind kind : {NoiseKind::csrf_meta, NoiseKind::request_id, NoiseKind::users_online,
                               NoiseKind::tracking_links}) {
    EXPECT_NE(drawn(kind), drawn(kind)) << name_of(kind);
  }
}

TEST(Content, the_index_links_every_page) {
  const std::string html = index_html(12);
  for (int n = 1; n <= 12; ++n) {
    EXPECT_NE(html.find("\"/page/" + std::to_string(n) + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux::demo
