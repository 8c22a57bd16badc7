#include "agent/result_post.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace pollux::agent {

void ResultPost::add(const Result& result) {
  if (result.body.size() > part_bytes / 2) return send_in_parts(result);
  if (bytes_ + result.body.size() > part_bytes || together_.size() == most_results_at_once)
    send_together(std::exchange(together_, {}));
  if (together_.empty()) bytes_ = 0;
  bytes_ += result.body.size();
  together_.push_back(result);
}

std::vector<std::uint64_t> ResultPost::send() {
  send_together(std::exchange(together_, {}));
  return std::exchange(untold_, {});
}

// Headers count, too: one that is large must not keep the others from being told.
void ResultPost::send_together(std::vector<Result> results) {
  if (results.empty()) return;
  std::string bytes = encode(Results{instance_, brain_, results});
  if (!bytes.empty() && bytes.size() <= bus_.largest_payload()) {
    bus_.publish(subjects_.results(), std::move(bytes));
  } else if (results.size() == 1) {
    send_in_parts(results.front());
  } else {
    const auto middle = results.begin() + static_cast<std::ptrdiff_t>(results.size() / 2);
    send_together({std::make_move_iterator(middle), std::make_move_iterator(results.end())});
    results.erase(middle, results.end());
    send_together(std::move(results));
  }
}

void ResultPost::send_in_parts(const Result& result) {
  const std::string whole = encode(Results{instance_, brain_, {result}});
  if (whole.empty()) return untold_.push_back(result.id);
  Part part{instance_, brain_, result.id, 0, 0, {}};
  part.count = static_cast<std::uint32_t>((whole.size() + part_bytes - 1) / part_bytes);
  for (; part.number < part.count; ++part.number) {
    part.bytes = whole.substr(part.number * part_bytes, part_bytes);
    if (!bus_.publish(subjects_.parts(), encode(part))) return;
  }
}

}  // namespace pollux::agent
