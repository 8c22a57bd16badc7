// The budget among a brain and its agents: each has a lease in proportion to the requests that the
// brain has lately wanted to make there, and paces itself by it. What the sum of all leases is, and
// what happens to them when machines are lost, see pollux/leases/leases.hpp. Without a budget
// nobody is held back. Pure; one owner.
#pragma once

#include "agent/messages.hpp"
#include "pollux/base/time.hpp"
#include "pollux/leases/leases.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace pollux::agent {

class Shares {
 public:
  static constexpr Duration lasts = std::chrono::seconds(3);
  static constexpr char here[] = "";  // the brain's own requests

  // `budget`: now, and until when; infinity: none. `epoch`: higher than those before.
  Shares(std::function<leases::Ceiling()> budget, std::uint64_t epoch, Instant now);

  // `price`: of the request, in ordinary ones.
  void wanted(const std::string& holder, std::uint32_t price) {
    demands_[holder].since_last += price;
  }
  // Ten times a second.
  void tick(Instant now);
  // What the answer to an ask says of the lease.
  void answer(const std::string& holder, std::uint64_t instance, const leases::Ask& ask,
              Instant now, Answer& answer);

  // Of the brain's own requests.
  Instant next_here(Instant now) const;
  void take_here(Instant now, std::uint32_t price);
  // Before that it only keeps up what a brain before this one may have granted.
  bool divides(Instant now) const;
  // Of the budget, by all of them.
  leases::InUse in_use(Instant now) const;

 private:
  struct Demand {
    double per_second = 0;
    std::uint32_t since_last = 0;
  };
  bool unlimited() const;
  bool is_believed(const std::string& holder, std::uint64_t knows);
  double weight_of(const std::string& holder) const;
  void measure(Instant now);
  void renew_here(Instant now);
  leases::GranterOptions options() const;

  std::function<leases::Ceiling()> budget_;
  const Instant begun_;
  // Until then somebody may hold what an earlier granter of ours has granted.
  Instant unknown_until_ = Instant::min();
  std::optional<leases::Granter> granter_;
  leases::Holder own_;
  std::map<std::string, Demand> demands_;
  std::set<std::string> teachers_;  // agents that have told us of a later epoch
  Instant measured_;
};

}  // namespace pollux::agent
