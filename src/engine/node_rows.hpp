// What a policy's tree keeps of its nodes, as rows of the store and back. Pure.
#pragma once

#include "pollux/learn/policy.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <vector>

namespace pollux::engine {

inline store::NodeRow row_of(const learn::NodeMemory& node) {
  return {.level = node.level,
          .position = node.position,
          .value = node.value,
          .first_url = node.first_url,
          .prefix = node.prefix,
          .pages = node.pages,
          .share = node.share,
          .affinity = node.affinity,
          .tried = node.tried,
          .found = node.found,
          .gone = node.gone};
}

inline std::vector<learn::NodeMemory> memories_of(const std::vector<store::NodeRow>& rows) {
  std::vector<learn::NodeMemory> memories;
  memories.reserve(rows.size());
  for (const store::NodeRow& row : rows) {
    memories.push_back({.level = row.level,
                        .position = row.position,
                        .value = row.value,
                        .first_url = row.first_url,
                        .prefix = row.prefix,
                        .pages = static_cast<std::uint32_t>(row.pages),
                        .share = row.share,
                        .affinity = row.affinity,
                        .tried = row.tried,
                        .found = row.found});
  }
  return memories;
}

}  // namespace pollux::engine
