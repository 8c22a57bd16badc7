// A row of learner_node, as both the store and the reader select it:
// first_url, prefix, pages, share, correction, affinity, tried, found.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

namespace pollux::store {

inline NodeRow read_node(const Statement& row) {
  NodeRow node;
  node.first_url = row.text(0);
  node.prefix = row.text(1);
  node.pages = row.integer(2);
  node.share = row.real(3);
  node.value = row.real(4);
  node.affinity = row.real(5);
  node.tried = row.real(6);
  node.found = row.real(7);
  return node;
}

}  // namespace pollux::store
