// A brain and its agents, the real programs over real NATS servers: how polls add up and what they
// cost (scale), what every loss does to limits and to what is found (losses), and whether each site
// comes to be polled from where it is near (placement).
//   bench_agents [scale|losses[:WORD]|placement]...     all of them unless named; WORD: only losses
//                                                       in whose name it stands
#include "bench/agents/parts.hpp"
#include "support/nats_servers.hpp"

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a buffer would be printed by every child
  if (!pollux::test::NatsServers::installed()) {
    std::puts("   nats-server is not installed");
    return 69;
  }
  using namespace pollux::bench;
  std::vector<std::string> named(argv + 1, argv + argc);
  if (named.empty()) named = {"scale", "losses", "placement"};
  bool met = true;
  for (const std::string& part : named) {
    if (part == "scale") {
      met &= scale();
    } else if (part == "placement") {
      met &= placement();
    } else if (part == "losses" || part.starts_with("losses:")) {
      met &= losses(part.size() > 7 ? part.substr(7) : "");
    } else {
      std::fprintf(stderr, "there is no part '%s'; there are: scale losses placement\n",
                   part.c_str());
      return 64;
    }
  }
  std::puts(met ? "   all as wanted" : "   NOT as wanted");
  return met ? 0 : 1;
}
