// Who renders pages whose scripts are to run: agents that have a browser, or this process's own;
// and how many pages each may have at a time. The host's own agent comes first. Where that has no
// browser, or the host is placed at no agent and there is no own browser, another agent's will do;
// the own browser is the last resort. Threading: the engine's thread.
#pragma once

#include "engine/access_points.hpp"
#include "engine/flight.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace pollux::engine {

class Renderers {
 public:
  // `points` may be null. Both outlive it.
  Renderers(const config::Config& config, AccessPoints* points)
      : config_(config), points_(points) {}

  static constexpr Duration retry = std::chrono::seconds(2);  // for pages that nobody can render

  struct Choice {
    agent::RenderRoom room = agent::RenderRoom::none;
    std::optional<fetch::AccessPointId> access_point = {};  // none: the own browser
  };
  // For a page of this host. `hop_before`: where the hop that led there was rendered.
  Choice choose(HostSlot host, HasSecrets secrets,
                std::optional<fetch::AccessPointId> hop_before = {});
  // Where nobody can the request goes to no access point, and fails as an agent's fault.
  void place(Flight& flight, const Choice& choice);
  void end(Flight& flight);  // it is over

  // After a choice: nobody can render such pages, and that is not because agents have just begun to
  // be asked, or are being restarted.
  bool is_trouble(HasSecrets secrets, Instant now) const;
  void note(HasSecrets secrets, agent::RenderRoom room, Instant now);

 private:
  static constexpr Duration grace = std::chrono::seconds(10);
  // One waits for each that is rendered: it takes a fetch, and its host's place.
  std::size_t most_here() const { return 2 * config_.render.pages; }
  Choice here() const;

  const config::Config& config_;
  AccessPoints* const points_;
  std::size_t here_ = 0;                                // flights whose pages the own browser has
  std::array<std::optional<Instant>, 2> nobody_since_;  // by whether there are secrets
};

}  // namespace pollux::engine
