// A whole run: plan, web, daemon and observer, and the table at its end.
#pragma once

#include "chaos/observer.hpp"
#include "chaos/plan.hpp"
#include "chaos/subject.hpp"

#include <array>
#include <string>
#include <vector>

namespace pollux::chaos {

struct RunOptions {
  PlanOptions plan;
  std::string binary, clock_library;
  // What the daemon is told; the observer goes by groups.hpp, so anything else must be noticed.
  Told told = {};
  // What a machine that is busy with other things may cost.
  int window_slack = 0;       // requests that were paid for in time and left late
  double healthy_part = 0.9;  // of the polls of healthy pages
};

struct Report {
  std::uint64_t plan = 0;  // its fingerprint
  bool small_disk = false;
  std::size_t requests = 0;
  std::array<unsigned, static_cast<std::size_t>(Kind::kinds)> injected{};
  std::vector<Invariant> invariants;

  // Nothing was violated, and nothing went unchecked.
  bool held() const;
  void print() const;
};

// Takes as long as the plan says.
Report run(RunOptions options);

}  // namespace pollux::chaos
