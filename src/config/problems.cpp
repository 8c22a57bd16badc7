#include "config/problems.hpp"

#include "config/message.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t most_kept = 20;

}  // namespace

void Problems::add(Error error, Order order) {
  ++count_;
  if (kept_.size() == most_kept) return;
  const Place place = place_in(error.message);
  const auto known = std::find(files_.begin(), files_.end(), place.file);
  const auto file = static_cast<std::size_t>(known - files_.begin());
  if (known == files_.end()) files_.emplace_back(place.file);
  kept_.push_back({std::move(error), file, place.line, order});
}

std::vector<Problems::Problem> Problems::sorted() const {
  std::vector<Problem> sorted = kept_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return std::tuple(a.order, a.file, a.line) < std::tuple(b.order, b.file, b.line);
  });
  return sorted;
}

std::vector<std::string> Problems::lines() const {
  std::vector<std::string> lines;
  for (Problem& problem : sorted()) lines.push_back(std::move(problem.error.message));
  if (count_ > lines.size()) lines.push_back(fmt::format("and {} more", count_ - lines.size()));
  return lines;
}

Error Problems::summary() const {
  Error first = sorted().front().error;
  if (count_ > 1) {
    first.message += fmt::format(" (and {} more error{}; `pollux check` lists all)", count_ - 1,
                                 count_ == 2 ? "" : "s");
  }
  return first;
}

}  // namespace pollux::config
