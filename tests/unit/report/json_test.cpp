#include "pollux/report/json.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

TEST(Json, numbers_are_readable) {
  EXPECT_EQ(json_text(0.05), "0.05");
  EXPECT_EQ(json_text(INFINITY), "null");
  EXPECT_EQ(json_text(7), "7");
}

TEST(Json, arrays_have_an_element_a_line) {
  boost::json::array array;
  EXPECT_EQ(json_text(array), "[]");
  array.push_back({{"a", 1}, {"b", "x\"y"}});
  array.push_back({{"a", nullptr}, {"b", boost::json::array{1, 2}}});
  EXPECT_EQ(json_text(array),
            "[\n  {\"a\": 1, \"b\": \"x\\\"y\"},\n  {\"a\": null, \"b\": [1,2]}\n]");
}

TEST(Json, what_is_not_known_is_null) {
  EXPECT_TRUE(json_time(std::nullopt).is_null());
  EXPECT_TRUE(json_number(std::nullopt).is_null());
  EXPECT_TRUE(json_number(INFINITY).is_null());
  EXPECT_TRUE(json_count(std::nullopt).is_null());
  EXPECT_TRUE(json_text_or_null("").is_null());
}

TEST(Json, times_are_iso_8601_in_utc) {
  EXPECT_EQ(json_time(WallTime(std::chrono::milliseconds(1'790'000'000'040))),
            "2026-09-21T14:13:20.040Z");
}

}  // namespace
}  // namespace pollux::report
