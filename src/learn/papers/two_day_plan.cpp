#include "learn/papers/two_day_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace pollux::learn {

namespace {

constexpr std::size_t groups = 4;
using Cost = std::int64_t;
constexpr Cost never = std::numeric_limits<Cost>::max() / 8;

double cost_in(const TwoDayCost& page, std::size_t group) {
  switch (static_cast<TwoDays>(group)) {
    case TwoDays::neither:
      return page.neither;
    case TwoDays::today:
      return page.today;
    case TwoDays::tomorrow:
      return page.tomorrow;
    case TwoDays::both:
      break;
  }
  return page.both;
}

}  // namespace

class TwoDayPlanner::Flow {
 public:
  Flow(std::vector<TwoDayCost> pages, std::size_t polls_per_day)
      : pages_(std::move(pages)), group_(pages_.size(), 0) {
    double largest = 1e-300;
    for (const TwoDayCost& page : pages_) {
      for (std::size_t g = 0; g < groups; ++g)
        largest = std::max(largest, std::abs(cost_in(page, g)));
    }
    scale_ = static_cast<double>(1 << 30) / largest;
    const std::size_t polls = std::min(polls_per_day, pages_.size());
    const std::size_t twice = 2 * polls > pages_.size() ? 2 * polls - pages_.size() : 0;
    room_[static_cast<std::size_t>(TwoDays::both)] = twice;
    room_[static_cast<std::size_t>(TwoDays::today)] = polls - twice;
    room_[static_cast<std::size_t>(TwoDays::tomorrow)] = polls - twice;
    room_[static_cast<std::size_t>(TwoDays::neither)] = pages_.size() - 2 * polls + twice;
    may_be_doubled_ = polls - twice;
  }

  bool step() {
    if (entered_ < pages_.size()) {
      enter(entered_++);
      return true;
    }
    if (may_be_doubled_ == 0) return false;
    --may_be_doubled_;
    if (!poll_twice()) may_be_doubled_ = 0;
    return may_be_doubled_ > 0;
  }

  TwoDays plan(std::size_t page) const { return static_cast<TwoDays>(group_[page]); }
  const TwoDayCost& page(std::size_t at) const { return pages_[at]; }

 private:
  using Entry = std::pair<Cost, std::uint32_t>;
  using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  Cost cost(std::uint32_t page, std::size_t group) const {
    return std::llround(cost_in(pages_[page], group) * scale_);
  }

  // A new page enters by the cheapest path that ends in a group with room.
  void enter(std::uint32_t page) {
    find_paths();
    Cost best = never;
    std::size_t from = 0, to = 0;
    for (std::size_t a = 0; a < groups; ++a) {
      for (std::size_t b = 0; b < groups; ++b) {
        if (room_[b] == 0 || distance_[a][b] >= never) continue;
        const Cost total = cost(page, a) + distance_[a][b];
        if (total >= best) continue;
        best = total;
        from = a;
        to = b;
      }
    }
    shift(from, to);
    moved_.clear();
    put(page, from);
    --room_[to];
  }

  // One page fewer in `today` and in `tomorrow`, one more in `both` and in `neither`, if that
  // lowers the cost.
  bool poll_twice() {
    moved_.clear();
    Cost change = 0;
    for (const auto& [from, to] : {std::pair{TwoDays::today, TwoDays::both},
                                   std::pair{TwoDays::tomorrow, TwoDays::neither}}) {
      find_paths();
      const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
      if (distance_[a][b] >= never) {
        change = never;
        break;
      }
      change += distance_[a][b];
      shift(a, b);
    }
    if (change < 0) return true;
    for (auto undo = moved_.rbegin(); undo != moved_.rend(); ++undo) put(undo->first, undo->second);
    return false;
  }

  void put(std::uint32_t page, std::size_t group) {
    group_[page] = static_cast<std::uint8_t>(group);
    for (std::size_t to = 0; to < groups; ++to) {
      if (to == group) continue;
      moves_[group][to].emplace(cost(page, to) - cost(page, group), page);
    }
  }

  // The cheapest page to move, or nothing. Entries of pages that have left are dropped here.
  const Entry* cheapest(std::size_t from, std::size_t to) {
    Heap& heap = moves_[from][to];
    while (!heap.empty() && group_[heap.top().second] != from) heap.pop();
    return heap.empty() ? nullptr : &heap.top();
  }

  // Floyd and Warshall on four nodes; there is no negative cycle.
  void find_paths() {
    for (std::size_t a = 0; a < groups; ++a) {
      for (std::size_t b = 0; b < groups; ++b) {
        const Entry* move = a == b ? nullptr : cheapest(a, b);
        distance_[a][b] = a == b ? 0 : move ? move->first : never;
        next_[a][b] = b;
      }
    }
    for (std::size_t via = 0; via < groups; ++via) {
      for (std::size_t a = 0; a < groups; ++a) {
        for (std::size_t b = 0; b < groups; ++b) {
          if (distance_[a][via] >= never || distance_[via][b] >= never) continue;
          const Cost through = distance_[a][via] + distance_[via][b];
          if (through >= distance_[a][b]) continue;
          distance_[a][b] = through;
          next_[a][b] = next_[a][via];
        }
      }
    }
  }

  // Moves one page along every edge of the cheapest path.
  void shift(std::size_t from, std::size_t to) {
    std::vector<std::pair<std::uint32_t, std::size_t>> moves;
    for (std::size_t at = from; at != to;) {
      const std::size_t step = next_[at][to];
      moves.emplace_back(cheapest(at, step)->second, step);
      at = step;
    }
    for (const auto& [page, group] : moves) {
      moved_.emplace_back(page, group_[page]);
      put(page, group);
    }
  }

  std::vector<TwoDayCost> pages_;
  double scale_ = 1;  // costs are integers inside
  std::vector<std::uint8_t> group_;
  std::array<std::size_t, groups> room_{};
  std::uint32_t entered_ = 0;
  std::size_t may_be_doubled_ = 0;  // pages that could still be polled on both days
  std::array<std::array<Heap, groups>, groups> moves_;
  std::array<std::array<Cost, groups>, groups> distance_{};
  std::array<std::array<std::size_t, groups>, groups> next_{};
  std::vector<std::pair<std::uint32_t, std::size_t>> moved_;  // with the group they came from
};

TwoDayPlanner::TwoDayPlanner(std::vector<TwoDayCost> pages, std::size_t polls_per_day)
    : flow_(std::make_unique<Flow>(std::move(pages), polls_per_day)) {}
TwoDayPlanner::~TwoDayPlanner() = default;

bool TwoDayPlanner::step() {
  return flow_->step();
}

TwoDays TwoDayPlanner::plan(std::size_t page) const {
  return flow_->plan(page);
}

const TwoDayCost& TwoDayPlanner::cost(std::size_t page) const {
  return flow_->page(page);
}

std::vector<TwoDays> two_day_plan(std::span<const TwoDayCost> pages, std::size_t polls_per_day) {
  TwoDayPlanner planner({pages.begin(), pages.end()}, polls_per_day);
  while (planner.step()) {
  }
  std::vector<TwoDays> plan;
  plan.reserve(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) plan.push_back(planner.plan(i));
  return plan;
}

double cost_of(std::span<const TwoDayCost> pages, std::span<const TwoDays> plan) {
  double sum = 0;
  for (std::size_t i = 0; i < pages.size(); ++i)
    sum += cost_in(pages[i], static_cast<std::size_t>(plan[i]));
  return sum;
}

}  // namespace pollux::learn
