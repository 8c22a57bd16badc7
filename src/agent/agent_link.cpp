#include "agent/agent_link.hpp"

#include <algorithm>
#include <limits>

#include <spdlog/spdlog.h>

namespace pollux::agent {

AgentFigures AgentLink::figures_at(Instant now) const {
  AgentFigures all = figures;
  all.name = name;
  all.version = last.version;
  all.alive = standing == Standing::alive;
  all.secrets = last.secrets;
  all.renders = last.renders;
  all.slots = last.slots;
  all.in_flight = in_flight;
  all.round_trip = way.round_trip();
  all.seconds_per_byte = way.seconds_per_byte();
  if (last.id > 0) all.silent_for = now - asked;
  return all;
}

void AgentLink::note_download(Duration took) {
  constexpr double newest = 0.1;  // its weight
  ++figures.polls;
  figures.seconds += (figures.polls == 1 ? 1 : newest) * (to_seconds(took) - figures.seconds);
}

void AgentLink::note_fault(const char* what) {
  if (figures.faults++ % 64 == 0) spdlog::warn("agent {}: {}", name, what);
}

bool may_unfold(const fetch::Request& request, const Result& result) {
  return !request.keep_in || result.content == Content::none || !request.keep_in->full();
}

std::vector<std::uint64_t> take_some(std::vector<std::uint64_t>& ids) {
  const auto end =
      ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), most_results_at_once));
  std::vector<std::uint64_t> some(ids.begin(), end);
  ids.erase(ids.begin(), end);
  return some;
}

AgentLink::Standing standing_of(const Ask& ask, std::uint64_t brain) {
  if (ask.leaving) return AgentLink::Standing::leaving;
  return ask.brain == brain ? AgentLink::Standing::alive : AgentLink::Standing::foreign;
}

bool has_secrets(const fetch::Request& request) {
  return (request.headers && !request.headers->empty()) ||
         (request.cookies && !request.cookies->empty());
}

Poll needed_of(const Poll& sent) {
  Poll needed;
  needed.id = sent.id;
  needed.hash_first = sent.hash_first;
  needed.request.url = sent.request.url;
  needed.request.keep_in = sent.request.keep_in;
  needed.request.cut_body = sent.request.cut_body;
  needed.request.max_body = sent.request.max_body;
  needed.request.render = sent.request.render;
  needed.remote.known_content = sent.remote.known_content;
  return needed;
}

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
