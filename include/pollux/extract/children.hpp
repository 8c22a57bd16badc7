// The child processes of an extraction: whether it may have any, and how they are ended from
// outside.
#pragma once

#include <atomic>

namespace pollux::extract {

// Raised once, for good. Whoever waits for a child hears of it. Threading: any thread.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  void raise();
  bool raised() const { return raised_; }
  int descriptor() const { return descriptor_; }  // readable once it is raised; -1: there is none

 private:
  std::atomic<bool> raised_{false};
  int descriptor_ = -1;
};

// Threading: the extraction's thread.
struct Children {
  const StopSignal* stop = nullptr;  // raised: those that run are ended; null: nobody does that
  bool refused = false;              // none may be started ...
  bool wanted = false;               // ... and one would have been
};

}  // namespace pollux::extract
