#include "engine/fetch_limits.hpp"

#include "engine/descriptors.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include <spdlog/spdlog.h>

namespace pollux::engine {

int detect_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1u, 4u));
}

// Two cores are left: the engine's own thread, which feeds the others, and the writer with the rest
// of the system. One engine could feed eight (bench throughput), but four fetch more polls a second
// than a list asks for.
std::size_t fetch_threads(const config::Config& config) {
  if (config.fetch_threads > 0) return config.fetch_threads;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores <= 2 ? 1 : std::min(4u, cores - 2);
}

// Enough that servers which only time out (20 s) cannot use up the budget's fetches, yet fewer than
// the descriptors a process has by default. Without a budget, more would only add waiting, unless
// servers are slow.
concurrency::ControllerOptions fetches_for(const config::Config& config) {
  concurrency::ControllerOptions options;
  options.fixed = config.concurrency;
  options.servers = detect_threads();
  options.queue = config.fetch_queue;
  options.starvation_weight = config.starvation_weight;
  const std::size_t threads = fetch_threads(config);
  // Half as many leave this processor and the server's idle in turn; twice as many cost caches.
  options.first = std::clamp<std::size_t>(32 * threads, 64, 128);
  if (const double budget = config.schedule.budget; std::isfinite(budget)) {
    options.most = static_cast<std::size_t>(std::clamp(std::ceil(budget * 20), 128.0, 512.0));
    options.most_if_slow = options.most;
    options.paced = true;
  } else {
    // As many as fit the processors' caches; a server that needs more is slow.
    options.most = std::min<std::size_t>(128 * threads, options.most_if_slow);
  }
  if (options.fixed > 0 && !allow_descriptors(options.fixed)) {
    spdlog::warn(
        "fetch.concurrency: {} connections need more file descriptors than this system "
        "allows; raise its limit (ulimit -Hn, LimitNOFILE) or lower the number",
        options.fixed);
  }
  return options;
}

}  // namespace pollux::engine
