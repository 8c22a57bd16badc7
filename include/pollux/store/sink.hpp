// Where results go. The daemon's is the Writer; a simulation keeps them in memory.
// Threading: as the implementation says; the engine calls it from its own thread.
#pragma once

#include "pollux/store/rows.hpp"
#include "pollux/store/store.hpp"

namespace pollux::store {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void submit(PollRecord&& record) = 0;  // never blocks; check full() before new work
  virtual void submit(Batch other) = 0;          // nodes, hosts, minutes, meta …
  virtual bool full() const = 0;                 // no new poll should begin
};

}  // namespace pollux::store
