#include "bench/agents/parts.hpp"
namespace pollux::bench {
bool losses() {
  return true;
}
}  // namespace pollux::bench
