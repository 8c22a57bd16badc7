// The access points at work: which way each request leaves, what its time teaches, and how that
// comes out of and into the database. Exists only where access points are configured.
// Threading: the I/O thread.
#pragma once

#include "engine/host_table.hpp"
#include "engine/page_table.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/place/placement.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

class WaysOut {
 public:
  // The configured access points, at least one, as they are now: a reload does not change them.
  WaysOut(const config::Config& config, HostTable& hosts);

  // Hosts that are not in the table are passed over. Before any request.
  void restore(const std::vector<store::PlacementRow>& rows);

  // The way for a request to this host. A host that only redirects lead to goes the way of the hop
  // before it: it is not worth learning.
  std::uint32_t choose(HostSlot host, std::optional<std::uint32_t> hop_before);
  // True when the way is not the host's own: somebody wanted to know how fast it is.
  bool is_look(HostSlot host, std::uint32_t way) const;
  std::uint32_t own(HostSlot host) const;

  // A kept connection that was lost says nothing about the way, unless it is the second try.
  enum class Try { first, second };
  void note(HostSlot host, std::uint32_t way, const fetch::Response& response, Try which);
  // A failure that may be the way's own: refused, reset, timed out.
  bool blames_way(std::uint32_t way, const fetch::Response& response, Try which) const;

  // The host has no page any more: it gives its place back.
  void forget(HostSlot host) { placement_.remove(host); }

  std::vector<store::AccessPointRow> rows() const;
  std::vector<store::PlacementRow> take_changed(std::size_t most_hosts);

 private:
  std::vector<fetch::AccessPoint> points_;
  std::vector<std::uint32_t> capacities_;
  HostTable& hosts_;
  place::Placement placement_;
};

}  // namespace pollux::engine
