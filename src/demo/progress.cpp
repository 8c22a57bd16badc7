#include "pollux/demo/progress.hpp"

#include <algorithm>

namespace pollux::demo {

double Progress::recent_requests_per_second() const {
  const std::size_t back = std::min<std::size_t>(timeline.size() - 1, 3);
  const Tally& then = timeline[timeline.size() - 1 - back];
  const double passed = now().at - then.at;
  return passed > 0 ? static_cast<double>(now().requests - then.requests) / passed : 0;
}

std::size_t Progress::top_pages() const {
  return (pages + 9) / 10;
}

std::optional<double> Progress::advantage() const {
  if (now().uniform == 0) return std::nullopt;
  return static_cast<double>(now().found) / static_cast<double>(now().uniform);
}

}  // namespace pollux::demo
