// Hosts and their directories, as the learner sees them: shares, rates, and how far changes of
// their pages go together. Pure.
#pragma once

#include "pollux/report/table.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

namespace pollux::report {

struct TreePart {
  std::string prefix;  // "https://example.org/" or "https://example.org/news/"
  int depth = 0;       // 0: a host, or what was asked for; 1: a directory in it
  std::int64_t pages = 0;
  double share = 0;                // of the budget
  double change_rate_per_day = 0;  // of all its pages, as far as known
  // Of the largest node that stands for it, if that has learnt something.
  std::optional<double> affinity = {}, tried = {}, found = {}, correction = {};
};

// Of pages whose URL begins with `prefix`; empty: all. A host without a scheme is understood, too.
std::vector<TreePart> tree_parts(const std::vector<store::PageRow>& pages,
                                 const std::vector<store::NodeRow>& nodes, std::string_view prefix);
// Those that stand for a host or directory of the page, the largest of each, from the host down.
std::vector<store::NodeRow> nodes_above(std::string_view url, std::vector<store::NodeRow> nodes);
Table tree_table(const std::vector<TreePart>& parts);
boost::json::array tree_json(const std::vector<TreePart>& parts);

}  // namespace pollux::report
