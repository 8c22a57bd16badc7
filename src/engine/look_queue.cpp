#include "engine/look_queue.hpp"

#include <utility>

namespace pollux::engine {

void LookQueue::put(Waiting look) {
  const HostSlot host = look.task.host;
  auto found = hosts_.find(host);
  if (found == hosts_.end())
    found = hosts_.emplace(host, turns_.insert(turns_.end(), Host{host, {}})).first;
  found->second->waiting.push_back(std::move(look));
  ++size_;
}

std::optional<LookQueue::Waiting> LookQueue::take() {
  for (auto host = turns_.begin(); host != turns_.end(); ++host) {
    const auto running = running_.find(host->slot);
    if (running != running_.end() && running->second >= most_of_a_host_) continue;
    if (large_runs_ && host->waiting.front().large()) continue;
    Waiting next = std::move(host->waiting.front());
    host->waiting.pop_front();
    --size_;
    ++running_[host->slot];
    large_runs_ = large_runs_ || next.large();
    if (host->waiting.empty()) {
      hosts_.erase(host->slot);
      turns_.erase(host);
    } else {
      turns_.splice(turns_.end(), turns_, host);
    }
    return next;
  }
  return std::nullopt;
}

void LookQueue::done(HostSlot host, bool large) {
  const auto running = running_.find(host);
  if (--running->second == 0) running_.erase(running);
  if (large) large_runs_ = false;
}

std::vector<fetch::Token> LookQueue::drop() {
  std::vector<fetch::Token> dropped;
  for (const Host& host : turns_) {
    for (const Waiting& look : host.waiting) dropped.push_back(look.token);
  }
  turns_.clear();
  hosts_.clear();
  size_ = 0;
  return dropped;
}

}  // namespace pollux::engine
