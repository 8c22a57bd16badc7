// The two sides of MemoryHub: what all members share, and one member.
#pragma once

#include "pollux/base/event_loop.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/bus/memory.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pollux::bus {

struct HeardSubject {
  std::string pattern;
  std::function<void(Message)> handler;
  std::size_t most_bytes = 0;
  std::size_t waiting = 0;  // bytes; under the hub's mutex
  std::atomic<std::uint64_t> dropped{0};
  bool open = true;  // the loop's thread
};

// What will happen on the member's loop, and when. `connection`: only while that one lasts; 0:
// anyhow.
struct LineEvent {
  std::uint64_t connection = 0;
  std::function<void()> run;
  std::shared_ptr<HeardSubject> heard = nullptr;  // by whom `bytes` of a message are counted
  std::size_t bytes = 0;
};

struct Member {
  Member(EventLoop& on, std::string named)
      : loop(on), name(std::move(named)), timer(on.make_timer()) {}

  EventLoop& loop;
  const std::string name;
  // Under the hub's mutex:
  Line line;
  std::uint64_t connection = 1;  // a new number after each cut
  bool posted = false;           // a drain() is on its way
  std::multimap<Instant, LineEvent> events;
  std::map<const Member*, Instant> last_from;  // keeps messages of one sender in order
  std::vector<std::shared_ptr<HeardSubject>> subjects;
  // The loop's thread:
  std::unique_ptr<Timer> timer;
  std::function<void(bool)> listener;
  bool told_connected = false;
  bool alive = true;
};

struct MemoryHub::State : std::enable_shared_from_this<State> {
  State(const Clock& c, MemoryOptions o) : clock(c), options(std::move(o)), rng(options.seed) {}

  struct Kept {
    Entry entry;
    Instant ends;
  };

  const Clock& clock;
  const MemoryOptions options;
  std::mutex mutex;  // guards all below
  Rng rng;
  std::map<std::string, Line, std::less<>> lines;
  std::vector<std::shared_ptr<Member>> members;
  std::map<std::string, Kept, std::less<>> bucket;
  std::uint64_t revision = 0, inboxes = 0, messages = 0, bytes = 0;

  // All with the mutex held.
  Duration delay_of(const Line& line) {
    return line.delay + Duration(static_cast<Duration::rep>(
                            rng.uniform() * static_cast<double>(line.jitter.count())));
  }
  void add_event(const std::shared_ptr<Member>& to, Instant at, LineEvent event);
  void wake(const std::shared_ptr<Member>& member);
  // True if anybody listens.
  bool deliver(const Member& from, const Message& message);
  void send_to(const std::shared_ptr<Member>& to, const Member& from, const Message& message,
               const std::shared_ptr<HeardSubject>& heard);
  std::vector<std::function<void()>> take_due(Member& member);
  void set_line(const std::shared_ptr<Member>& member, const Line& line);
  Entry* find(const std::string& key);  // an entry that has not ended; or none
  std::uint64_t put(const std::string& key, std::string value);

  // On the member's loop, without the mutex.
  void drain(const std::shared_ptr<Member>& member);
  void tell_connected(Member& member);
};

}  // namespace pollux::bus
