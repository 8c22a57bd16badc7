// What is done to the daemon and to its web, and when: all of it follows from the seed, before
// anything runs, so that a seed replays.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pollux::chaos {

enum class Kind : std::uint8_t {
  // One host misbehaves for a while.
  stall,            // takes the request, never answers
  slow,             // a byte now and then
  reset,            // RST instead of an answer
  reset_mid,        // RST in the middle of the body
  cut,              // fewer bytes than the length says
  cut_bare,         // no length, a FIN in the middle
  busy,             // 429 with Retry-After
  redirect,         // to another host, in a circle, to a forbidden address
  silence_another,  // redirects to a host that answers 429 with a Retry-After of an hour
  // Many hosts at once.
  bomb,        // all hold their answers and let them go together: 45 KB that unfold to 10 MB
  handshakes,  // TLS hosts hold their handshakes and release them together
  robots,      // a host gets another robots.txt
  // The daemon and its machine.
  reload,
  bad_reload,  // of a file that is no configuration
  restart,     // SIGTERM and a new start
  kill,        // -9, and a new start
  freeze,      // SIGSTOP, then SIGCONT
  full_disk,
  delete_file,  // the database's
  clock_jump,
  kinds
};
std::string_view name(Kind kind);

struct Injection {
  std::chrono::milliseconds at{};
  Kind kind{};
  unsigned target = 0;  // which host of its group
  std::chrono::milliseconds lasts{};
  std::int64_t detail = 0;  // a variant, or seconds of a jump
};

struct PlanOptions {
  std::uint64_t seed = 1;
  std::chrono::seconds length{600};
  unsigned moments = 2000;  // about so many
  bool small_disk = true;   // there is one that can be full
  std::vector<Kind> without = {};
};

// Sorted by time. Nothing happens in the first five seconds; what is done to the process never
// overlaps.
std::vector<Injection> make_plan(const PlanOptions& options);
void print(const std::vector<Injection>& plan);
// A number for the whole plan: equal plans have equal ones.
std::uint64_t fingerprint(const std::vector<Injection>& plan);

}  // namespace pollux::chaos
