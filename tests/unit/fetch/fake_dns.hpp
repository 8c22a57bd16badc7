// Lookups that the test decides: an address, an error, or a thread that hangs until it is let go.
#pragma once

#include "pollux/fetch/resolver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pollux::fetch {

class FakeDns {
 public:
  // Nobody may hang past the end of the test: open_all() comes first, here.
  ~FakeDns() { state_->open_all(); }

  Resolver::Options options(unsigned at_once = 16, unsigned max_threads = 128) {
    return {at_once, max_threads,
            [state = state_](const std::string& host) { return state->look_up(host); },
            [state = state_] { return now(*state); }};
  }
  // A host that is not set has the address 192.0.2.1.
  void set(const std::string& host, Lookup lookup) {
    const std::lock_guard lock(state_->mutex);
    state_->answers[host] = std::move(lookup);
  }
  // Hosts whose name begins like this hang until open_all().
  void hang(std::string prefix) {
    const std::lock_guard lock(state_->mutex);
    state_->hanging.push_back(std::move(prefix));
  }
  void open_all() { state_->open_all(); }
  void wait_until_running(std::size_t count) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->running >= count; });
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(state_->mutex);
    return state_->asked;
  }
  std::size_t most() {
    const std::lock_guard lock(state_->mutex);
    return state_->most;
  }
  Resolver::TimePoint now() const { return now(*state_); }
  void advance(std::chrono::milliseconds time) { state_->time += time.count(); }

 private:
  struct State {
    Lookup look_up(const std::string& host) {
      std::unique_lock lock(mutex);
      asked.push_back(host);
      most = std::max(most, ++running);
      changed.notify_all();
      changed.wait(lock, [&] {
        return std::none_of(hanging.begin(), hanging.end(),
                            [&](const std::string& prefix) { return host.starts_with(prefix); });
      });
      --running;
      const auto found = answers.find(host);
      return found != answers.end() ? found->second : Lookup{{"192.0.2.1"}, ""};
    }
    void open_all() {
      const std::lock_guard lock(mutex);
      hanging.clear();
      changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, Lookup> answers;
    std::vector<std::string> hanging;
    std::vector<std::string> asked;
    std::size_t running = 0;
    std::size_t most = 0;
    std::atomic<std::int64_t> time = 1'000'000'000;  // ms
  };
  static Resolver::TimePoint now(const State& state) {
    return Resolver::TimePoint(std::chrono::milliseconds(state.time.load()));
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace pollux::fetch
