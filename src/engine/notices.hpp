// What a finished poll gives people to hear of, by the rules of `notify:`. Nothing is sent here:
// rows go with the poll into the outbox. Pure.
#pragma once

#include "engine/flight.hpp"
#include "engine/outcome.hpp"
#include "engine/page_table.hpp"
#include "engine/robots_book.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/store/rows.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::engine {

// A page that was polled, and how it was before.
struct Polled {
  const PageRecord& page;
  const Flight& flight;
  double importance = 1;
  std::string_view sibling = {};      // whose change the poll was for
  std::optional<WallTime> seen = {};  // its content, the last time before
};

// Why it was polled then, for people.
std::string why_polled(const Polled& polled);

// Puts a notice on the change, if there is one; the others are returned.
std::vector<store::NoticeRow> take_notices(const notify::Rules& rules, const Polled& polled,
                                           Outcome& outcome, const Moment& at);

// Of a page that could not be polled because nobody knows its robots.txt, for the first time.
std::vector<store::NoticeRow> denial_notices(const notify::Rules& rules, const PageRecord& page,
                                             double importance, const std::string& reason,
                                             const Moment& at);

}  // namespace pollux::engine
