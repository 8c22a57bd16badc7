// What a poll meant. Nothing else decides it: a flight that has ended and the page as it was become
// the page as it is now, a change (or none), what the learner is told, and when the page may be
// polled again. Pure but for the page record it is given: no I/O, no scheduler, no policy.
#pragma once

#include "engine/back_off.hpp"
#include "engine/flight.hpp"
#include "engine/page_settings.hpp"
#include "engine/page_table.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/detect/verdict.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/store/rows.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

// How a flight ended: with the hash of a whole body and perhaps a look into it, with an answer that
// has none, or with an error of our own (a redirect that was refused, a wait that took too long).
struct End {
  std::optional<detect::Hash> body = {};
  std::unique_ptr<Look> look = {};  // null: the bytes are known, or the only thing that counts
  std::string error = {};
  std::optional<Duration> wait = {};  // asked for by a server whose answer this is not
};

struct Outcome {
  detect::Verdict verdict = detect::Verdict::unknown;
  std::string error;  // why the content was not seen; empty when it was
  std::optional<store::ChangeRow> change = {};
  std::optional<learn::Observation> feedback = {};
  std::optional<Instant> not_before = {};   // a back-off, or the end of what the server calls fresh
  std::optional<Duration> block_host = {};  // what its host asked for
  bool moved = false;                       // for good, and that is news
  bool landed = false;                      // elsewhere than the last time
  int failed_before = 0;                    // in a row, until this poll
  Health health_before = Health::ok;
  bool rebaselined = false;  // bytes of an earlier version differed, and nobody knows what counted
  std::optional<store::VersionPut> version = {};
  std::vector<store::SuspicionRow> suspicions = {};
  std::vector<store::MaskRow> masks = {};
  std::string diff = {};  // of the change; bounded, and only where it is wanted
  // What it says of its host: see HostCalm. True: found as it was, and not well known before;
  // false: it differs for no reason.
  std::optional<bool> calm = {};
  bool conclusive() const { return verdict != detect::Verdict::unknown; }
};

// Of what counts in an answer that is whole: nothing if nothing was found that could be compared.
std::optional<detect::Hash> content_hash(const PageRecord& page, const End& end);

// Nothing says that the body is whole, or something says that it may not be.
inline bool has_uncertain_end(const Flight& flight, const Look* look) {
  return flight.answer.until_close || (look != nullptr && look->lost_end);
}

// Whether no version has come back to it within its last polls, up to this one.
inline bool is_first_return(const PageRecord& page, std::uint32_t poll) {
  const auto long_ago = [poll](std::uint32_t at) {
    return at == 0 || poll - at > KnownVersions::window;
  };
  return long_ago(page.flapped) && long_ago(page.returned);
}

// Whether the page had kept its content for some polls before the one with this number: one that
// alternates does not, but by chance.
inline bool held_long(const PageRecord& page, std::uint32_t poll) {
  const bool alternates = page.flapped != 0 && poll - page.flapped <= KnownVersions::window;
  return poll - page.differed_at > (alternates ? 16U : 4U);
}

// Why the page has the health it has, and until when its news waits for another look; empty for one
// that is ok and does not wait. `error`: of its last poll.
std::string health_reason(const PageRecord& page, const std::string& error);

// `flight.answer` is the last answer there was. Writes what is new into `page`.
Outcome settle(PageRecord& page, const Flight& flight, End end, const PageSettings& settings,
               const BackOff& back_off, const Moment& moment, Rng& rng);

}  // namespace pollux::engine
