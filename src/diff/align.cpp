// Trim what is equal at both ends, cut at numbers that occur once on either side (patience), and
// let Myers' algorithm in linear space do what lies between. All of it is paid from one budget of
// steps; when that is spent, what is left counts as replaced.
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <utility>

namespace pollux::diff {
namespace {

constexpr std::int64_t most_steps = 20'000'000;

struct Range {
  std::size_t old_begin = 0, old_end = 0, new_begin = 0, new_end = 0;
  bool shortest = false;  // half of a shortest way: unique numbers could only lengthen it
  std::size_t old_size() const { return old_end - old_begin; }
  std::size_t new_size() const { return new_end - new_begin; }
};

struct Pair {
  std::size_t old_at = 0, new_at = 0;
};

// One of the two searches of Myers' algorithm: how far it has come on each diagonal.
struct Search {
  std::vector<std::int64_t>& furthest;  // −1: not there yet
  const std::int64_t offset;
  std::int64_t skip_low = 0, skip_high = 0;  // diagonals that have left the range

  Search(std::vector<std::int64_t>& memory, std::size_t size, std::int64_t middle)
      : furthest(memory), offset(middle) {
    furthest.assign(size, -1);
    furthest[static_cast<std::size_t>(offset + 1)] = 0;
  }
  std::int64_t& at(std::int64_t k) { return furthest[static_cast<std::size_t>(k + offset)]; }
  std::int64_t next(std::int64_t k, std::int64_t d) {
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    return down ? at(k + 1) : at(k - 1) + 1;
  }
  void reached(std::int64_t k, std::int64_t x, std::int64_t n, std::int64_t m) {
    at(k) = x;
    if (x > n) {
      skip_high += 2;
    } else if (x - k > m) {
      skip_low += 2;
    }
  }
  // Whether it has come to `x` or beyond on the diagonal.
  bool meets(std::int64_t k, std::int64_t x) {
    return k > -offset && k < offset && at(k) >= 0 && at(k) >= x;
  }
};

class Alignment {
 public:
  Alignment(std::span<const std::uint32_t> old_ids, std::span<const std::uint32_t> new_ids);
  std::vector<Common> run();

 private:
  // Where a number was met in the range under work; reset after it.
  struct Place {
    std::uint32_t old_count = 0, new_count = 0, old_at = 0, new_at = 0;
  };
  void match(std::size_t old_at, std::size_t new_at, std::size_t length);
  void solve(Range range);
  bool cut_at_unique(const Range& range);
  std::vector<Pair> unique_pairs(const Range& range);
  bool cut_in_the_middle(const Range& range);
  void later(const Range& range) {
    if (range.old_size() > 0 && range.new_size() > 0) work_.push_back(range);
  }

