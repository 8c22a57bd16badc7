// 300 hosts let go of bodies of 45 KB at once that unfold to 9.8 MB, which a page may be: bytes
// first, then documents that fall apart into millions of parts.
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
constexpr std::size_t unfolded = 9'800'000;

struct Body {
  std::string type;  // a header field; empty: none
  std::string packed;
};

Body document(const std::string& type, std::string text, std::string_view part,
              const std::string& end = "") {
  while (text.size() + part.size() + end.size() < unfolded) text += part;
  return {"Content-Type: " + type + "\r\n", test::gzip(text + end)};
}

void release_together(const char* what, const std::vector<Body>& bodies) {
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
    const Body& body = bodies[static_cast<std::size_t>(i) % bodies.size()];
    origin.on(path, [&](Exchange& x) -> Step {
      // At first they are pages like any other.
      if (x.nth == 1) co_return co_await x.respond(200, body.type, "[1]");
      ++held;
      while (!released && x.connected()) co_await x.sleep(10ms);
      co_await x.respond(200, body.type + "Content-Encoding: gzip\r\n", body.packed);
    });
  }
  Watched watched("budget: 300\nhosts: { robots: ignore }\ndefaults: { timeout: 1m }\npages:\n" +
                  list);
  const bool all = within(30, [&] { return held >= hosts; });
  const int together = held;
  released = true;
  std::this_thread::sleep_for(15s);
  const Cost cost = watched.stop();
  std::printf(
      "   4. %d %s of about 45 KB that unfold to 9.8 MB, at once: %.0f MB (wanted: 256 or less) "
      "%s, event loop late by %.0f ms at most (wanted: 50 or less) %s%s\n",
      together, what, cost.peak_mb, verdict(cost.peak_mb <= 256), cost.stall_longest_ms,
      verdict(cost.stall_longest_ms <= 50 && cost.exit_code == 0), all ? "" : " (not all came)");
}

}  // namespace

void bombs() {
  release_together("bodies", {{"", test::gzip(test::foldable_text(unfolded))}});
  release_together(
      "documents",
      {document("application/xml", "<?xml version='1.0'?><r>", "<a/>", "</r>"),
       document("application/rss+xml", "<rss version='2.0'><channel>",
                "<item><title>a</title></item>", "</channel></rss>"),
       document("application/json", "[", "0,", "0]"),
       document("application/json", "[", "{},", "0]"), document("text/html", "<html><body>", "<b>"),
       document("text/plain", "", "a b "), document("text/plain", "", "a\n\n")});
}

}  // namespace pollux::hostile
