// Policies that must be told the truth: they bound what a policy could reach. The lab tells them;
// the daemon refuses them.
#pragma once

#include "pollux/base/ids.hpp"

namespace pollux::learn {

class Oracle {
 public:
  virtual ~Oracle() = default;
  // Changes per second. Told for every page before the first poll, and again whenever it changes.
  virtual void set_true_rate(PageSlot page, double per_second) = 0;
};

}  // namespace pollux::learn
