#include "agent/agent_link.hpp"

namespace pollux::agent {

std::optional<std::string> AgentLink::add_part(Part part) {
  Assembly& known = parts_[part.id];
  if (known.parts.empty()) {
    known.parts.resize(part.count);
    known.missing = part.count;
  }
  const std::uint64_t id = part.id;
  // Too many at once, or another number of parts than before: it is sent again.
  if (known.parts.size() != part.count || part.bytes.empty() ||
      part_bytes_ + part.bytes.size() > most_part_bytes) {
    forget_parts(id);
    return {};
  }
  std::string& place = known.parts[part.number];
  if (!place.empty()) return {};  // repeated
  known.bytes += part.bytes.size();
  part_bytes_ += part.bytes.size();
  place = std::move(part.bytes);
  if (--known.missing > 0) return {};
  std::string whole;
  whole.reserve(known.bytes);
  for (const std::string& one : known.parts) whole += one;
  forget_parts(id);
  return whole;
}

std::array<Polls, 2> halves(const Polls& whole) {
  std::array<Polls, 2> both;
  const auto middle = whole.polls.begin() + static_cast<long>(whole.polls.size() / 2);
  for (Polls& half : both) half = {whole.brain, whole.ask, whole.ttl, {}};
  both[0].polls.assign(whole.polls.begin(), middle);
  both[1].polls.assign(middle, whole.polls.end());
  return both;
}

}  // namespace pollux::agent
