// How the rows of each table get from a database into one that is made of parts of it.
//
// The target is `main`, the database it is taken from `source`, its versions `content` and those of
// the target `kept`; `plan` says which rows are wanted:
//   plan.page          id · part · slot (in the target, from 0 for each part)
//   plan.host          host · part
//   plan.notification  id · part
//   plan.share         at, prefix · part
//   plan.url           id (of content.url) · part
// Numbers that are taken in the target already are moved by one shift for each table.
#pragma once

#include "pollux/base/result.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace pollux::store {

// The tables that are copied row by row, and those that are not: learner_node is made by the caller
// and meta is chosen. A test compares both lists with the schema.
std::span<const std::string_view> copied_tables();
inline constexpr std::string_view made_tables[] = {"learner_node", "meta"};

Status make_plan_tables(const Connection& connection);

// Copies what `part` has. With `whole` also what belongs to no page: minutes of the budget. `each`
// is called before each table.
Status copy_rows(const Connection& connection, std::uint32_t part, bool whole,
                 const std::function<void(std::string_view table)>& each);
Status copy_versions(const Connection& connection, std::uint32_t part);

}  // namespace pollux::store
