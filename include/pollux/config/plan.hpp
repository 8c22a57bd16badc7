// What the limits of a configuration ask for and what they allow: is it achievable within the
// budget? In requests per second: polls of pages, and robots.txt of the hosts where it is obeyed. A
// rendered page's poll costs several in the budget, and is one to its host. Redirects are not
// foreseen. Pure.
#pragma once

#include "pollux/config/config.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::config {

struct HostPlan {
  std::string host;  // host:port
  std::size_t pages = 0;
  double demanded = 0;  // polls to keep every max_interval
  double robots = 0;    // and robots.txt, as often as these polls want it
  double wanted = 0;    // at most, by min_interval; infinity when that is zero
  double price = 1;     // of a poll in the budget, on average
  double allowed = 0;   // by politeness, if the host answered at once; infinity without a delay
};

struct Plan {
  std::size_t rendered = 0;  // pages
  double demanded = 0;       // polls to keep every max_interval, at their price
  double robots = 0;         // and robots.txt, as often as these polls want it
  double usable = 0;         // at most, by min_interval and politeness; infinity when nothing binds
  std::vector<HostPlan> hosts;  // most pages first
};

Plan make_plan(const Config& config);
// What of it cannot be met, and what to change. load() has called this already.
std::vector<Warning> judge(const Config& config, const Plan& plan);
// What need not be mended: a budget that is a ceiling higher than anything can reach.
std::vector<Warning> remarks(const Config& config, const Plan& plan);

}  // namespace pollux::config
