// Hosts that take a connection and never answer, or never end the handshake, beside 100 healthy
// ones; default settings, from a cold start. Nobody knows them before they have been asked once, so
// what the healthy pages get is compared with what they get alone in as much less time as that
// takes.
#include "bench/hostile/watched.hpp"
#include "support/stalled_web.hpp"

#include <cstdio>

namespace pollux::hostile {
namespace {

using test::StalledWeb;
using namespace std::chrono_literals;

constexpr double run = 40;  // longer than a time-out

void compare(StalledWeb::Where where, std::chrono::milliseconds answer) {
  StalledWeb alone(POLLUX_BINARY, {.answer = answer});
  std::vector<std::unique_ptr<StalledWeb>> beside;
  const std::vector<int> counts{10, 100, 300};
  for (const int stalling : counts) {
    beside.push_back(std::make_unique<StalledWeb>(
        POLLUX_BINARY,
        StalledWeb::Options{.stalling = stalling, .answer = answer, .where = where}));
  }
  while (beside.back()->seconds() < run) std::this_thread::sleep_for(100ms);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double part = 100.0 * static_cast<double>(beside[i]->polls(0, run)) /
                        static_cast<double>(std::max<std::size_t>(
                            alone.polls(0, run - beside[i]->introduction()), 1));
    std::printf(
        "   1. %3d hosts stall (%s), healthy answers in %3lld ms: healthy pages get %.1f %% of "
        "their polls (wanted: 95 or more) %s\n",
        counts[i], where == StalledWeb::Where::request ? "request" : "handshake",
        static_cast<long long>(answer.count()), part, verdict(part >= 95));
  }
}

}  // namespace

void stalls() {
  for (const auto answer : {0ms, 50ms, 150ms}) compare(StalledWeb::Where::request, answer);
  compare(StalledWeb::Where::handshake, 50ms);
}

}  // namespace pollux::hostile
