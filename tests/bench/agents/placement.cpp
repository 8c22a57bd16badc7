#include "bench/agents/parts.hpp"
namespace pollux::bench {
bool placement() {
  return true;
}
}  // namespace pollux::bench
