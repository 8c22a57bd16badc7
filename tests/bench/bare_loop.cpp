// The yardstick as a program: see bare_loop.hpp. SHA-256 of every body, a comparison with the last
// one in memory.
//   bench_bare_loop BASE_URL PAGES SECONDS [IN_FLIGHT]
// Prints one line: polls, seconds, polls per second, CPU seconds.
#include "bench/bare_loop.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace pollux::bench;
  if (argc < 4) return 64;
  const Tally tally =
      bare_loop(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtod(argv[3], nullptr),
                argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 128, Hashing::yes);
  std::printf("polls %zu seconds %.3f per_second %.0f cpu_seconds %.3f errors %zu\n", tally.polls,
              tally.seconds, static_cast<double>(tally.polls) / tally.seconds, tally.cpu_seconds,
              tally.errors);
  return 0;
}
