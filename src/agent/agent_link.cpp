#include "agent/agent_link.hpp"

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
  needed.request.render = sent.request.render;
  needed.remote.known_content = sent.remote.known_content;
  return needed;
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

}  // namespace pollux::agent
