// One agent, as its brain knows it: whether it is there, what room it has, what waits to be sent to
// it, and what is on its way from it in parts. Threading: the loop's thread.
#pragma once

#include "agent/messages.hpp"
#include "agent/trial.hpp"
#include "pollux/agent/remote_fetcher.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::agent {

struct AgentLink {
  enum class Standing : std::uint8_t {
    unknown,  // it has not asked
    foreign,  // it still obeys the brain before this one
    alive,
    leaving,  // it stops, and says so
    silent
  };

  explicit AgentLink(std::string its_name) : name(its_name), subjects{std::move(its_name)} {}

  const std::string name;
  const Subjects subjects;
  Standing standing = Standing::unknown;
  Ask last;                                    // what it said last
  Instant asked{};                             // when that came
  std::uint32_t in_flight = 0;                 // reserved and sent
  std::uint32_t rendering = 0;                 // of them
  std::deque<fetch::Token> waiting;            // for room
  std::deque<fetch::Token> waiting_to_render;  // likewise, and for a place in its browser
  std::vector<Poll> outbox;                    // to be sent together, ...
  std::vector<std::uint64_t> taken;            // ... and results to be acknowledged
  std::unique_ptr<Timer> flush;
  bool flush_armed = false;
  std::map<std::uint64_t, std::vector<std::uint64_t>> batches;  // by number: polls in them
  Trial trial;
  AgentFigures figures;

  // One that is there, has slots at all, and makes something of what it gets.
  bool takes(Instant now) const {
    const std::size_t here = in_flight + waiting.size() + waiting_to_render.size();
    return standing == Standing::alive && last.slots > 0 && trial.takes_one_more(now, here);
  }
  bool has_room() const { return standing == Standing::alive && in_flight < last.slots; }
  std::deque<fetch::Token>& waiting_of(bool render) { return render ? waiting_to_render : waiting; }
  bool has_place() const { return has_room() && rendering < last.renders; }
  // One waits for each that is rendered.
  bool is_busy_rendering() const {
    return rendering + waiting_to_render.size() >= 2 * std::size_t{last.renders};
  }

  // A part of a result; all of it once the last one is there.
  std::optional<std::string> add_part(Part part);
  void forget_parts(std::uint64_t id) {
    if (const auto known = parts_.extract(id)) part_bytes_ -= known.mapped().bytes;
  }

 private:
  static constexpr std::size_t most_part_bytes = std::size_t{96} << 20;
  struct Assembly {
    std::vector<std::string> parts;
    std::size_t missing = 0, bytes = 0;
  };
  std::map<std::uint64_t, Assembly> parts_;  // by result
  std::size_t part_bytes_ = 0;
};

}  // namespace pollux::agent
