// One page of 200 redirects five times, each time to a host nobody has asked yet, whose robots.txt
// redirects five times as well: 37 requests for one poll.
#include "bench/hostile/watched.hpp"
#include "support/behaviours.hpp"

#include <cstdio>

namespace pollux::hostile {
namespace {

using namespace std::chrono_literals;
using test::Exchange;
using test::Step;

constexpr int pages = 200, seconds = 60;

std::string new_host(unsigned number) {
  return "127.8." + std::to_string(number / 250 % 250) + "." + std::to_string(1 + number % 250);
}

}  // namespace

void redirects() {
  test::Origin good(test::Origin::Options{.address = "0.0.0.0"});
  test::Origin evil(test::Origin::Options{.address = "0.0.0.0"});
  good.otherwise(test::serve::page("here"));
  good.on("/robots.txt", test::serve::status(404));
  unsigned hosts = 0;  // the origin's thread alone
  evil.otherwise([&](Exchange& x) -> Step {
    const std::string number = std::to_string(++hosts);
    const std::string next = x.path == "/robots.txt" ? "/robots.txt?" : "/page?";
    const std::string to = evil.url_at(new_host(hosts), next + number);
    co_await x.respond(302, "Location: " + to + "\r\n", "");
  });
  std::string list = "  - " + evil.url_at("127.7.0.1", "/page") + "\n";
  for (int i = 1; i < pages; ++i) {
    list += "  - " + good.url_at("127.7.1." + std::to_string(i), "/page") + "\n";
  }
  Watched watched("budget: 20\nlearner: { policy: uniform }\npages:\n" + list);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const std::size_t bad = evil.requests(), all = bad + good.requests();
  watched.stop();
  const double share = static_cast<double>(all) / pages;
  std::printf(
      "   9. 1 page of %d that redirects: %zu of %zu requests in %d s (wanted: its share of %.0f "
      "and 12 more, at most) %s\n",
      pages, bad, all, seconds, share, verdict(static_cast<double>(bad) <= share + 12));
}

}  // namespace pollux::hostile
