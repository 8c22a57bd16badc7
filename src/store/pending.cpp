#include "store/pending.hpp"

namespace pollux::store {

void Pending::add(Batch&& batch) {
  for (const NodeRow& node : batch.nodes) nodes_[{node.level, node.position}] = node.value;
  for (HostRow& host : batch.hosts) {
    std::string key = host.host;
    hosts_[std::move(key)] = std::move(host);
  }
  for (const MinuteRow& row : batch.minutes) {
    MinuteRow& sum = minutes_[row.minute];
    sum.minute = row.minute;
    sum.budget = row.budget;
    sum.requests += row.requests;
    sum.polls += row.polls;
    sum.changes += row.changes;
    sum.same += row.same;
    sum.errors += row.errors;
    sum.explored += row.explored;
  }
  for (auto& [key, text] : batch.meta) meta_[std::move(key)] = std::move(text);
}

void Pending::move_to(Batch& batch) {
  for (const auto& [at, value] : nodes_) batch.nodes.push_back({at.first, at.second, value});
  for (auto& [key, host] : hosts_) batch.hosts.push_back(std::move(host));
  for (const auto& [at, row] : minutes_) batch.minutes.push_back(row);
  for (const auto& [key, text] : meta_) batch.meta.emplace_back(key, text);
  *this = Pending();
}

}  // namespace pollux::store
