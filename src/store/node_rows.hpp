// Rows of what the learner's tree has learnt: learner_node, by name, and learner_value, by level
// and position.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

#include <string>
#include <vector>

namespace pollux::store {

inline constexpr char put_value[] =
    "INSERT INTO learner_value (policy, level, position, value) VALUES (?1, ?2, ?3, ?4) "
    "ON CONFLICT (policy, level, position) DO UPDATE SET value = excluded.value";
inline constexpr char put_node[] =
    "INSERT OR REPLACE INTO learner_node (policy, first_url, prefix, pages, share, correction, "
    "affinity, tried, found) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
inline constexpr char drop_node[] =
    "DELETE FROM learner_node WHERE policy = ?1 AND first_url = ?2 AND prefix = ?3 AND pages = ?4";

// For put_value where the node has no name, for drop_node where it is gone, else for put_node.
void bind_node(Statement& statement, const std::string& policy, const NodeRow& node);

// The named ones only, in no order.
Result<std::vector<NodeRow>> load_named_nodes(const Connection& connection,
                                              const std::string& policy);
// Both kinds.
Result<std::vector<NodeRow>> load_nodes(const Connection& connection, const std::string& policy);

}  // namespace pollux::store
