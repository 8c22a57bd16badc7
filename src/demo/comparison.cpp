#include "pollux/demo/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pollux::demo {

std::uint64_t uniform_would_find(std::span<const Change> history, std::size_t pages,
                                 std::uint64_t polls, Instant start, Instant end) {
  if (pages == 0 || polls == 0 || end <= start) return 0;
  const double spacing = static_cast<double>((end - start).count()) / static_cast<double>(polls);
  // Poll k, at start + k * spacing, goes to page k mod pages: page p's own polls are p - 1 + r *
  // pages for the rounds r = 0, 1, … Each change is found by the page's first poll at or after it.
  std::vector<std::uint64_t> last_finder(pages, 0);
  std::uint64_t found = 0;
  for (const Change& change : history) {
    const std::uint64_t own = number(change.page) - 1;
    if (own >= pages) continue;
    const double position = static_cast<double>((change.at - start).count()) / spacing;
    const double round =
        std::ceil((position - static_cast<double>(own)) / static_cast<double>(pages));
    if (round < 1) continue;  // part of the baseline
    const std::uint64_t finder = own + static_cast<std::uint64_t>(round) * pages;
    if (finder >= polls || finder == last_finder[own]) continue;
    last_finder[own] = finder;
    ++found;
  }
  return found;
}

bool changed_between(std::span<const Change> history, PageNumber page, Instant from, Instant to) {
  const auto earlier = [](Instant t, const Change& change) { return t < change.at; };
  const auto first = std::upper_bound(history.begin(), history.end(), from, earlier);
  const auto last = std::upper_bound(first, history.end(), to, earlier);
  return std::any_of(first, last, [page](const Change& change) { return change.page == page; });
}

}  // namespace pollux::demo
