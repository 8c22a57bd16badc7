// Where the budget goes: one level of the hierarchy of pages below a prefix, or two. Pure.
#pragma once

#include "web/page_columns.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace pollux::web {

struct TreeWish {
  std::string prefix = {};  // the beginning of URLs; empty: all hosts
  bool by_tag = false;      // instead of hosts, by the first tag; then `prefix` is a tag
  int depth = 1;            // 2: with what is below each cell
  std::size_t most = 5000;  // cells in all; the rest is one cell "others"
};
// The shares of the cells of each level add up to that of what they are part of.
boost::json::object page_tree_json(const PageColumns& pages, const TreeWish& wish, WallTime now);

}  // namespace pollux::web
