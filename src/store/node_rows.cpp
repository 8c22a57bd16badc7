#include "store/node_rows.hpp"

#include <string_view>

namespace pollux::store {

void bind_node(Statement& statement, const std::string& policy, const NodeRow& node) {
  statement.bind(1, std::string_view(policy));
  if (node.first_url.empty()) {
    statement.bind(2, std::int64_t{node.level})
        .bind(3, std::int64_t{node.position})
        .bind(4, node.value);
    return;
  }
  statement.bind(2, std::string_view(node.first_url))
      .bind(3, std::string_view(node.prefix))
      .bind(4, node.pages);
  if (node.gone) return;
  statement.bind(5, node.share)
      .bind(6, node.value)
      .bind(7, node.affinity)
      .bind(8, node.tried)
      .bind(9, node.found);
}

Result<std::vector<NodeRow>> load_named_nodes(const Connection& connection,
                                              const std::string& policy) {
  Result<Statement> rows = connection.prepare(
      "SELECT first_url, prefix, pages, share, correction, affinity, tried, found "
      "FROM learner_node WHERE policy = ?1");
  if (!rows) return rows.error();
  rows->bind(1, std::string_view(policy));
  std::vector<NodeRow> nodes;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return nodes;
    NodeRow& node = nodes.emplace_back();
    node.first_url = rows->text(0);
    node.prefix = rows->text(1);
    node.pages = rows->integer(2);
    node.share = rows->real(3);
    node.value = rows->real(4);
    node.affinity = rows->real(5);
    node.tried = rows->real(6);
    node.found = rows->real(7);
  }
}

Result<std::vector<NodeRow>> load_nodes(const Connection& connection, const std::string& policy) {
  Result<std::vector<NodeRow>> nodes = load_named_nodes(connection, policy);
  if (!nodes) return nodes;
  Result<Statement> rows = connection.prepare(
      "SELECT level, position, value FROM learner_value WHERE policy = ?1 "
      "ORDER BY level, position");
  if (!rows) return rows.error();
  rows->bind(1, std::string_view(policy));
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return nodes;
    nodes->push_back({.level = static_cast<std::uint32_t>(rows->integer(0)),
                      .position = static_cast<std::uint32_t>(rows->integer(1)),
                      .value = rows->real(2)});
  }
}

}  // namespace pollux::store
