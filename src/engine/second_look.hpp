// What must be looked at once more before it is believed: a body that may have been cut short and
// is not the one known, a 304 that is a lie, an answer that may not be the page, a page that
// differs at every poll. Such a look is a request like any other, paid for and polite, and part of
// its poll; a poll has two at most, and but for the first two reasons they take five per cent of
// the requests, which pay for them: the page's own share does not.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/manners.hpp"
#include "engine/outcome.hpp"
#include "engine/page_table.hpp"

#include <algorithm>

namespace pollux::engine {

// How many looks may still be taken: a part of the requests that were sent.
class LookAllowance {
 public:
  void sent() { looks_ = std::min(looks_ + part, most); }
  // `leave`: so many to others.
  bool take(int looks, int leave = 0) {
    if (looks_ < looks + leave) return false;
    looks_ -= looks;
    return true;
  }
  void give_back() { looks_ += 1; }

 private:
  static constexpr double part = 0.05, most = 20;
  double looks_ = 10;
};

// Polls in a row that must see what looks agree on for the first time, or of a page that
// alternates, or what has become another page: one may be chance.
inline constexpr std::uint8_t seen_again = 2;

// What a poll has seen before it looks again; its text is the first of the flight's texts.
struct FirstLook {
  End end;
  fetch::Response answer;
  std::string url;
  Trail trail;
};

// If a look that should have confirmed the first says nothing of it (it failed, came from
// elsewhere, or is suspect itself), the flight ends with the first one, which is not believed
// before it is seen again. What its host has asked for counts in any case.
void fall_back(Flight& flight, End& end, const Manners& manners, Instant now);

// Makes the flight one for the next look, which begins where the page is.
bool wants_second_look(Flight& flight, PageTable& pages, HostTable& hosts, End& end,
                       LookAllowance& allowance, const Moment& moment);

}  // namespace pollux::engine
