#include "engine/doubts.hpp"

#include <algorithm>

namespace pollux::engine {

bool Doubts::is_doubtful(Flight& flight, const PageRecord& page, Look& look, Instant now) {
  if (!look.another) return false;
  // Under new rules many pages may keep the same.
  if (page.has_hash && alike_.turned(page.host, flight.page, page.hash, look.hash, now)) {
    look.suspicion = extract::Suspicion::alike;
    return false;
  }
  if (page.rewritten) return false;
  flight.put_off = std::max(flight.put_off, seen_again);
  return true;
}

std::optional<std::string> Doubts::missing_url(const PageRecord& page, RobotsBook& robots, Rng& rng,
                                               Instant now) {
  if (!missing_.may_ask(page.host, now)) return {};
  std::string url = MissingPages::url(page.url.view(), rng);
  if (robots.check(page.host, url, now) != RobotsBook::Answer::allowed) return {};
  if (!looks_.take(1)) return {};
  return url;
}

}  // namespace pollux::engine
