// A robots.txt of 500 KiB of wildcard rules, and 400 pages with long URLs to match with them.
#include "bench/hostile/watched.hpp"
#include "support/behaviours.hpp"

#include <cstdio>

namespace pollux::hostile {

using namespace std::chrono_literals;

void wildcards() {
  std::string rules = "User-agent: *\n";
  while (rules.size() < 500u * 1024) rules += "Disallow: /*a*a*a*a*a*a*a*a*b\n";
  test::Origin origin;
  origin.on("/robots.txt", test::serve::page(rules, "Content-Type: text/plain\r\n"));
  origin.otherwise(test::serve::page("here"));
  std::string list;
  for (int i = 0; i < 400; ++i) {
    list += "  - " + origin.url("/" + std::to_string(i) + std::string(1500, 'a')) + "\n";
  }
  Watched watched("budget: 50\nhosts: { delay: 0s, connections: 4 }\npages:\n" + list);
  within(10, [&] { return origin.requests("/robots.txt") > 0; });
  std::this_thread::sleep_for(20s);
  const std::size_t requests = origin.requests();
  const Cost cost = watched.stop();
  std::printf(
      "   8. 500 KiB of wildcard rules, 400 long URLs, %zu requests: event loop late by %.0f ms at "
      "most (wanted: 50 or less) %s\n",
      requests, cost.stall_longest_ms, verdict(cost.stall_longest_ms <= 50 && cost.exit_code == 0));
}

}  // namespace pollux::hostile
