#include "bench/hostile/watched.hpp"

#include "pollux/store/reader.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>

namespace pollux::hostile {

Watched::Watched(const std::string& configuration, const std::string& trusted) {
  std::ofstream(folder_ / "ca.pem") << trusted;
  std::ofstream(folder_ / "pollux.yaml")
      << "database: attacked.db\nlog: { level: warn }\nnetwork: { allow: [127.0.0.0/8]"
      << (trusted.empty() ? "" : ", ca_file: ca.pem") << " }\n"
      << configuration;
  daemon_ = std::make_unique<test::Program>(
      POLLUX_BINARY, folder_.path(),
      std::vector<std::string>{"run", "--config", folder_.file("pollux.yaml")});
}

Cost Watched::stop() {
  Cost cost{.peak_mb = daemon_->peak_mb()};
  daemon_->send(SIGTERM);
  cost.exit_code = daemon_->wait().exit_code;
  const auto reader = store::Reader::open(folder_.file("attacked.db"));
  if (!reader.ok()) return cost;
  const auto meta = (*reader)->meta();
  if (meta.ok() && meta->contains("loop_stall_p999_ms")) {
    cost.stall_p999_ms = std::stod(meta->at("loop_stall_p999_ms"));
    cost.stall_longest_ms = std::stod(meta->at("loop_stall_longest_ms"));
  }
  return cost;
}

const char* verdict(bool ok) {
  return ok ? "ok" : "MISSED";
}

std::size_t fullest_second(const test::Origin& origin) {
  using namespace std::chrono_literals;
  const std::vector<test::SteadyTime> arrivals = origin.arrivals();
  std::ptrdiff_t fullest = 0;
  for (auto first = arrivals.begin(); first != arrivals.end(); ++first) {
    const auto late =
        std::min<std::chrono::milliseconds>(origin.lateness(*first - 1s, *first + 1s), 500ms);
    const auto end = std::lower_bound(first, arrivals.end(), *first + 1s - late);
    fullest = std::max(fullest, end - first);
  }
  return static_cast<std::size_t>(fullest);
}

}  // namespace pollux::hostile
