#include "support/steady_polls.hpp"

#include "support/behaviours.hpp"

#include <algorithm>

namespace pollux::test {
namespace {

std::string steady_path(int page) {
  return "/r" + std::to_string(page % SteadyPolls::groups) + "/" + std::to_string(page);
}

}  // namespace

SteadyPolls::SteadyPolls() {
  for (int host = 0; host < hosts; ++host) {
    origins_.push_back(std::make_unique<Origin>());
    origins_.back()->otherwise(serve::page("a page"));
    for (int page = 0; page < changing_a_host; ++page)
      origins_.back()->on(steady_path(page), serve::changing_page());
  }
}

std::string SteadyPolls::yaml() const {
  std::string text =
      "budget: 510\ndatabase: late.db\nnetwork: { allow: [127.0.0.0/8] }\n"
      "log: { level: warn }\nhosts: { delay: 0s, connections: 16, robots: ignore }\n"
      "defaults: { min_interval: 4900ms, max_interval: 5s }\n"
      "rules: [{ match: \"*\", content: { as: raw } }]\npages:\n";
  for (const auto& origin : origins_) {
    for (int page = 0; page < pages_a_host; ++page)
      text += "  - " + origin->url(steady_path(page)) + "\n";
  }
  return text;
}

SteadyPolls::Seen SteadyPolls::seen(SteadyTime from, SteadyTime to) const {
  std::vector<double> late;
  std::size_t count = 0;
  for (const auto& origin : origins_) {
    for (int page = 0; page < pages_a_host; ++page) {
      const std::vector<SteadyTime> at = origin->arrivals(steady_path(page));
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (at[i] < from || at[i] >= to) continue;
        ++count;
        if (i < 2) continue;
        late.push_back(std::chrono::duration<double>(at[i] - at[i - 1]).count() - every_seconds);
      }
    }
  }
  Seen result;
  result.per_second = static_cast<double>(count) / std::chrono::duration<double>(to - from).count();
  if (late.empty()) return result;
  const auto p99 = late.begin() + static_cast<std::ptrdiff_t>(late.size() * 99 / 100);
  std::nth_element(late.begin(), p99, late.end());
  result.late_p99_ms = std::max(*p99, 0.0) * 1000;
  return result;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace pollux::test
