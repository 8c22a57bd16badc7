// Rules that came with polls, compiled, by their bytes. Compiling holds everything else up here, so
// it is bounded, whatever a brain sends. Threading: one owner.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/extract/extract.hpp"

#include <string>
#include <unordered_map>

namespace pollux::agent {

class RuleCache {
 public:
  explicit RuleCache(const Clock& clock) : clock_(clock) {}
  // Null: they are none that may be used here, or not now. The brain has its own.
  extract::SharedRules find(const std::string& packed);

 private:
  const Clock& clock_;
  std::unordered_map<std::string, extract::SharedRules> rules_;
  Instant compiles_from_ = Instant::min();
};

}  // namespace pollux::agent
