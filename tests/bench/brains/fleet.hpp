// Real daemons that watch one ChangingSite: one by itself, or several under one budget, over a real
// cluster of three NATS servers with TLS.
//
// Threading: one thread.
#pragma once

#include "bench/brains/site.hpp"
#include "support/nats_servers.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

class Watcher {
 public:
  struct Options {
    std::string name;        // of the brain; empty: it shares nothing
    std::size_t number = 0;  // on the site
    double budget = 1;
    std::vector<std::size_t> pages;
    std::uint64_t seed = 1;
  };
  Watcher(const ChangingSite& site, const Options& options, NatsServers* nats);

  void start();
  void kill();  // -9
  void stop();  // asked to end, and it does
  bool runs() const { return program_ != nullptr; }
  const std::string& name() const { return options_.name; }
  const std::vector<std::size_t>& pages() const { return options_.pages; }
  std::uint64_t epoch() const;  // of the last time it became the allocator; 0: never
  // Rows of changes found in a span of time, by page; and of all the time.
  std::vector<std::size_t> changes(std::chrono::system_clock::time_point from,
                                   std::chrono::system_clock::time_point to) const;
  double cpu_seconds() const;

 private:
  const ChangingSite& site_;
  const Options options_;
  TempFolder folder_;
  std::unique_ptr<Program> program_;
};

}  // namespace pollux::test
