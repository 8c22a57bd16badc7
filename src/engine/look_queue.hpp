// Looks that wait for a thread. Hosts take turns, so that one whose pages are slow to look into
// keeps nobody else waiting; within a host who came first goes first. Of large bodies one is looked
// into at a time: that takes ten times their size.
// Threading: under its owner's lock.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pollux::engine {

class LookQueue {
 public:
  struct Waiting {
    fetch::Token token{};
    LookTask task;
    bool large() const { return task.size() > large_from; }
  };
  // `most_of_a_host`: so many looks at its pages may run at a time.
  explicit LookQueue(std::size_t most_of_a_host) : most_of_a_host_(most_of_a_host) {}

  void put(Waiting look);
  std::optional<Waiting> take();         // what may run now; it runs until done()
  void done(HostSlot host, bool large);  // what was taken
  std::vector<fetch::Token> drop();      // all that waits
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t large_from = 2u << 20;
  struct Host {
    HostSlot slot;
    std::deque<Waiting> waiting;
  };

  const std::size_t most_of_a_host_;
  std::list<Host> turns_;  // hosts with something that waits; the next one first
  std::unordered_map<HostSlot, std::list<Host>::iterator> hosts_;
  std::unordered_map<HostSlot, std::size_t> running_;
  bool large_runs_ = false;
  std::size_t size_ = 0;
};

}  // namespace pollux::engine
