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

TEST(Content, the_index_links_every_page) {
  const std::string html = index_html(12);
  for (int n = 1; n <= 12; ++n) {
    EXPECT_NE(html.find("\"/page/" + std::to_string(n) + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux::demo
