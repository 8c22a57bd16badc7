// A bus inside one process, for tests and simulations: any number of Bus objects on one hub, each
// on its own EventLoop (threads, or one VirtualLoop for all). It keeps the contract of bus.hpp and
// breaks the rest on purpose: lines can be slow, lossy, cut or held.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/bus/bus.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pollux::bus {

// The way between one member and the hub; a message takes the sender's and then the receiver's.
struct Line {
  Duration delay{};
  Duration jitter{};     // up to so much more; messages of one sender stay in order
  double lost = 0;       // chance that a message, or a call of the bucket or its answer, is lost
  double twice = 0;      // chance that a message comes again, up to a second later
  bool cut_off = false;  // no connection, and both sides know it
  bool held = false;     // what is on its way to the member waits, as if its process were frozen
};

struct MemoryOptions {
  Duration entries_live = std::chrono::seconds(15);
  std::size_t largest_payload = 4u << 20;
  // A call of the bucket that is lost ends as unreachable after so long.
  Duration patience = std::chrono::seconds(2);
  std::uint64_t seed = 1;
};

// Thread-safe. The clock must outlive the hub and its members; the loops, their members.
class MemoryHub {
 public:
  explicit MemoryHub(const Clock& clock, MemoryOptions options = {});

  // A new member, connected as soon as its loop runs (unless its line is cut off). Several may
  // have one name, for example a process and the one that is started after it.
  std::unique_ptr<Bus> join(EventLoop& loop, std::string name);
  // For all members of that name, now and later.
  void set_line(std::string_view name, const Line& line);
  // Messages handed over so far, and their bytes, subjects included.
  std::uint64_t messages() const;
  std::uint64_t bytes() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace pollux::bus
