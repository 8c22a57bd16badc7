// What trees know of the parts of a list that is divided, or of several that become one.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/learn/regroup.hpp"
#include "pollux/store/shard.hpp"

#include <cstdint>
#include <vector>

namespace pollux::cli {

class DividedLearning {
 public:
  // `budget` is that of all parts together, in requests per second.
  static Result<DividedLearning> of(const store::Divider& divider, std::uint32_t parts,
                                    double budget);
  // Nodes of one site as they were, others so that the part's pages keep their ratios.
  std::vector<store::NodeRow> nodes(std::uint32_t part) const;

 private:
  struct Part {
    std::vector<std::uint32_t> pages;  // of `all_`
    std::vector<store::NodeRow> rows;  // of its sites
  };
  DividedLearning(std::uint32_t parts, double sweep) : sweep_(sweep), all_(sweep), parts_(parts) {}

  double sweep_;
  learn::LearntList all_;
  std::vector<double> shares_;
  std::vector<Part> parts_;
};

// Pages of one brain keep their ratios; brains have of each other what estimates say.
Result<std::vector<store::NodeRow>> merged_nodes(const store::Merger& merger, double budget);

}  // namespace pollux::cli
