// A web in which one site is deployed anew, all of its pages at once, among pages of other hosts of
// which some change by themselves. It keeps a log of what each request was shown and when, so that
// limits can be checked as the servers see them.
//
//   SiteWeb web({.site_pages = 300, .other_pages = 1700});
//   poll(web.urls());
//   web.redeploy();
//   web.log();
//
// Threading: every public function from any thread.
#pragma once

#include "support/origin.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::test {

class SiteWeb {
 public:
  struct Options {
    std::size_t site_pages = 300;
    std::size_t other_pages = 1700, other_hosts = 85;
    std::size_t lively_every = 10;  // one of so many other pages changes by itself; 0: none
    std::chrono::seconds lively_period{300};
  };
  struct Request {
    std::size_t page = 0;  // of urls()
    int version = 0;       // of the site; of other pages 0
    SteadyTime came, answered;
  };
  explicit SiteWeb(Options options);

  const std::vector<std::string>& urls() const { return urls_; }  // those of the site first
  bool is_of_site(std::size_t page) const { return page < options_.site_pages; }
  static std::string site_host() { return "127.0.5.1"; }
  const std::string& host(std::size_t page) const { return hosts_[page]; }
  SteadyTime redeploy();
  std::vector<Request> log() const;  // in the order in which they came
  // What came then may have been here so much earlier.
  std::chrono::milliseconds lateness(SteadyTime from, SteadyTime to) const {
    return origin_.lateness(from, to);
  }

 private:
  Step answer(Exchange& exchange);
  std::string body(std::size_t page, int version) const;
  int version(std::size_t page, SteadyTime now) const;

  const Options options_;
  const SteadyTime begun_ = std::chrono::steady_clock::now();
  std::vector<std::string> urls_, hosts_;
  mutable std::mutex mutex_;
  int deployed_ = 1;
  std::vector<Request> log_;
  Origin origin_{Origin::Options{.address = "0.0.0.0", .measure_lateness = true}};
};

// What a server may complain about: requests of one host closer than `delay`, more at a time than
// `connections`, polls of a page closer than `min_interval`, more requests in any second than
// `budget` allows. Up to three requests of a page within `moment` are one poll: what is new may be
// looked at again. `tolerance`: beside what its own thread was late.
struct SiteLimits {
  std::chrono::milliseconds delay{0}, min_interval{0};
  std::size_t connections = 1;
  double budget = 0;
  std::chrono::milliseconds moment{3000}, tolerance{5};
};
std::vector<std::string> complaints(const SiteWeb& web, const SiteLimits& limits);

}  // namespace pollux::test
