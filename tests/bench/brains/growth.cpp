#include "bench/brains/growth.hpp"

#include "pollux/base/virtual_loop.hpp"
#include "pollux/brains/member.hpp"
#include "pollux/bus/memory.hpp"

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Cost {
  double messages = 0, kilobytes = 0, cpu_us = 0;  // per second, all brains together
};

Cost cost_of(std::size_t count) {
  ManualClock clock;
  VirtualLoop loop(clock);
  bus::MemoryHub hub(clock);
  std::vector<std::unique_ptr<bus::Bus>> lines;
  std::vector<std::unique_ptr<brains::Member>> members;
  for (std::size_t i = 0; i < count; ++i) {
    brains::Options options;
    options.name = "brain" + std::to_string(i);
    options.budget = 1000;
    lines.push_back(hub.join(loop, options.name));
    members.push_back(std::make_unique<brains::Member>(
        *lines.back(), loop, clock, options, i + 1,
        brains::Member::Callbacks{[i] {
                                    return brains::Figures{
                                        .marginal_value = 0.2 + 0.01 * static_cast<double>(i),
                                        .pages = 5'000'000,
                                        .hosts = 100'000};
                                  },
                                  [](double, Instant) {}}));
  }
  constexpr int seconds = 300;
  loop.run_until(clock.now() + 2min);
  const auto messages = hub.messages(), bytes = hub.bytes();
  const double cpu = cpu_seconds();
  loop.run_until(clock.now() + std::chrono::seconds(seconds));
  Cost cost;
  cost.cpu_us = (cpu_seconds() - cpu) / seconds * 1e6;
  cost.messages = static_cast<double>(hub.messages() - messages) / seconds;
  cost.kilobytes = static_cast<double>(hub.bytes() - bytes) / seconds / 1e3;
  members.clear();
  return cost;
}

}  // namespace

void brains_growth() {
  spdlog::set_level(spdlog::level::warn);
  std::puts(
      "   what brains say to one another (an ask goes to all, a grant to one), and the CPU of all "
      "of "
      "them together, without NATS:");
  for (const std::size_t count : {2, 4, 8, 20}) {
    const Cost cost = cost_of(count);
    std::printf(
        "   %2zu brains: %5.0f messages/s, %6.1f KB/s, %6.0f us of CPU per second, %5.0f "
        "each\n",
        count, cost.messages, cost.kilobytes, cost.cpu_us,
        cost.cpu_us / static_cast<double>(count));
  }
}

}  // namespace pollux::bench
