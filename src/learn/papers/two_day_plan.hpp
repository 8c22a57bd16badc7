// Which pages to poll today and which tomorrow (document 002, §2.3.3): every page follows one of
// four strategies, so many polls are made each day, and the sum of the costs is least.
//
// With k pages polled on both days, the sizes of all four groups are given and the rest is a
// transportation problem: pages flow to strategies at minimum cost. It is solved by successive
// shortest paths. Between strategies the residual graph has four nodes; the edge from a to b costs
// what the cheapest page of a pays for moving to b, which a heap knows. So a page costs O(log n).
// The least cost as a function of k is the value of a linear program whose right side is linear in
// k: convex. From the smallest k on, k grows by two shortest paths a step, until the cost does not
// fall any more. Exact: costs are integers inside (2^-30 of the largest cost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pollux::learn {

// Bit 0: polled today; bit 1: tomorrow.
enum class TwoDays : std::uint8_t { neither = 0, today = 1, tomorrow = 2, both = 3 };

// What each strategy costs a page over the two days.
struct TwoDayCost {
  double neither = 0;
  double today = 0;
  double tomorrow = 0;
  double both = 0;
};

// Makes a plan in small steps of O(log n), for whoever must not be held up. Exactly
// min(polls_per_day, pages) pages are polled each day.
class TwoDayPlanner {
 public:
  TwoDayPlanner(std::vector<TwoDayCost> pages, std::size_t polls_per_day);
  ~TwoDayPlanner();

  // False: the plan is ready.
  bool step();
  TwoDays plan(std::size_t page) const;
  const TwoDayCost& cost(std::size_t page) const;

 private:
  class Flow;
  std::unique_ptr<Flow> flow_;
};

// The same in one go.
std::vector<TwoDays> two_day_plan(std::span<const TwoDayCost> pages, std::size_t polls_per_day);

// The sum over all pages.
double cost_of(std::span<const TwoDayCost> pages, std::span<const TwoDays> plan);

}  // namespace pollux::learn
