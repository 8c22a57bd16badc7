// How values become JSON: what is not known is null, times are ISO-8601 in UTC.
#pragma once

#include "pollux/base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace pollux::report {

// Text as people would write it: short numbers, one element of a top-level array a line.
std::string json_text(const boost::json::value& value);

boost::json::value json_time(const std::optional<WallTime>& time);
boost::json::value json_number(std::optional<double> number);  // null when infinite, too
boost::json::value json_count(std::optional<std::int64_t> number);
// A JSON list that stands in a column as text; an empty one where it is none.
boost::json::value json_tags(const std::string& list);
boost::json::value json_text_or_null(const std::string& text);  // null when empty
// Content of a page, which may be any bytes: what is no UTF-8 becomes U+FFFD.
boost::json::value json_utf8(std::string_view bytes);

}  // namespace pollux::report
