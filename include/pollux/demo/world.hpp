// The truth behind the demo site: pages that change as Poisson processes.
//
// Rates follow Zipf's law over shuffled pages, so that a page's number says nothing about its rate.
// Changes are drawn as time passes, in the order of their times, which makes them the same for one
// seed however often advance() is called. What a page says is a function of how often it changed;
// over some lies noise, which is no change.
// Threading: one owner.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/base/time.hpp"
#include "pollux/demo/noise.hpp"

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace pollux::demo {

// Counts from 1, as in the page's URL.
enum class PageNumber : std::uint32_t {};
constexpr std::uint32_t number(PageNumber page) {
  return static_cast<std::uint32_t>(page);
}

// How a page behaves. A list of at least 50 pages has a few of each kind.
enum class Role : std::uint8_t {
  plain,
  slow,       // answers after 0.3 to 2 seconds
  moved,      // redirects to where its content is
  flaky,      // every third answer is a 503 with Retry-After
  broken,     // always a 500; never changes
  resetting,  // resets the connection; never changes
};

struct WorldOptions {
  std::size_t pages = 300;
  double changes_per_second = 45;  // of all pages together
  double exponent = 1.2;   // of Zipf's law: the k-th fastest page has a rate ~ 1 / k^exponent
  std::uint64_t seed = 0;  // 0: from the system
};

struct Change {
  PageNumber page{};
  Instant at{};
  bool operator==(const Change&) const = default;
};

class World {
 public:
  World(const WorldOptions& options, Instant start);

  // Lets everything happen that happens up to `now`; a moment that has passed changes nothing.
  void advance(Instant now);

  struct Page {
    Role role = Role::plain;
    double rate = 0;  // changes per second
    std::uint64_t changes = 0;
    Instant changed_at{};               // the start, before the first change
    Duration delay{};                   // of the answer
    NoiseKind noise = NoiseKind::none;  // that lies over what it says
  };
  std::size_t size() const { return pages_.size(); }
  bool has(std::uint64_t page) const { return page >= 1 && page <= pages_.size(); }
  const Page& page(PageNumber page) const { return pages_[number(page) - 1]; }
  std::size_t noisy() const;  // pages with noise
  // All changes so far, the oldest first.
  const std::vector<Change>& history() const { return history_; }

 private:
  void cast_roles(const std::vector<std::uint32_t>& by_rank);
  void add_noise(const std::vector<std::uint32_t>& by_rank);
  void schedule(std::uint32_t index, Instant from);

  struct Coming {
    Instant at;
    std::uint32_t index;
    bool operator>(const Coming& other) const {
      return at != other.at ? at > other.at : index > other.index;
    }
  };
  Rng rng_;
  std::vector<Page> pages_;
  std::vector<Change> history_;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
};

}  // namespace pollux::demo
