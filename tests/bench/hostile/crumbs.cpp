// Twenty hosts send their bodies byte by byte, each in a chunk of its own, or hide endless words in
// the chunks' heads: much for curl to take apart, and little for a page.
#include "bench/hostile/watched.hpp"
#include "support/behaviours.hpp"

#include <cstdio>

namespace pollux::hostile {
namespace {

using namespace std::chrono_literals;

constexpr int hosts = 20;

test::Script endless_crumbs() {
  std::string many;
  while (many.size() < 64000) many += "1\r\nx\r\n";
  return test::serve::repeat("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", many);
}

void pour(const char* what, const test::Script& script) {
  test::Origin origin(test::Origin::Options{.address = "0.0.0.0"});
  origin.otherwise(script);
  std::string list;
  for (int i = 0; i < hosts; ++i) {
    list += "  - " + origin.url_at("127.7.0." + std::to_string(1 + i), "/") + "\n";
  }
  Watched watched("budget: 50\nhosts: { robots: ignore, delay: 0s }\npages:\n" + list);
  within(10, [&] { return origin.requests() >= hosts; });
  std::this_thread::sleep_for(15s);
  const auto began = std::chrono::steady_clock::now();
  const Cost cost = watched.stop();
  const std::chrono::duration<double> stopping = std::chrono::steady_clock::now() - began;
  std::printf(
      "   %d hosts with %s: event loop late by %.0f ms at most (wanted: 50 or less) %s, %.0f MB; "
      "stopped after %.1f s\n",
      hosts, what, cost.stall_longest_ms,
      verdict(cost.stall_longest_ms <= 50 && cost.exit_code == 0), cost.peak_mb, stopping.count());
}

}  // namespace

void crumbs() {
  pour("chunks of one byte", endless_crumbs());
  pour("endless words in a chunk's head", test::serve::endless_chunk_heads());
}

}  // namespace pollux::hostile
