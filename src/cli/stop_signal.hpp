// Whether somebody wants this command to end: SIGINT, SIGTERM or SIGHUP. One at a time.
#pragma once

#include "pollux/base/time.hpp"

namespace pollux::cli {

class StopSignal {
 public:
  StopSignal();  // from now on these signals are only noted
  bool came() const;
  // Waits that long, or until one comes: then false.
  bool rest(Duration length) const;
};

}  // namespace pollux::cli
