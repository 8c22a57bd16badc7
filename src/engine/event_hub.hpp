// What happens, for whoever listens: a ring of the last events, from which every stream reads at
// its own pace. Nothing is kept while nobody listens, and asking whether anybody does costs a load.
// Threading: any.
#pragma once

#include "pollux/engine/steering.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace pollux::engine {

class EventHub : public std::enable_shared_from_this<EventHub> {
 public:
  static constexpr std::size_t most_kept = 16'384;

  bool heard() const { return streams_.load(std::memory_order_relaxed) > 0; }
  void tell(Event event);  // its number is given here
  // From now on. It may outlive the hub's owner: then nothing more comes.
  std::unique_ptr<EventStream> listen(std::function<void()> wake);

 private:
  friend class HubStream;
  // One who listens. `wake` is called under a lock of its own: who is gone is not called.
  struct Listener {
    std::mutex mutex;
    std::function<void()> wake;  // empty: gone
    std::uint64_t next = 0;      // number of the event it has not read; under the hub's lock
    bool asleep = false;         // its last answer was empty; likewise
  };
  std::vector<Event> take(Listener& listener, std::size_t most);
  void leave(const std::shared_ptr<Listener>& listener);

  std::mutex mutex_;
  std::deque<Event> events_;
  std::uint64_t next_number_ = 1;
  std::vector<std::shared_ptr<Listener>> listeners_;
  std::atomic<std::size_t> streams_{0};
};

}  // namespace pollux::engine
