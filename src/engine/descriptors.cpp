#include "engine/descriptors.hpp"

#include <algorithm>

#include <sys/resource.h>

namespace pollux::engine {
namespace {

// Kept connections, name lookups, the database and its log, and some to spare.
constexpr std::size_t others = 256;

}  // namespace

bool allow_descriptors(std::size_t fetches) {
  const rlim_t needed = fetches + others;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= needed) return true;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= needed;
}

}  // namespace pollux::engine
