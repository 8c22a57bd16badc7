// The access points at work: which way each request leaves, what its time teaches, and how that
// comes out of and into the database. Where none are configured it has nothing to say.
// A way is an index into points(): every access point there has been since the start, so that a
// request under way means the same one after a reload. An arm is one that is configured now.
// Threading: the I/O thread.
#pragma once

#include "engine/host_table.hpp"
#include "engine/page_table.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/placement/placement.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

class WaysOut {
 public:
  WaysOut(const config::Config& config, HostTable& hosts);

  // Hosts that are not in the table are passed over. Before any request.
  void restore(const std::vector<store::PlacementRow>& rows);

  // The access points of a new configuration. Hosts stay where they are and keep their times as far
  // as access points stay; those of one that is gone are placed anew, and requests under way end on
  // it. What has to be written besides rows(); nullopt: nothing is different.
  std::optional<std::vector<store::PlacementRow>> change(const config::Config& config);
  const std::vector<fetch::AccessPoint>& points() const { return points_; }

  // The way for a request to this host; none without access points. A host that only redirects lead
  // to goes the way of the hop before it: it is not worth learning.
  std::optional<std::uint32_t> choose(HostSlot host, std::optional<std::uint32_t> hop_before);
  // True when the way is not the host's own: somebody wanted to know how fast it is.
  bool is_look(HostSlot host, std::uint32_t way) const;
  std::uint32_t own(HostSlot host) const;  // only for a look

  // A kept connection that was lost says nothing about the way, unless it is the second try.
  enum class Try { first, second };
  void note(HostSlot host, std::uint32_t way, const fetch::Response& response, Try which);
  // A failure that may be the way's own: refused, reset, timed out.
  bool blames_way(std::uint32_t way, const fetch::Response& response, Try which) const;

  // The host has no page any more: it gives its place back.
  void forget(HostSlot host) {
    if (placement_) placement_->remove(host);
  }

  std::vector<store::AccessPointRow> rows() const;
  std::vector<store::PlacementRow> take_changed(std::size_t most_hosts);

 private:
  void set_up(const config::Config& config);
  std::uint32_t way_of(const fetch::AccessPoint& point);
  std::optional<std::size_t> arm_of(std::uint32_t way) const;
  std::optional<std::size_t> arm_named(const std::string& name) const;
  bool knows(HostSlot host) const { return placement_ && placement_->knows(host); }

  std::vector<fetch::AccessPoint> points_;
  std::vector<std::uint32_t> ways_;  // by arm
  std::vector<std::uint32_t> capacities_;
  HostTable& hosts_;
  std::optional<placement::Placement> placement_;  // none: no access points
};

}  // namespace pollux::engine
