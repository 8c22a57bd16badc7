// Where a demonstration stands: what the site really did, what was found, what uniform polling
// would have found. Plain values, filled by whoever runs it, drawn by view.hpp.
#pragma once

#include "pollux/demo/visits.hpp"
#include "pollux/demo/world.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::demo {

// Sums since the start, at one moment.
struct Tally {
  double at = 0;               // seconds since the start
  std::uint64_t requests = 0;  // what the site saw
  std::uint64_t made = 0;      // changes of the site
  std::uint64_t found = 0;     // of them, by Pollux
  std::uint64_t uniform = 0;   // by uniform polling with as many requests
};

struct WatchedPage {
  PageNumber page{};
  Role role = Role::plain;
  double true_rate = 0;               // changes per second
  std::optional<double> learnt_rate;  // changes per second, as estimated
  double share = 0;                   // of the budget
  std::int64_t polls = 0, changes = 0;
};

struct Progress {
  std::size_t pages = 0, hosts = 0;
  double budget = 0;   // requests per second
  double seconds = 0;  // how long it is to take
  std::string site_url, database;
  std::string web_url = {};          // where the daemon shows itself; empty: nowhere
  std::vector<Tally> timeline;       // about one a second; starts with zeros
  std::vector<WatchedPage> watched;  // the most interesting first
  std::int64_t failing = 0;          // pages whose last poll failed
  Visits visits;                     // pages the site was asked for
  std::size_t noisy = 0;             // pages of the site that differ at every look
  std::size_t masked = 0;            // pages on which such places were found, and are not compared
  std::uint64_t useless = 0;         // changes reported where the site had made none
  double top_share = 0;              // of the budget, for the top_pages() with the largest shares

  const Tally& now() const { return timeline.back(); }
  // Requests per second over the last few seconds.
  double recent_requests_per_second() const;
  // By Pollux or by uniform polling. At first nothing can be: a page has to be seen twice.
  bool anything_found() const { return now().found > 0 || now().uniform > 0; }
  // A tenth of the pages. Under uniform polling they get a tenth of the budget.
  std::size_t top_pages() const;
  // Pollux ÷ uniform; nullopt while uniform polling has found nothing.
  std::optional<double> advantage() const;
};

}  // namespace pollux::demo
