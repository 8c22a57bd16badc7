#include "engine/outcome.hpp"

#include "engine/answer_text.hpp"
#include "engine/validators.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url_distance.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {
namespace {

constexpr const char* emptied = "empty body where there was content before";

// Of an answer that says nothing `error` tells why.
detect::Verdict judge(const PageRecord& page, const Flight& flight, End& end) {
  detect::Answer seen;
  seen.status = flight.answer.status;
  seen.conditional = flight.conditional;
  seen.hash = end.hash;
  seen.complete = end.error.empty() && flight.answer.failure == fetch::Failure::none;
  seen.empty = flight.answer.body_bytes == 0;
  seen.uncertain_end = flight.answer.until_close;
  seen.first_look = flight.first_hash;
  const detect::Verdict verdict = detect::judge(seen, page.known_hash());
  if (verdict != detect::Verdict::unknown || !end.error.empty()) return verdict;
  seen.empty = false;
  const bool changed = detect::judge(seen, page.known_hash()) == detect::Verdict::changed;
  end.error = changed ? emptied : error_of(flight.answer);
  if (flight.trail.left_origin) end.error += ", from " + printable_url(flight.url);
  return verdict;
}

store::ChangeRow change_of(const PageRecord& page, const Flight& flight, const detect::Hash& hash,
                           const Moment& moment) {
  return {page.id,
          moment.wall,
          moment.to_wall(page.last_confirmed),
          detect::to_hex(page.hash),
          detect::to_hex(hash),
          static_cast<std::int64_t>(flight.answer.body_bytes),
          flight.answer.status,
          page.url.str()};
}

// To the learner a version that comes back is no change: what it says was known.
enum class Content { same, known, news };

learn::Observation observation(const PageRecord& page, const Flight& flight, Content content,
                               Instant now) {
  const double elapsed = std::max(to_seconds(flight.asked - page.last_confirmed), 1e-3);
  learn::Observation seen{content == Content::news, elapsed, to_seconds(now.time_since_epoch())};
  if (flight.answer.modified_ago && content != Content::known)
    seen.modified_ago = to_seconds(*flight.answer.modified_ago);
  return seen;
}

// How long the answer may be relied on, if the user wants that. The longest interval is a promise
// to the user and goes before the server's wish.
std::optional<Instant> fresh_until(const Flight& flight, const PageSettings& settings) {
  if (!settings.respect_cache || !flight.answer.fresh_for) return std::nullopt;
  return flight.asked + std::min(*flight.answer.fresh_for, settings.limits.max_interval);
}

void note_content(PageRecord& page, const Flight& flight, const std::optional<detect::Hash>& hash,
                  Outcome& outcome, const PageSettings& settings, const Moment& moment) {
  Content content = Content::same;
  if (outcome.verdict == detect::Verdict::changed) {
    content = page.earlier.has(*hash, page.polls) ? Content::known : Content::news;
    page.earlier.left(page.hash, page.polls - 1);
    outcome.change = change_of(page, flight, *hash, moment);
    ++page.changes;
    page.last_changed = moment.wall;
  }
  if (outcome.verdict != detect::Verdict::baseline)
    outcome.feedback = observation(page, flight, content, moment.now);
  page.note_download(to_seconds(flight.answer.elapsed));
  if (hash) {
    page.hash = *hash;
    page.has_hash = true;
    page.body_bytes = static_cast<std::int64_t>(flight.answer.body_bytes);
  }
  note_validators(page, flight, content != Content::same);
  // The content is as old as the question, not as the answer: a change after that is yet to be
  // found.
  page.last_confirmed = flight.asked;
  page.error_streak = 0;
  outcome.not_before = fresh_until(flight, settings);
  page.resting_fresh = outcome.not_before.has_value();
}

void note_error(PageRecord& page, const Flight& flight, std::optional<Duration> wait,
                Outcome& outcome, const PageSettings& settings, const BackOff& back_off,
                const Moment& moment, Rng& rng) {
  page.note_failure();
  page.resting_fresh = false;  // it rests for its error now
  outcome.block_host = flight.answer.retry_after;
  if (flight.answer.retry_after) wait = std::max(wait, flight.answer.retry_after);
  outcome.not_before = moment.now + back_off_delay(back_off, settings.limits, page.error_streak,
                                                   wait, rng, gone(flight.answer.status));
}

// Reported once; the page is polled on where the list has it.
bool note_move(PageRecord& page, const Trail& trail, bool conclusive) {
  if (page.moved_to.view() == trail.moved_to || (!conclusive && trail.moved_to.empty()))
    return false;
  page.moved_to = trail.moved_to;
  return !trail.moved_to.empty();
}

// Where the answer came from. A poll that failed at the page's own URL says nothing about that. A
// query that differs every time is no news.
bool note_landing(PageRecord& page, const Flight& flight, bool conclusive) {
  if (!conclusive && flight.trail.hops == 0) return false;
  page.redirects = static_cast<std::uint8_t>(flight.trail.hops);
  const std::string_view there =
      flight.trail.hops > 0 && flight.url != page.url.view() ? flight.url : std::string_view();
  const bool news = without_query(page.final_url.view()) != without_query(there);
  page.final_url = there;
  return news;
}

}  // namespace

Outcome settle(PageRecord& page, const Flight& flight, End end, const PageSettings& settings,
               const BackOff& back_off, const Moment& moment, Rng& rng) {
  Outcome outcome;
  ++page.polls;
  page.recent.note(moment.now);
  outcome.failed_before = page.error_streak;
  outcome.verdict = judge(page, flight, end);
  if (outcome.verdict == detect::Verdict::noisy) {
    // Its server answers, so it does not fail; what it says is not known, so nothing is learnt.
    page.error_streak = 0;
    page.resting_fresh = false;
  } else if (outcome.conclusive()) {
    note_content(page, flight, end.hash, outcome, settings, moment);
  } else {
    outcome.error = std::move(end.error);
    note_error(page, flight, end.wait, outcome, settings, back_off, moment, rng);
  }
  outcome.moved = note_move(page, flight.trail, outcome.conclusive());
  outcome.landed = note_landing(page, flight, outcome.conclusive());
  return outcome;
}

}  // namespace pollux::engine
