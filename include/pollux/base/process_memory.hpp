// How much memory this process has, as the kernel counts it. Any thread.
#pragma once

#include <cstdint>

namespace pollux {

// In bytes; 0: not known.
struct ProcessMemory {
  std::uint64_t address_space = 0, resident = 0;
};

ProcessMemory process_memory();

}  // namespace pollux
