// One agent, as its brain knows it: whether it is there, what room it has, what waits to be sent to
// it, and what is on its way from it in parts. Threading: the loop's thread.
#pragma once

#include "agent/messages.hpp"
#include "agent/trial.hpp"
#include "agent/way.hpp"
#include "pollux/agent/remote_fetcher.hpp"

#include <array>
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
  std::vector<std::uint64_t> taken;            // ... and results to be acknowledged, ...
  std::vector<std::uint64_t> wants;            // ... and those whose content is to be brought
  std::unique_ptr<Timer> flush;
  bool flush_armed = false;
  double rate = 0;                    // of its lease, or infinity
  Instant begins_until{};             // what it has been given, at that rate
  std::uint32_t reserved = 0;         // of those in flight; they have not been given to it yet
  std::optional<Instant> unanswered;  // when it was sent polls and has not been heard of since
  std::map<std::uint64_t, std::vector<std::uint64_t>> batches;  // by number: polls in them
  Way way;
  Trial trial;
  AgentFigures figures;

  // What it could not begin soon by its lease stays here: there it would only wait, and keep its
  // host from moving when the agent is lost.
  bool has_room(Instant now) const;
  void give(std::uint32_t price, Instant now);
  void note_lease(const Answer& answer, Instant now);
  // It says something soon after polls have come. While it does not, more of them are not sent: who
  // was sent one that may have begun must be waited for until its time-out.
  bool is_quiet(Instant now) const { return unanswered && now - *unanswered > patience; }
  // What waits at the brain goes out as soon as something ends there; more would only grow old.
  bool is_crowded() const { return waiting.size() > last.slots / 4; }
  // One that is there, has slots at all, and makes something of what it gets.
  bool takes(Instant now) const {
    const std::size_t here = in_flight + waiting.size() + waiting_to_render.size();
    return standing == Standing::alive && last.slots > 0 && trial.takes_one_more(now, here);
  }
  std::deque<fetch::Token>& waiting_of(bool render) { return render ? waiting_to_render : waiting; }
  bool has_place(Instant now) const { return has_room(now) && rendering < last.renders; }
  bool may_be_here() const { return standing == Standing::alive || standing == Standing::foreign; }
  RenderRoom render_room() const {
    if (last.renders == 0) return RenderRoom::none;
    // One waits for each that is rendered.
    const bool busy = rendering + waiting_to_render.size() >= 2 * std::size_t{last.renders};
    return busy ? RenderRoom::busy : RenderRoom::yes;
  }

  AgentFigures figures_at(Instant now) const;
  void note_download(Duration took);
  void note_fault(const char* what);  // and says so, now and then

  // A part of a result; all of it once the last one is there.
  std::optional<std::string> add_part(Part part);
  void forget_parts(std::uint64_t id) {
    if (const auto known = parts_.extract(id)) part_bytes_ -= known.mapped().bytes;
  }

 private:
  static constexpr double least_rate = 1e-6;  // less is none
  static constexpr Duration ahead = std::chrono::milliseconds(200);
  static constexpr Duration patience = std::chrono::milliseconds(400);
  static constexpr std::size_t most_part_bytes = std::size_t{96} << 20;
  struct Assembly {
    std::vector<std::string> parts;
    std::size_t missing = 0, bytes = 0;
  };
  std::map<std::uint64_t, Assembly> parts_;  // by result
  std::size_t part_bytes_ = 0;
};

// Ids that one message takes; the others stay.
std::vector<std::uint64_t> take_some(std::vector<std::uint64_t>& ids);
AgentLink::Standing standing_of(const Ask& ask, std::uint64_t brain);
bool has_secrets(const fetch::Request& request);
// What is small when it comes may be large when it is unfolded: is there room for it?
bool may_unfold(const fetch::Request& request, const Result& result);
// What its brain needs of a poll once it is on its way.
Poll needed_of(const Poll& sent);
// A message that is too large, as two.
std::array<Polls, 2> halves(const Polls& whole);

}  // namespace pollux::agent
