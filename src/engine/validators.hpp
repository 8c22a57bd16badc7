// How far a server's word that nothing has changed is trusted. A 304 costs next to nothing and is
// believed, but not for ever: now and then a page is asked in full. A change that only such a look
// has found may have happened just then, or may have been hidden; the next poll tells, by sending
// the validators of the content before it (a trap): who answers 304 to those lies, and is asked in
// full from then on, as all pages of its host are. Pure but for the records.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/page_table.hpp"

namespace pollux::engine {

// Asked in full after so many 304s in a row, or so long after it last came in full.
inline constexpr std::uint8_t most_not_modified = 20;
inline constexpr Duration longest_without_content = std::chrono::hours(24 * 7);

// Whether the poll that begins sends validators. Takes note of a host that is not believed.
bool sends_validators(PageRecord& page, HostRecord& host, Instant now);
// A conclusive answer has come: what is remembered of it besides the content.
void note_validators(PageRecord& page, const Flight& flight, bool changed);
// A 304 to validators of content that is known to be gone. Takes note of the lie.
bool caught_lying(PageRecord& page, HostRecord& host, const Flight& flight);

}  // namespace pollux::engine
