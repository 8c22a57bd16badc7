#include "pollux/lab/advice.hpp"

#include "pollux/learn/importance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace pollux::lab {

namespace {

double found_at(double rate, double frequency) {
  return frequency > 0 ? frequency * -std::expm1(-rate / frequency) : 0;
}

// As the scheduler stretches what the budget cannot pay for (src/schedule).
double stretch_of(double demand, double budget) {
  if (demand <= budget) return 1;
  return demand / (std::max(0.5, 2 - demand / budget) * budget);
}

// The least and the most that limits let each page have.
struct Range {
  double least = 0, most = 0;
};

std::vector<Range> ranges(const AdviceList& list, double budget) {
  double demand = 0;
  for (const AdvicePage& page : list.pages) {
    if (page.max_interval > 0) demand += 1 / page.max_interval;
  }
  const double stretch = stretch_of(demand, budget);
  const double explored = list.explore * budget / static_cast<double>(list.pages.size());
  std::vector<Range> all;
  all.reserve(list.pages.size());
  for (const AdvicePage& page : list.pages) {
    Range range{explored, page.min_interval > 0 ? 1 / page.min_interval : budget};
    if (page.max_interval > 0) {
      range.least = std::max(range.least, 1 / (page.max_interval * stretch));
    }
    range.least = std::min(range.least, range.most);
    all.push_back(range);
  }
  return all;
}

// Frequencies at this price of a poll; y(μ/w) is asked for once per importance.
double divide(const AdviceList& list, const std::vector<Range>& limits, double price,
              std::vector<double>& frequencies) {
  std::map<double, double> worth;
  double sum = 0;
  for (std::size_t i = 0; i < list.pages.size(); ++i) {
    const AdvicePage& page = list.pages[i];
    const auto [known, fresh] = worth.try_emplace(page.importance, 0);
    if (fresh) known->second = learn::inverse_marginal_value(price / page.importance);
    const bool worthless = price >= page.importance;
    const double wanted = worthless ? 0 : page.rate / known->second;
    frequencies[i] = std::clamp(wanted, limits[i].least, limits[i].most);
    sum += frequencies[i];
  }
  return sum;
}

double found_of(const AdviceList& list, const std::vector<double>& frequencies) {
  double sum = 0;
  for (std::size_t i = 0; i < list.pages.size(); ++i) {
    sum += found_at(list.pages[i].rate, frequencies[i]);
  }
  return sum;
}

}  // namespace

Outlook outlook(const AdviceList& list, double budget) {
  Outlook result;
  result.budget = budget;
  if (list.pages.empty()) return result;
  const std::vector<Range> limits = ranges(list, budget);
  result.frequencies.resize(list.pages.size());
  double high = 0;
  for (const AdvicePage& page : list.pages) high = std::max(high, page.importance);
  double low = high * 1e-9;
  for (int i = 0; i < 50 && high / low > 1 + 1e-7; ++i) {
    const double middle = std::sqrt(low * high);
    (divide(list, limits, middle, result.frequencies) > budget ? low : high) = middle;
  }
  result.price = high;
  result.polls = divide(list, limits, high, result.frequencies);
  double all = 0, outdated = 0;
  for (std::size_t i = 0; i < list.pages.size(); ++i) {
    const double rate = list.pages[i].rate;
    const double found = found_at(rate, result.frequencies[i]);
    all += rate;
    result.found += found;
    outdated += 1 - found / rate;
  }
  result.share = result.found / all;
  result.mean_delay = result.found > 0 ? outdated / result.found : 0;
  return result;
}

Droppable droppable(const AdviceList& list, const Outlook& now) {
  Droppable result;
  std::vector<double> gains(list.pages.size(), 0);
  AdviceList rest = list;
  rest.pages.clear();
  double kept_found = 0;
  for (std::uint32_t i = 0; i < list.pages.size(); ++i) {
    const AdvicePage& page = list.pages[i];
    const double found = found_at(page.rate, now.frequencies[i]);
    gains[i] = now.price * now.frequencies[i] - page.importance * found;
    if (gains[i] < 0) {
      rest.pages.push_back(page);
      kept_found += found;
      continue;
    }
    result.pages.push_back(i);
    result.polls += now.frequencies[i];
    result.found += found;
  }
  if (result.pages.empty()) return result;
  result.gain = outlook(rest, now.budget).found - kept_found;
  std::sort(result.pages.begin(), result.pages.end(), [&](std::uint32_t a, std::uint32_t b) {
    return gains[a] != gains[b] ? gains[a] > gains[b] : a < b;
  });
  return result;
}

std::vector<IntervalCost> interval_costs(const AdviceList& list, const Outlook& now,
                                         std::size_t limit) {
  // What each page would have if it had no max_interval, at today's price.
  std::map<double, IntervalCost> by_interval;
  for (std::size_t i = 0; i < list.pages.size(); ++i) {
    const AdvicePage& page = list.pages[i];
    if (!(page.max_interval > 0)) continue;
    const double explored = list.explore * now.budget / static_cast<double>(list.pages.size());
    const double wanted =
        now.price >= page.importance
            ? 0
            : page.rate / learn::inverse_marginal_value(now.price / page.importance);
    const double extra = now.frequencies[i] - std::max(wanted, explored);
    if (!(extra > 1e-3 * now.frequencies[i])) continue;
    IntervalCost& cost = by_interval[page.max_interval];
    cost.max_interval = page.max_interval;
    ++cost.pages;
    cost.extra_polls += extra;
  }
  std::vector<IntervalCost> costs;
  for (const auto& [interval, cost] : by_interval) costs.push_back(cost);
  const auto most_first = [](auto IntervalCost::*member) {
    return [member](const IntervalCost& a, const IntervalCost& b) { return a.*member > b.*member; };
  };
  std::stable_sort(costs.begin(), costs.end(), most_first(&IntervalCost::extra_polls));
  if (costs.size() > limit) costs.resize(limit);
  const double found = found_of(list, now.frequencies);
  for (IntervalCost& cost : costs) {
    AdviceList without = list;
    for (AdvicePage& page : without.pages) {
      if (page.max_interval == cost.max_interval) page.max_interval = 0;
    }
    cost.lost = std::max(0.0, outlook(without, now.budget).found - found);
  }
  std::stable_sort(costs.begin(), costs.end(), most_first(&IntervalCost::lost));
  return costs;
}

}  // namespace pollux::lab
