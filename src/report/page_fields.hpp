// A column of `page`, shown: as JSON and as a cell. Made from store/page_columns.hpp.
#pragma once

#include "pollux/report/json.hpp"
#include "pollux/report/table.hpp"
#include "pollux/store/page_columns.hpp"

#include <string>

#include <boost/json/value.hpp>

namespace pollux::report {

inline boost::json::value json_of(std::int64_t value) {
  return value;
}
inline boost::json::value json_of(int value) {
  return value;
}
inline boost::json::value json_of(PageId id) {
  return value(id);
}
inline boost::json::value json_of(PageSlot slot) {
  return index(slot);
}
inline boost::json::value json_of(double value) {
  return json_number(value);
}
inline boost::json::value json_of(const std::optional<double>& value) {
  return json_number(value);
}
inline boost::json::value json_of(const std::string& value) {
  return boost::json::value(value);
}
inline boost::json::value json_of(const std::optional<WallTime>& value) {
  return json_time(value);
}

template <typename Part, typename Value>
boost::json::value json_of(const store::PageColumn<Part, Value>& column,
                           const store::PageRow& page) {
  if (column.unknown_in(column.part_of(page))) return nullptr;
  if constexpr (store::PageColumn<Part, Value>::is_text) {
    if (column.traits.format == store::Format::tags) return json_tags(column.in(page));
    return json_text_or_null(column.in(page));
  }
  return json_of(column.in(page));
}

}  // namespace pollux::report
