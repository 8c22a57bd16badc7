// How access points and placements travel between SQL and their rows.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/rejected_rows.hpp"
#include "store/sqlite.hpp"

#include <vector>

namespace pollux::store {

// Replaces all rows; what is placed at an access point that is gone is unplaced.
Status replace_access_points(const Connection& connection, const std::vector<AccessPointRow>& rows,
                             RejectedRows& rejected);
Result<std::vector<AccessPointRow>> read_access_points(const Connection& connection);

// "INSERT …": one row, as bind_placement gives it.
extern const char* const put_placement;
// The row must live until the statement is reset.
void bind_placement(Statement& put, const PlacementRow& row);

enum class Placements { all, present };  // present: active hosts at configured access points
Result<std::vector<PlacementRow>> read_placements(const Connection& connection, Placements which);

}  // namespace pollux::store
