// Chaos from a seed against the real program, and an observer on the servers' side.
//   bench_chaos [SEED] [--pollux PATH] [--seconds N] [--moments N] [--plan] [--break RULE]
// POLLUX_CHAOS_LOG names a file for what the daemon logs; POLLUX_CHAOS_SECONDS says how long (600);
// there are two thousand bad moments in ten minutes. Ends with 1 when a promise was broken. --plan
// only shows what would be done. --break budget, delay, robots or agent tells the daemon something
// else than the observer goes by, which must be noticed.
#include "chaos/run.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  pollux::chaos::RunOptions options;
  options.binary = POLLUX_BINARY;
  options.clock_library = SHIFTED_CLOCK;
  long seconds = 600, moments = 0;
  bool only_plan = false;
  if (const char* wanted = std::getenv("POLLUX_CHAOS_SECONDS")) seconds = std::atol(wanted);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--pollux") {
      options.binary = value, ++i;
    } else if (word == "--seconds") {
      seconds = std::atol(value), ++i;
    } else if (word == "--moments") {
      moments = std::atol(value), ++i;
    } else if (word == "--break") {
      const std::string rule = value;
      if (rule == "budget") options.told.budget *= 2;
      if (rule == "delay") options.told.delay /= 2;
      if (rule == "robots") options.told.obey_robots = false;
      if (rule == "agent") options.told.user_agent = "other/1";
      ++i;
    } else if (word == "--plan") {
      only_plan = true;
    } else {
      options.plan.seed = std::strtoull(word.c_str(), nullptr, 10);
    }
  }
  if (seconds < 10 || options.plan.seed == 0) {
    std::fprintf(stderr,
                 "usage: bench_chaos [SEED] [--pollux PATH] [--seconds 10 or more] "
                 "[--moments N] [--plan] [--break budget|delay|robots|agent]\n");
    return 64;
  }
  options.plan.length = std::chrono::seconds(seconds);
  options.plan.moments = static_cast<unsigned>(moments > 0 ? moments : seconds * 2000 / 600);
  if (only_plan) {
    pollux::chaos::print(pollux::chaos::make_plan(options.plan));
    return 0;
  }
  std::printf("   seed %llu, %ld s, %s\n", static_cast<unsigned long long>(options.plan.seed),
              seconds, options.binary.c_str());
  std::fflush(stdout);
  const pollux::chaos::Report report = pollux::chaos::run(options);
  report.print();
  return report.held() ? 0 : 1;
}
