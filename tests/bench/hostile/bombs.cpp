// 300 hosts let go of bodies of 45 KB at once that unfold to 9.8 MB, which a page may be.
#include "bench/hostile/watched.hpp"
#include "support/behaviours.hpp"

#include <atomic>
#include <cstdio>

namespace pollux::hostile {
namespace {

using namespace std::chrono_literals;
using test::Exchange;
using test::Step;

constexpr int hosts = 300;

}  // namespace

void bombs() {
  const std::string packed = test::gzip(test::foldable_text(9'800'000));
  std::atomic<int> held{0};
  std::atomic<bool> released{false};
  test::Origin origin(test::Origin::Options{.address = "0.0.0.0"});
  std::string list;
  for (int i = 0; i < hosts; ++i) {
    const std::string path = "/" + std::to_string(i);
    list += "  - " +
            origin.url_at("127.6." + std::to_string(i / 200) + "." + std::to_string(1 + i % 200),
                          path) +
            "\n";
    origin.on(path, [&](Exchange& x) -> Step {
      // At first they are pages like any other.
      if (x.nth == 1) co_return co_await x.respond(200, "", "small");
      ++held;
      while (!released && x.connected()) co_await x.sleep(10ms);
      co_await x.respond(200, "Content-Encoding: gzip\r\n", packed);
    });
  }
  Watched watched("budget: 300\nhosts: { robots: ignore }\ndefaults: { timeout: 1m }\npages:\n" +
                  list);
  const bool all = within(30, [&] { return held >= hosts; });
  released = true;
  std::this_thread::sleep_for(15s);
  const Cost cost = watched.stop();
  std::printf(
      "   4. %d bodies of %zu KB that unfold to 9.8 MB, at once: %.0f MB (wanted: 256 or less) %s, "
      "event loop late by %.0f ms at most (wanted: 50 or less) %s%s\n",
      held.load(), packed.size() / 1000, cost.peak_mb, verdict(cost.peak_mb <= 256),
      cost.stall_longest_ms, verdict(cost.stall_longest_ms <= 50 && cost.exit_code == 0),
      all ? "" : " (not all came)");
}

}  // namespace pollux::hostile
