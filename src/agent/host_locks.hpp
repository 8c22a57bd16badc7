// An agent's own politeness: so many requests of a host at a time, and a pause from the end of one,
// and from its beginning, to the next. The brain keeps it as well; this lock holds when the brain
// is wrong. Hosts that have been quiet are forgotten. Threading: one owner.
#pragma once

#include "pollux/agent/worker.hpp"
#include "pollux/base/time.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace pollux::agent {

class HostLocks {
 public:
  explicit HostLocks(std::function<HostManners(const std::string&)> manners)
      : manners_(std::move(manners)) {}

  // When the host may be asked; Instant::max(): when somebody lets go of it.
  Instant ready_at(const std::string& host) const {
    const auto known = hosts_.find(host);
    if (known == hosts_.end()) return Instant::min();
    if (known->second.in_use >= known->second.manners.connections) return Instant::max();
    return known->second.rests_until;
  }
  Instant rests_until(const std::string& host) const {
    const auto known = hosts_.find(host);
    return known == hosts_.end() ? Instant::min() : known->second.rests_until;
  }
  void take(const std::string& host) { ++lock(host).in_use; }
  void sent(const std::string& host, Instant now) {
    Lock& asked = lock(host);
    asked.rests_until = now + asked.manners.delay;
  }
  // `asked`: a request was sent.
  void let_go(const std::string& host, bool asked, Instant now) {
    Lock& left = lock(host);
    --left.in_use;
    if (asked) left.rests_until = std::max(left.rests_until, now + left.manners.delay);
    if (hosts_.size() > most_hosts)
      std::erase_if(hosts_, [now](const auto& one) {
        return one.second.in_use == 0 && one.second.rests_until <= now;
      });
  }

 private:
  static constexpr std::size_t most_hosts = 4096;  // then those that rest no more are looked for
  struct Lock {
    HostManners manners;
    int in_use = 0;
    Instant rests_until = Instant::min();
  };
  Lock& lock(const std::string& host) {
    const auto [known, is_new] = hosts_.try_emplace(host);
    if (is_new && manners_) known->second.manners = manners_(host);
    return known->second;
  }
  const std::function<HostManners(const std::string&)> manners_;
  std::unordered_map<std::string, Lock> hosts_;
};

}  // namespace pollux::agent
