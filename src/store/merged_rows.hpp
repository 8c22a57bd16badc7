// The rows other than polls that wait for the disk, merged so that it cannot grow without end while
// writing fails: one row for each node, host, robots.txt, minute and key. Not thread-safe.
#pragma once

#include "pollux/store/store.hpp"

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace pollux::store {

class MergedRows {
 public:
  void add(Batch&& batch);  // its polls are ignored
  void add(HostRow&& host);
  void add(VersionPut&& version);
  void add(std::vector<SuspicionRow>&& suspicions, std::vector<MaskRow>&& masks);
  void add(std::vector<NoticeRow>&& notices);
  void move_to(Batch& batch);
  std::size_t version_bytes() const { return version_bytes_; }
  bool empty() const {
    return shares_.empty() && nodes_.empty() && hosts_.empty() && robots_.empty() &&
           minutes_.empty() && meta_.empty() && placements_.empty() && versions_.empty() &&
           suspicions_.empty() && masks_.empty() && notices_.empty() && deliveries_.empty() &&
           !access_points_;
  }

 private:
  void forget_rules();

  std::map<PageId, ShareRow> shares_;
  using NodeKey = std::tuple<std::uint32_t, std::uint32_t, std::string, std::string, std::int64_t>;
  std::map<NodeKey, NodeRow> nodes_;
  std::map<std::string, HostRow> hosts_;
  static constexpr std::size_t most_robots_bytes = 16u << 20;
  std::map<std::string, RobotsRow> robots_;
  std::size_t robots_bytes_ = 0;  // of their rules, at most
  std::map<WallTime, MinuteRow> minutes_;
  std::map<std::string, std::string> meta_;
  std::map<std::pair<std::string, std::string>, PlacementRow> placements_;
  std::optional<std::vector<AccessPointRow>> access_points_;
  static constexpr std::size_t most_version_bytes = 32u << 20;
  std::deque<VersionPut> versions_;
  std::size_t version_bytes_ = 0;
  static constexpr std::size_t most_findings = 100'000;
  std::vector<SuspicionRow> suspicions_;
  std::vector<MaskRow> masks_;
  static constexpr std::size_t most_notices = 100'000;
  std::vector<NoticeRow> notices_;
  std::vector<DeliveryChange> deliveries_;  // one a rule at most: who delivers waits for it
};

}  // namespace pollux::store
