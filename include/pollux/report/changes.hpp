// The changes found. Pure.
#pragma once

#include "pollux/report/table.hpp"
#include "pollux/store/views.hpp"

#include <vector>

#include <boost/json/array.hpp>

namespace pollux::report {

// A page is called by its name, or by its URL where it has none.
Table changes_table(const std::vector<store::ChangeView>& changes, WallTime now);
boost::json::object change_json(const store::ChangeView& change);
boost::json::array changes_json(const std::vector<store::ChangeView>& changes);

}  // namespace pollux::report
