// 4 000 pages on many hosts that change at known moments, served to several watchers under paths of
// their own, so that all see the same changes. It keeps a log of who was shown what, and when.
//
// Threading: every public function from any thread.
#pragma once

#include "support/origin.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace pollux::test {

class ChangingSite {
 public:
  struct Options {
    std::size_t hosts = 80, pages_per_host = 50;
    // Between two changes of a page, on the average: log-uniform by host, and a page within a
    // factor of three of its host.
    double slowest_s = 600, fastest_s = 8;
    double seconds = 900;  // for so long it changes
    std::uint64_t seed = 1;
  };
  struct Request {
    std::size_t watcher = 0, page = 0;
    std::size_t version = 0;
    SteadyTime came;
  };
  explicit ChangingSite(const Options& options);

  std::size_t pages() const { return changes_.size(); }
  std::size_t host_of(std::size_t page) const { return page / options_.pages_per_host; }
  std::string url(std::size_t watcher, std::size_t page) const;
  static std::string host_name(std::size_t host) {
    return "127.0.7." + std::to_string(1 + host);  // an address is a registrable domain of its own
  }
  std::vector<Request> log(std::size_t watcher) const;  // in the order in which they came
  std::size_t changes(SteadyTime from, SteadyTime to) const;
  double changes_per_second() const { return rates_; }
  // The most requests of a watcher in a second of [from, to); `less`: in a second shortened by how
  // late our own thread was, so that what it held back is not taken for a burst.
  struct Fullest {
    std::size_t most = 0, less = 0;
  };
  Fullest fullest_second(std::size_t watcher, SteadyTime from, SteadyTime to) const;

 private:
  Step answer(Exchange& exchange);
  std::size_t version(std::size_t page, SteadyTime at) const;

  const Options options_;
  const SteadyTime begun_ = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> changes_;  // of each page, seconds
  double rates_ = 0;
  mutable std::mutex mutex_;
  std::vector<Request> log_;
  Origin origin_{Origin::Options{.address = "0.0.0.0", .measure_lateness = true}};
};

}  // namespace pollux::test
