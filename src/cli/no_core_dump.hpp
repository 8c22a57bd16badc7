// Secrets of the configuration must not land in a file: no core dump, and no other process of the
// same user may read our memory.
#pragma once

#include <cstdlib>

#include <sys/prctl.h>
#include <sys/resource.h>

namespace pollux::cli {

// A sanitizer looks at its own process from outside.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool looked_at_from_outside = true;
#else
inline constexpr bool looked_at_from_outside = false;
#endif

// POLLUX_DEBUG in the environment leaves both as they are, for debuggers and profilers.
inline void forbid_core_dump() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
  if (looked_at_from_outside || std::getenv("POLLUX_DEBUG") != nullptr) return;
  const rlimit none{0, 0};
  static_cast<void>(setrlimit(RLIMIT_CORE, &none));
  static_cast<void>(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace pollux::cli
