#include "pollux/base/process_memory.hpp"

#include <cstdio>

#include <unistd.h>

namespace pollux {

ProcessMemory process_memory() {
  unsigned long pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  if (std::fscanf(file, "%lu %lu", &pages, &resident) != 2) pages = resident = 0;
  std::fclose(file);
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {.address_space = pages * page_bytes, .resident = resident * page_bytes};
}

}  // namespace pollux
