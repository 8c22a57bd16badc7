#include "store/merged_rows.hpp"

#include <iterator>
#include <utility>

namespace pollux::store {

void MergedRows::add(Batch&& batch) {
  for (const ShareRow& row : batch.shares) shares_[row.page] = row;
  for (NodeRow& node : batch.nodes) {
    NodeKey key{node.level, node.position, node.first_url, node.prefix, node.pages};
    nodes_[std::move(key)] = std::move(node);
  }
  for (HostRow& host : batch.hosts) add(std::move(host));
  for (RobotsRow& row : batch.robots) {
    robots_bytes_ += row.rules.size();
    if (robots_bytes_ > most_robots_bytes) forget_rules();
    RobotsRow& waiting = robots_[row.host];
    row.only_instead = row.only_instead && (waiting.host.empty() || waiting.only_instead);
    waiting = std::move(row);
  }
  for (const MinuteRow& row : batch.minutes) {
    const auto [found, is_new] = minutes_.try_emplace(row.minute);
    MinuteRow& total = found->second;
    if (is_new) total.seconds = 0;
    total.minute = row.minute;
    total.budget = row.budget;
    total.requests += row.requests;
    total.polls += row.polls;
    total.changes += row.changes;
    total.same += row.same;
    total.errors += row.errors;
    total.explored += row.explored;
    total.looks += row.looks;
    total.looks_found += row.looks_found;
    total.seconds += row.seconds;
  }
  for (auto& [key, text] : batch.meta) meta_[std::move(key)] = std::move(text);
  for (PlacementRow& row : batch.placements) {
    std::pair key(row.host, row.access_point);
    placements_[std::move(key)] = std::move(row);
  }
  if (batch.access_points) access_points_ = std::move(batch.access_points);
  for (VersionPut& version : batch.versions) add(std::move(version));
  add(std::move(batch.suspicions), std::move(batch.masks));
  add(std::move(batch.notices));
  std::move(batch.deliveries.begin(), batch.deliveries.end(), std::back_inserter(deliveries_));
}

// Servers choose how long the rules are. What is let go is asked for again after a restart: what
// the file says of them is older, and must not come into force again.
void MergedRows::forget_rules() {
  for (auto& [host, row] : robots_) {
    if (row.rules.empty()) continue;
    std::string().swap(row.rules);
    row.verdict = "disallow";
    row.check_at = row.fetched_at;
  }
  robots_bytes_ = 0;
}

// While the disk does not work the oldest go: that costs history, nothing else.
void MergedRows::add(VersionPut&& version) {
  version_bytes_ += version.text.size();
  versions_.push_back(std::move(version));
  while (version_bytes_ > most_version_bytes && versions_.size() > 1) {
    version_bytes_ -= versions_.front().text.size();
    versions_.pop_front();
  }
}

void MergedRows::add(std::vector<SuspicionRow>&& suspicions, std::vector<MaskRow>&& masks) {
  if (suspicions_.size() < most_findings)
    std::move(suspicions.begin(), suspicions.end(), std::back_inserter(suspicions_));
  if (masks_.size() < most_findings)
    std::move(masks.begin(), masks.end(), std::back_inserter(masks_));
}

// Of a disk that does not work for long: what is over the bound can be seen in the pages' rows.
void MergedRows::add(std::vector<NoticeRow>&& notices) {
  if (notices_.size() < most_notices)
    std::move(notices.begin(), notices.end(), std::back_inserter(notices_));
}

void MergedRows::add(HostRow&& host) {
  std::string key = host.host;
  hosts_[std::move(key)] = std::move(host);
}

void MergedRows::move_to(Batch& batch) {
  for (const auto& [page, row] : shares_) batch.shares.push_back(row);
  for (auto& [key, node] : nodes_) batch.nodes.push_back(std::move(node));
  for (auto& [key, host] : hosts_) batch.hosts.push_back(std::move(host));
  for (auto& [key, row] : robots_) batch.robots.push_back(std::move(row));
  for (const auto& [at, row] : minutes_) batch.minutes.push_back(row);
  for (const auto& [key, text] : meta_) batch.meta.emplace_back(key, text);
  for (auto& [key, row] : placements_) batch.placements.push_back(std::move(row));
  batch.access_points = std::move(access_points_);
  std::move(versions_.begin(), versions_.end(), std::back_inserter(batch.versions));
  batch.suspicions = std::move(suspicions_);
  batch.masks = std::move(masks_);
  batch.notices = std::move(notices_);
  batch.deliveries = std::move(deliveries_);
  *this = MergedRows();
}

}  // namespace pollux::store