  std::span<const std::uint32_t> old_, new_;
  std::vector<Place> places_;
  std::vector<std::int64_t> forward_, backward_;  // Myers' furthest points, by diagonal
  std::vector<Range> work_;
  std::vector<Common> runs_;
  std::int64_t steps_left_ = most_steps;
};

Alignment::Alignment(std::span<const std::uint32_t> old_ids, std::span<const std::uint32_t> new_ids)
    : old_(old_ids), new_(new_ids) {
  std::uint32_t largest = 0;
  for (const std::uint32_t id : old_) largest = std::max(largest, id);
  for (const std::uint32_t id : new_) largest = std::max(largest, id);
  places_.resize(std::size_t{largest} + 1);
}

void Alignment::match(std::size_t old_at, std::size_t new_at, std::size_t length) {
  if (length > 0) runs_.push_back({old_at, new_at, length});
}

std::vector<Common> Alignment::run() {
  later({0, old_.size(), 0, new_.size()});
  while (!work_.empty()) {
    const Range range = work_.back();
    work_.pop_back();
    solve(range);
  }
  std::sort(runs_.begin(), runs_.end(),
            [](const Common& a, const Common& b) { return a.old_at < b.old_at; });
  std::vector<Common> joined;
  for (const Common& run : runs_) {
    if (!joined.empty() && joined.back().old_at + joined.back().length == run.old_at &&
        joined.back().new_at + joined.back().length == run.new_at) {
      joined.back().length += run.length;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

void Alignment::solve(Range range) {
  std::size_t same = 0;
  const std::size_t most = std::min(range.old_size(), range.new_size());
  while (same < most && old_[range.old_begin + same] == new_[range.new_begin + same]) ++same;
  match(range.old_begin, range.new_begin, same);
  range.old_begin += same;
  range.new_begin += same;
  std::size_t tail = 0;
  while (tail < most - same && old_[range.old_end - 1 - tail] == new_[range.new_end - 1 - tail]) {
    ++tail;
  }
  range.old_end -= tail;
  range.new_end -= tail;
  match(range.old_end, range.new_end, tail);
  if (range.old_size() == 0 || range.new_size() == 0 || steps_left_ <= 0) return;
  if (range.shortest || !cut_at_unique(range)) cut_in_the_middle(range);
}

// In the order of the old side.
std::vector<Pair> Alignment::unique_pairs(const Range& range) {
  for (std::size_t i = range.old_begin; i < range.old_end; ++i) {
    Place& place = places_[old_[i]];
    ++place.old_count;
    place.old_at = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = range.new_begin; i < range.new_end; ++i) {
    Place& place = places_[new_[i]];
    ++place.new_count;
    place.new_at = static_cast<std::uint32_t>(i);
  }
  std::vector<Pair> pairs;
  for (std::size_t i = range.old_begin; i < range.old_end; ++i) {
    const Place& place = places_[old_[i]];
    if (place.old_count == 1 && place.new_count == 1) pairs.push_back({i, place.new_at});
  }
  for (std::size_t i = range.old_begin; i < range.old_end; ++i) places_[old_[i]] = {};
  for (std::size_t i = range.new_begin; i < range.new_end; ++i) places_[new_[i]] = {};
  return pairs;
}

// The longest part of the pairs that rises on the new side as well.
std::vector<Pair> longest_rising(const std::vector<Pair>& pairs) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> piles;  // index of the last pair of each length
  std::vector<std::size_t> previous(pairs.size(), none);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto pile = std::lower_bound(
        piles.begin(), piles.end(), pairs[i].new_at,
        [&](std::size_t at, std::size_t value) { return pairs[at].new_at < value; });
    if (pile != piles.begin()) previous[i] = *(pile - 1);
    if (pile == piles.end()) {
      piles.push_back(i);
    } else {
      *pile = i;
    }
  }
  std::vector<Pair> rising(piles.size());
  std::size_t at = piles.empty() ? none : piles.back();
  for (std::size_t i = rising.size(); i-- > 0; at = previous[at]) rising[i] = pairs[at];
  return rising;
}

bool Alignment::cut_at_unique(const Range& range) {
  steps_left_ -= static_cast<std::int64_t>(range.old_size() + range.new_size());
  const std::vector<Pair> anchors = longest_rising(unique_pairs(range));
  if (anchors.empty()) return false;
  Range before = range;
  for (const Pair& anchor : anchors) {
    // The one before has grown over it.
    if (anchor.old_at < before.old_begin || anchor.new_at < before.new_begin) continue;
    later({before.old_begin, anchor.old_at, before.new_begin, anchor.new_at});
    std::size_t length = 1;
    while (anchor.old_at + length < range.old_end && anchor.new_at + length < range.new_end &&
           old_[anchor.old_at + length] == new_[anchor.new_at + length]) {
      ++length;
    }
    match(anchor.old_at, anchor.new_at, length);
    before.old_begin = anchor.old_at + length;
    before.new_begin = anchor.new_at + length;
  }
  later(before);
  return true;
}

// Myers: a point on a shortest way through the range, searched from both ends until the two meet.
// Given up when it costs more than half of the steps that are left. The range is trimmed and
// neither side empty, so the way has two edits at least and the point is none of its ends.
bool Alignment::cut_in_the_middle(const Range& range) {
  const auto n = static_cast<std::int64_t>(range.old_size());
  const auto m = static_cast<std::int64_t>(range.new_size());
  const std::int64_t delta = n - m, most_edits = (n + m + 1) / 2, offset = most_edits + 1;
  const std::int64_t size = 2 * offset + 1, may_spend = steps_left_ / 2;
  std::int64_t spent = size;
  if (spent > may_spend) {
    steps_left_ = 0;
    return false;
  }
  Search forward(forward_, static_cast<std::size_t>(size), offset);
  Search backward(backward_, static_cast<std::size_t>(size), offset);
  const auto old_at = [&](std::int64_t x) {
    return old_[range.old_begin + static_cast<std::size_t>(x)];
  };
  const auto new_at = [&](std::int64_t y) {
    return new_[range.new_begin + static_cast<std::size_t>(y)];
  };
  const auto cut = [&](std::int64_t x, std::int64_t y) {
    const auto a = range.old_begin + static_cast<std::size_t>(x);
    const auto b = range.new_begin + static_cast<std::size_t>(y);
    later({range.old_begin, a, range.new_begin, b, true});
    later({a, range.old_end, b, range.new_end, true});
    steps_left_ -= spent;
    return true;
  };
  const bool odd = (delta & 1) != 0;
  for (std::int64_t d = 0; d < most_edits && spent < may_spend; ++d) {
    for (std::int64_t k = -d + forward.skip_low; k <= d - forward.skip_high; k += 2) {
      std::int64_t x = forward.next(k, d);
      const std::int64_t from = x;
      while (x < n && x - k < m && old_at(x) == new_at(x - k)) ++x;
      spent += 1 + x - from;
      forward.reached(k, x, n, m);
      if (odd && x <= n && x - k <= m && backward.meets(delta - k, n - x)) return cut(x, x - k);
    }
    for (std::int64_t k = -d + backward.skip_low; k <= d - backward.skip_high; k += 2) {
      std::int64_t x = backward.next(k, d);
      const std::int64_t from = x;
      while (x < n && x - k < m && old_at(n - 1 - x) == new_at(m - 1 - x + k)) ++x;
      spent += 1 + x - from;
      backward.reached(k, x, n, m);
      if (!odd && x <= n && x - k <= m && forward.meets(delta - k, n - x)) {
        const std::int64_t met = forward.at(delta - k);
        return cut(met, met - (delta - k));
      }
    }
  }
  steps_left_ -= spent;
  return false;
}

}  // namespace

std::vector<Common> align(std::span<const std::uint32_t> old_ids,
                          std::span<const std::uint32_t> new_ids) {
  return Alignment(old_ids, new_ids).run();
}

}  // namespace pollux::diff
