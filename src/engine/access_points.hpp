// The access points at work: through which one each request leaves, what its time teaches, and how
// that comes out of and into the database. Where none are configured it has nothing to say.
// An id names an access point as long as the process lives, so that a request under way means the
// same one after a reload. Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/page_table.hpp"
#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/placement/placement.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

class AccessPoints {
 public:
  AccessPoints(const config::Config& config, HostTable& hosts);

  // Hosts that are not in the table are passed over. Before any request.
  void restore(const std::vector<store::PlacementRow>& rows);

  // The access points of a new configuration. Hosts stay where they are and keep their times as far
  // as access points stay; those of one that is gone are placed anew, and requests under way end on
  // it. What has to be written besides rows(); nullopt: nothing is different.
  std::optional<std::vector<store::PlacementRow>> change(const config::Config& config);
  const std::vector<fetch::AccessPoint>& points() const { return points_; }

  // May a request go to this agent now, and one that is to be rendered? `secrets`: one with
  // headers, cookies or a login.
  using Takes = std::function<bool(const std::string& agent, bool secrets)>;
  using Renders = std::function<agent::RenderRoom(const std::string& agent, bool secrets)>;
  // Would a request wait there for others to end?
  using HasRoom = std::function<bool(const std::string& agent)>;
  void ask_of_agents(Takes takes, Renders renders = {}, HasRoom has_room = {}) {
    takes_ = std::move(takes);
    renders_ = std::move(renders);
    has_room_ = std::move(has_room);
  }

  // For a request to this host; none without access points, and for secrets that the host's agent
  // may not be told: they leave this machine as the system routes. A host that only redirects lead
  // to is asked through the access point of the hop before it: it is not worth learning.
  std::optional<fetch::AccessPointId> choose(HostSlot host,
                                             std::optional<fetch::AccessPointId> hop_before,
                                             HasSecrets secrets = HasSecrets::no);
  // Where this host's pages are polled, but for probes; none: nowhere in particular. One that only
  // redirects lead to stands where the hop before it was made.
  std::optional<fetch::AccessPointId> home(HostSlot host,
                                           std::optional<fetch::AccessPointId> hop_before);
  // The agent that renders and is quickest for this host; one with room first. None: no agent does.
  std::optional<fetch::AccessPointId> quickest_renderer(HostSlot host, HasSecrets secrets) const;
  agent::RenderRoom render_room(fetch::AccessPointId id, HasSecrets secrets) const {
    if (!is_agent(id) || !renders_) return agent::RenderRoom::none;
    return renders_(point(id).agent, secrets == HasSecrets::yes);
  }
  // False: all access points are agents, and none of them is there.
  bool any_open();
  // False: each that is there has as many requests as it may have.
  bool any_room() const;
  // False: the one where this host is placed has.
  bool has_room(HostSlot host) const;
  bool is_agent(fetch::AccessPointId id) const { return !point(id).agent.empty(); }
  // True when it is not the host's own: somebody wanted to know how fast it is.
  bool is_probe(HostSlot host, fetch::AccessPointId id) const;
  fetch::AccessPointId own(HostSlot host) const;  // of one that is placed

  // A kept connection that was lost says nothing about the access point, unless it is a second try.
  void note(HostSlot host, fetch::AccessPointId id, const fetch::Response& response,
            Attempt attempt);
  // A failure that may be the access point's own: refused, reset, timed out.
  bool blames(fetch::AccessPointId id, const fetch::Response& response, Attempt attempt) const;

  // The host has no page any more: its access point has room for another.
  void forget(HostSlot host) {
    if (placement_) placement_->remove(host);
  }

  std::vector<store::AccessPointRow> rows() const;
  std::vector<store::PlacementRow> take_changed(std::size_t most_hosts);

 private:
  void set_up(const config::Config& config);
  fetch::AccessPointId id_of(const fetch::AccessPoint& point);
  const fetch::AccessPoint& point(fetch::AccessPointId id) const {
    return points_[static_cast<std::size_t>(id)];
  }
  // Which of the configured ones it is: its index in the placement.
  std::optional<std::size_t> position_of(fetch::AccessPointId id) const;
  std::optional<std::size_t> position_named(const std::string& name) const;
  bool takes(fetch::AccessPointId id, bool secrets) const {
    return !is_agent(id) || (takes_ && takes_(point(id).agent, secrets));
  }
  bool is_full(fetch::AccessPointId id) const {
    return is_agent(id) && has_room_ && !has_room_(point(id).agent);
  }
  void see_who_is_there();
  bool knows(HostSlot host) const { return placement_ && placement_->knows(host); }

  std::vector<fetch::AccessPoint> points_;        // by id: all there have been since the start
  std::vector<fetch::AccessPointId> configured_;  // now, by position
  std::vector<std::uint32_t> capacities_;
  bool has_agents_ = false;  // among those configured
  Takes takes_;
  Renders renders_;
  HasRoom has_room_;
  HostTable& hosts_;
  std::optional<placement::Placement> placement_;  // none: no access points
};

}  // namespace pollux::engine
