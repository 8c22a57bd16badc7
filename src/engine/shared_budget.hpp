// Makes this daemon one of several brains that share a budget: what it is lent is the budget of its
// scheduler and its requests, until the lease ends. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "engine/poll_loop.hpp"
#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/brains/member.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/store/writer.hpp"

#include <memory>
#include <string>

namespace pollux::engine {

class SharedBudget {
 public:
  struct Parts {
    EventLoop& loop;
    const Clock& clock;
    Lists& lists;
    PollLoop& poll_loop;
    store::Writer& writer;
    const SnapshotBoard& board;
    bus::Bus& bus;
    const agent::RemoteFetcher& agents;
  };
  SharedBudget(const Parts& parts, std::uint64_t seed);

  // A reload brought another budget for all of them.
  void changed();
  void finish();  // nothing is sent any more

 private:
  brains::Figures figures() const;
  void obey(double rate, Instant ends);
  void look();

  Parts parts_;
  std::unique_ptr<brains::Member> member_;
  std::unique_ptr<Timer> timer_;
  std::string trouble_;  // as it was last told
};

}  // namespace pollux::engine
