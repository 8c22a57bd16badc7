// Who may change the list of pages: one at a time, a reload or somebody who steers the daemon while
// it runs. First come, first served. Threading: the engine's thread.
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace pollux::engine {

class ListTurn {
 public:
  // Calls `go` when it is the caller's turn, perhaps at once. Whoever has it gives it back.
  void ask(std::function<void()> go) {
    waiting_.push_back(std::move(go));
    serve();
  }
  void give_back() {
    taken_ = false;
    serve();
  }
  bool taken() const { return taken_; }

 private:
  // In a loop, not by calls within calls: as many as like may wait.
  void serve() {
    if (std::exchange(serving_, true)) return;
    while (!taken_ && !waiting_.empty()) {
      const std::function<void()> go = std::move(waiting_.front());
      waiting_.pop_front();
      taken_ = true;
      go();
    }
    serving_ = false;
  }

  bool taken_ = false, serving_ = false;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace pollux::engine
