// Which rule wants which event. Pure; what only the page's row knows (tags) is left to whoever
// writes the notice, in the same transaction.
#pragma once

#include "pollux/notify/options.hpp"
#include "pollux/store/rows.hpp"

#include <string_view>
#include <vector>

namespace pollux::notify {

// Whether anybody wants to hear of such an event at all.
bool any_wants(const Rules& rules, Event event);

// Whom the event is for. `since`: when the content was last seen before it, of a page that has
// recovered: an end is told only where its beginning was.
struct Happening {
  Event event = Event::change;
  std::string_view url = {};
  double importance = 1;
  WallTime at{};
  std::optional<WallTime> since = {};
};
std::vector<store::NoticeWish> wishes(const Rules& rules, const Happening& happening);

// What is told about the daemon itself. `key`: told once at most; see store::NoticeRow. Without
// wishes when nobody wants to hear of it.
store::NoticeRow system_notice(const Rules& rules, std::string summary, std::string key,
                               WallTime at);

}  // namespace pollux::notify
