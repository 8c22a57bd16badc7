#include "agent/agent_link.hpp"

#include <algorithm>
#include <limits>

namespace pollux::agent {

bool AgentLink::has_room(Instant now) const {
  if (standing != Standing::alive || in_flight >= last.slots || rate < least_rate || is_quiet(now))
    return false;
  // A slow one has its next poll early, too.
  return begins_until + from_seconds(reserved / rate) <
         now + std::max(ahead, from_seconds(1.5 / rate));
}

void AgentLink::give(std::uint32_t price, Instant now) {
  // A little less than it may send: what it could not use of its lease is gone, and what waits
  // there would otherwise only ever grow.
  constexpr double part = 0.98;
  --reserved;
  if (rate < least_rate) return;  // its lease ended since
  begins_until = std::max(begins_until, now) + from_seconds(price / (part * rate));
}

void AgentLink::note_lease(const Answer& answer, Instant now) {
  const double before = rate;
  if (answer.unlimited) {
    rate = std::numeric_limits<double>::infinity();
  } else if (answer.grant && !answer.grant->hello) {
    rate = answer.grant->rate;
  }
  // What waits there takes as much less time as it may send more.
  if (begins_until > now && rate >= least_rate)
    begins_until = now + from_seconds(to_seconds(begins_until - now) * before / rate);
}

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
