// A web on which 500 polls per second are due, evenly: 2 500 pages on ten hosts, each to be polled
// every 5 s. A tenth of the pages changes at every request. Says how late polls came, as the hosts
// saw them. Threading: one thread.
#pragma once

#include "support/origin.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

class SteadyPolls {
 public:
  static constexpr int hosts = 10, pages_a_host = 250, changing_a_host = 25;
  static constexpr int groups = 5;  // pages are at /r0/… to /r4/…
  static constexpr double every_seconds = 5;

  SteadyPolls();
  std::string yaml() const;  // of a daemon that polls it; its database is late.db

  struct Seen {
    double late_p99_ms = 0;  // of polls; a page's first two do not count
    double per_second = 0;
  };
  Seen seen(SteadyTime from, SteadyTime to) const;

 private:
  std::vector<std::unique_ptr<Origin>> origins_;
};

double median(std::vector<double> values);  // of none: 0

}  // namespace pollux::test
