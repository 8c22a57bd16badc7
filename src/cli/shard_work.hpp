// The two directions of `pollux shard`.
#pragma once

#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"
#include "pollux/store/shard.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::cli {

// Asked and told while it takes long; see ShardWork.
struct ShardTalk {
  std::function<bool()> cancelled;
  std::function<void(std::string_view doing, double done)> told;
};

struct NewBrain {
  std::string name, folder;
  store::ShardCounts counts;
};
struct SplitReport {
  std::vector<NewBrain> brains;
  std::vector<std::string> left_out;  // secrets that stand in a file
};
struct SplitOrder {
  DatabaseOption database;
  std::uint32_t parts = 0;
  std::string out;  // empty: nothing is written
};
Result<SplitReport> split_brain(const SplitOrder& order, const ShardTalk& talk);

struct MergeReport {
  std::vector<std::string> databases;
  store::ShardCounts counts;
  std::uint64_t left_out = 0;  // pages of which another had a newer one
  bool several_keys = false;   // marks of requests were made with more than one key
};
struct MergeOrder {
  std::vector<std::string> sources;  // databases, or folders with them
  std::string out;
  store::SameUrl rule = store::SameUrl::refuse;
};
Result<MergeReport> merge_brains(const MergeOrder& order, const ShardTalk& talk);

}  // namespace pollux::cli
