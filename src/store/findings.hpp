// Rows of the tables suspicion and mask: how they are written and read.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/rows.hpp"
#include "store/rejected_rows.hpp"
#include "store/sqlite.hpp"

#include <functional>
#include <vector>

namespace pollux::store {

Status write_suspicions(const Connection& connection, const std::vector<SuspicionRow>& rows,
                        RejectedRows& rejected);
Status write_masks(const Connection& connection, const std::vector<MaskRow>& rows,
                   RejectedRows& rejected);
// Those in use, and those that people refused: they are not learnt again.
Status load_masks(const Connection& connection, const std::function<void(MaskRow&&)>& each);

}  // namespace pollux::store
