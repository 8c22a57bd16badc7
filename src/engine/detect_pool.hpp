// A small pool of threads that hash bodies, and others that look into those that are new. Pieces of
// one body go to one thread, in order; the hash comes back on the I/O thread. What is in memory is
// counted in the rooms, from the first piece to the end of the look: bodies that come faster than
// that are paused, not collected.
//
// Threading: as Hasher says.
#pragma once

#include "engine/hasher.hpp"
#include "engine/look_threads.hpp"
#include "pollux/base/event_loop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

class DetectPool final : public Hasher {
 public:
  struct Options {
    int threads = 1;
    BodyRooms rooms = {};           // shared with whoever else takes bodies in
    std::size_t max_bodies = 1024;  // that wait, at which no new one is asked for
    LookThreads::Options looks = {};
    // Called on a hashing thread for every body. Empty but in tests, which make hashing slow.
    std::function<void()> each_body = {};
  };
  DetectPool(EventLoop& loop, Options options, Callbacks callbacks);
  ~DetectPool() override;  // ends the threads; waiting work is dropped

  const std::shared_ptr<ByteRoom>& room(Keep keep) const override;
  void add_piece(fetch::Token token, std::string piece, Keep keep) override;
  void finish(fetch::Token token, std::string last_piece, Keep keep) override;
  void abandon(fetch::Token token) override;
  void look(fetch::Token token, LookTask task) override;
  std::vector<fetch::Token> drop_looks() override;
  void end_programs() override;
  bool full() const override;
  std::size_t waiting() const override;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::unique_ptr<LookThreads> looks_;
};

}  // namespace pollux::engine
