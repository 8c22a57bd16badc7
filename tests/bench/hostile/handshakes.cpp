// 200 hosts hold their TLS handshakes and let them all go at once, at a budget of 20.
#include "bench/hostile/watched.hpp"
#include "support/behaviours.hpp"

#include <atomic>
#include <cstdio>

namespace pollux::hostile {

using namespace std::chrono_literals;
using test::Exchange;
using test::Step;

void handshakes() {
  constexpr int hosts = 200, budget = 20;
  std::string names = "DNS:localhost";
  for (int i = 1; i <= hosts; ++i) names += ",IP:127.3.0." + std::to_string(i);
  test::Origin origin(test::Origin::Options{.tls = true,
                                            .certificate = {.names = names},
                                            .address = "0.0.0.0",
                                            .measure_lateness = true});
  std::atomic<bool> released{false};
  origin.on_connect([&](Exchange& x) -> Step {
    while (!released) co_await x.sleep(10ms);
  });
  origin.otherwise(test::serve::page("here"));
  std::string list;
  for (int i = 1; i <= hosts; ++i) {
    list += "  - " + origin.url_at("127.3.0." + std::to_string(i), "/") + "\n";
  }
  Watched watched("budget: " + std::to_string(budget) +
                      "\nhosts: { robots: ignore }\ndefaults: { timeout: 2m }\npages:\n" + list,
                  origin.ca_pem());
  within(60, [&] { return origin.open_connections() >= hosts; });
  const std::size_t open = origin.open_connections();
  released = true;
  within(60, [&] { return origin.requests() >= hosts; });
  const std::size_t fullest = fullest_second(origin);
  watched.stop();
  std::printf(
      "  12. %zu handshakes held and released together, budget %d: %zu requests in the fullest "
      "second (wanted: %d or less) %s\n",
      open, budget, fullest, budget + 1, verdict(fullest <= budget + 1));
}

}  // namespace pollux::hostile
