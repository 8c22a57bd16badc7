// What rules that wait for something to become true say now: number, alert and min_change. Pure.
#pragma once

#include "pollux/extract/significance.hpp"

#include <string>
#include <vector>

#include <boost/json/array.hpp>

namespace pollux::report {

// `compared`: with a version before; else what holds has held since the page was seen first, for
// all that is known.
enum class Compared { no, yes };
// "appears "sold out": already true (it is there); fires when it becomes true again …"
std::string condition_text(const extract::Condition& condition, Compared compared);
boost::json::array conditions_json(const std::vector<extract::Condition>& conditions);

}  // namespace pollux::report
