#include "pollux/demo/world.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace pollux::demo {
namespace {

using std::chrono::milliseconds;

struct Part {
  Role role;
  milliseconds delay;
};
constexpr std::array parts{
    Part{Role::slow, milliseconds(300)},   Part{Role::slow, milliseconds(700)},
    Part{Role::slow, milliseconds(1200)},  Part{Role::slow, milliseconds(2000)},
    Part{Role::moved, milliseconds(0)},    Part{Role::flaky, milliseconds(0)},
    Part{Role::broken, milliseconds(0)},   Part{Role::broken, milliseconds(0)},
    Part{Role::broken, milliseconds(500)}, Part{Role::resetting, milliseconds(0)},
};
// Special pages stand behind the busiest ones, so that they season the site and do not rule it.
constexpr std::size_t first_special_rank = 20;
constexpr std::size_t smallest_list_with_specials = 50;

// Every tenth page behind those has something that differs at every look: where little happens, it
// would look like much.
constexpr std::size_t first_noisy_rank = 35, noisy_ranks_apart = 10;
constexpr auto noises = std::to_array<NoiseKind>({NoiseKind::view_counter, NoiseKind::csrf_meta,
                                                  NoiseKind::clock, NoiseKind::rotating_ad,
                                                  NoiseKind::request_id, NoiseKind::users_online,
                                                  NoiseKind::tracking_links, NoiseKind::datetime});

bool never_changes(Role role) {
  return role == Role::broken || role == Role::resetting;
}

}  // namespace

World::World(const WorldOptions& options, Instant start)
    : rng_(options.seed), pages_(options.pages) {
  std::vector<std::uint32_t> by_rank(pages_.size());
  std::iota(by_rank.begin(), by_rank.end(), 0u);
  for (std::size_t i = by_rank.size(); i > 1; --i) {
    std::swap(by_rank[i - 1], by_rank[rng_.below(i)]);
  }
  cast_roles(by_rank);
  add_noise(by_rank);

  double total = 0;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    Page& page = pages_[by_rank[rank]];
    if (never_changes(page.role)) continue;
    page.rate = std::pow(static_cast<double>(rank + 1), -options.exponent);
    total += page.rate;
  }
  for (std::uint32_t index = 0; index < pages_.size(); ++index) {
    pages_[index].changed_at = start;
    if (pages_[index].rate == 0) continue;
    pages_[index].rate *= options.changes_per_second / total;
    schedule(index, start);
  }
}

void World::cast_roles(const std::vector<std::uint32_t>& by_rank) {
  if (pages_.size() < smallest_list_with_specials) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Page& page = pages_[by_rank[first_special_rank + i]];
    page.role = parts[i].role;
    page.delay = parts[i].delay;
  }
}

void World::add_noise(const std::vector<std::uint32_t>& by_rank) {
  if (pages_.size() < smallest_list_with_specials) return;
  std::size_t kind = 0;
  for (std::size_t rank = first_noisy_rank; rank < by_rank.size(); rank += noisy_ranks_apart)
    pages_[by_rank[rank]].noise = noises[kind++ % noises.size()];
}

std::size_t World::noisy() const {
  return static_cast<std::size_t>(std::count_if(pages_.begin(), pages_.end(), [](const Page& page) {
    return page.noise != NoiseKind::none;
  }));
}

void World::schedule(std::uint32_t index, Instant from) {
  const double wait = rng_.exponential(pages_[index].rate);
  // A page that waits for a century is one that does not change; it also keeps the sum in range.
  if (wait < 3e9) coming_.push({from + from_seconds(wait), index});
}

void World::advance(Instant now) {
  while (!coming_.empty() && coming_.top().at <= now) {
    const auto [at, index] = coming_.top();
    coming_.pop();
    ++pages_[index].changes;
    pages_[index].changed_at = at;
    history_.push_back({PageNumber{index + 1}, at});
    schedule(index, at);
  }
}

}  // namespace pollux::demo
