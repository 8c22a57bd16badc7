#include "engine/outcome.hpp"

#include "engine/answer_text.hpp"
#include "engine/validators.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url_distance.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pollux::engine {
namespace {

constexpr const char* emptied = "empty body where there was content before";

constexpr auto noisy_change_every = std::chrono::hours(24);
// A page that has shrunk and stays so has perhaps been rewritten; a login wall stays one.
constexpr auto collapse_believed_after = std::chrono::hours(1);
constexpr auto alike_believed_after = std::chrono::hours(24);
// Polls in a row that must see the same, after others have each seen something else: of a number
// with five values three do so by chance now and then.
constexpr int seen_after_others = 6;
// News that cannot be told from noise is put off no longer than this.
constexpr auto longest_put_off = std::chrono::minutes(10);

// What is compared with: the content that was last believed, or the bytes where those count and an
// earlier version of Pollux has left nothing else.
std::optional<detect::Hash> base_of(const PageRecord& page, const End& end) {
  if (page.has_hash || !page.has_body_hash) return page.known_hash();
  const bool bytes_count = !end.look || (!end.look->failure && end.look->as == extract::As::raw);
  return bytes_count ? std::optional(page.body_hash) : std::nullopt;
}

// Of an answer that says nothing `error` tells why.
detect::Verdict judge(const PageRecord& page, const Flight& flight, End& end) {
  detect::Answer seen;
  seen.status = flight.answer.status;
  seen.conditional = flight.conditional;
  seen.hash = content_hash(page, end);
  seen.complete = end.error.empty() && flight.answer.failure == fetch::Failure::none;
  seen.empty = flight.answer.body_bytes == 0;
  seen.uncertain_end = has_uncertain_end(flight, end.look.get());
  seen.first_look = flight.first_hash;
  const std::optional<detect::Hash> base = base_of(page, end);
  const detect::Verdict verdict = detect::judge(seen, base);
  if (verdict != detect::Verdict::unknown || !end.error.empty()) return verdict;
  seen.empty = false;
  const bool changed = detect::judge(seen, base) == detect::Verdict::changed;
  end.error = changed ? emptied : error_of(flight.answer);
  if (flight.trail.left_origin) end.error += ", from " + printable_url(flight.url);
  return verdict;
}

// What nothing but its size or other pages spoke against, and what stays, is taken for what it is.
bool believed(const PageRecord& page, extract::Suspicion suspicion, WallTime now) {
  if (!page.suspect) return false;
  const auto doubted = now - page.suspect_since;
  return (suspicion == extract::Suspicion::collapse && doubted >= collapse_believed_after) ||
         (suspicion == extract::Suspicion::alike && doubted >= alike_believed_after) ||
         // At first sight a short text was taken for an error. Perhaps that is the page.
         (!page.has_hash && doubted >= alike_believed_after &&
          (suspicion == extract::Suspicion::not_found ||
           suspicion == extract::Suspicion::maintenance));
}

// A host that was asked what it says of missing pages is not asked again after a restart, nor are
// its other pages remembered: what was not believed and is still the same is not believed either.
// Under new rules nothing can be compared but the page as a whole.
bool stays_suspect(const PageRecord& page, const Look& look, WallTime now) {
  if (!page.suspect || look.failure || now - page.suspect_since >= alike_believed_after)
    return false;
  return page.has_hash ? page.suspect_mark != 0 && page.suspect_mark == suspect_mark_of(look.hash)
                       : look.another;
}

void end_doubt(PageRecord& page, Outcome& outcome, const Moment& moment) {
  if (page.suspect) outcome.suspicions.push_back({page.id, moment.wall, {}, {}});
  page.suspect = page.lost_selector = false;
  page.suspect_mark = 0;
  page.doubt = std::string_view();
}

// What was looked into, and is not to be compared: nothing is known of the content then.
bool withhold(PageRecord& page, End& end, Outcome& outcome, const Moment& moment) {
  if (!end.look) return false;
  Look& look = *end.look;
  if (look.failure && !look.suspicion) {
    if (look.failure->kind != extract::Failure::Kind::selector) {
      end.error = "content: " + look.failure->message;
      return false;
    }
    end_doubt(page, outcome, moment);
    page.lost_selector = true;
    page.doubt = look.failure->message;
    return true;
  }
  if (look.suspicion ? believed(page, *look.suspicion, moment.wall)
                     : !stays_suspect(page, look, moment.wall))
    return false;
  const std::string reason =
      look.suspicion ? std::string(extract::name_of(*look.suspicion)) : page.doubt.str();
  const detect::Hash seen = look.failure && end.body ? *end.body : look.hash;
  if (!page.suspect) page.suspect_since = moment.wall;
  page.suspect = true;
  page.suspect_mark = suspect_mark_of(seen);
  page.doubt = reason;
  outcome.suspicions.push_back({page.id, moment.wall, reason, detect::to_hex(seen)});
  return true;
}

// A token from a cache is the same for moments. Where polls follow each other that soon, one that
// stays is believed when it has stayed longer.
bool may_tick_on(const PageRecord& page, const Look& look, const Moment& moment) {
  if (!look.only_tokens || look.has_condition || !look.significant) return false;
  if (!page.doubted) return moment.now - page.last_confirmed < longest_moment;
  return page.doubted->seen.back().hash != look.hash ||
         moment.wall - page.doubted->seen.back().at < longest_moment;
}

// Looks moments later would have told news from noise and could not be paid for, or they did not
// tell. The next polls tell as well: what they see again and again is no noise.
bool put_off(const PageRecord& page, const Flight& flight, const End& end, const Moment& moment) {
  if (!end.look || end.look->same || !(page.has_hash || end.look->another)) return false;
  const Noise noise = end.look->noise;
  if (noise == Noise::masked || noise == Noise::unexplained) return false;
  int wanted = noise == Noise::perhaps ? Trust::often : flight.put_off;
  const bool others = page.trust.wavers() && page.doubted && page.doubted->seen.size() > 1;
  if (others && wanted >= Trust::often && noise != Noise::twins_agree) wanted = seen_after_others;
  if (page.trust.times_seen(end.look->hash) + 1 >= wanted && !may_tick_on(page, *end.look, moment))
    return false;
  return page.undecided_since == WallTime{} || moment.wall - page.undecided_since < longest_put_off;
}

store::ChangeRow change_of(const PageRecord& page, const Flight& flight, const detect::Hash& hash,
                           const Moment& moment) {
  return {page.id,
          moment.wall,
          moment.to_wall(page.last_confirmed),
          detect::to_hex(page.has_hash ? page.hash : page.body_hash),
          detect::to_hex(hash),
          static_cast<std::int64_t>(flight.answer.body_bytes),
          flight.answer.status,
          page.url.str()};
}

// What the content is to the page and to the learner.
enum class Content {
  same,
  known,  // another one than before, and no news: a version that comes back, noise
  news
};

learn::Observation observation(const PageRecord& page, const Flight& flight, Content content,
                               Instant now) {
  const double elapsed = std::max(to_seconds(flight.asked - page.last_confirmed), 1e-3);
  learn::Observation seen{content == Content::news, elapsed, to_seconds(now.time_since_epoch())};
  if (flight.answer.modified_ago && content != Content::known)
    seen.modified_ago = to_seconds(*flight.answer.modified_ago);
  seen.look = flight.sibling;
  const bool flaps = page.flapped != 0 && page.polls - page.flapped <= KnownVersions::window;
  seen.alone = page.noisy || page.suspect || flaps;
  return seen;
}

// How long the answer may be relied on, if the user wants that. The longest interval is a promise
// to the user and goes before the server's wish.
std::optional<Instant> fresh_until(const Flight& flight, const PageSettings& settings) {
  if (!settings.respect_cache || !flight.answer.fresh_for) return std::nullopt;
  return flight.asked + std::min(*flight.answer.fresh_for, settings.limits.max_interval);
}

// Sold out and back in stock is news, once; to and fro is not.
bool is_sure_return(const PageRecord& page, const detect::Hash& hash, const Look* look) {
  const bool seen = page.trust.times_seen(hash) + 1 >= Trust::often;
  return is_first_return(page, page.polls) &&
         (seen || (look != nullptr && look->noise == Noise::twins_agree));
}

// A change is what differs, counts by the rules, was not there lately, and is not noise. Everything
// else becomes `same` or `noisy` here.
Content judge_change(PageRecord& page, const detect::Hash& hash, const End& end, Outcome& outcome,
                     const Moment& moment) {
  const Look* look = end.look.get();
  const bool held = held_long(page, page.polls);
  page.differed_at = page.polls;
  if (look != nullptr && (look->same || !look->significant)) {
    outcome.verdict = detect::Verdict::same;
    return Content::known;
  }
  if (look != nullptr && look->has_condition) return Content::news;
  if (page.earlier.has(hash, page.polls) && !held) {
    if (!is_sure_return(page, hash, look)) {
      page.flapped = page.polls;
      page.trust.disagreed();
      outcome.calm = false;
      outcome.verdict = detect::Verdict::same;
      return Content::known;
    }
    page.returned = page.polls;
  }
  if (look == nullptr || look->noise != Noise::twins_agree) page.trust.spend();
  page.unmasked = look != nullptr && !look->masks_ended.empty();
  if (look != nullptr && look->another) page.rewritten = true;
  if (!page.noisy) return Content::news;
  if (moment.wall - std::max(page.last_changed, page.noisy_since) < noisy_change_every)
    outcome.verdict = detect::Verdict::noisy;
  return Content::known;
}

// What looks moments apart have told of the page.
void note_looks(PageRecord& page, const Flight& flight, const End& end, Outcome& outcome,
                const Moment& moment) {
  if (!end.look || end.look->failure) return;
  if (flight.look != LookReason::twin && flight.look != LookReason::confirm) return;
  page.twins_at = moment.wall;
  if (end.look->noise == Noise::none) return;  // they were too far apart
  if (end.look->noise == Noise::twins_agree) {
    page.trust.agreed();
    page.noisy = page.unmasked = false;
    return;
  }
  outcome.calm = false;
  if (end.look->noise == Noise::masked) {
    page.unmasked = false;
    return page.trust.start_over();
  }
  page.trust.disagreed();
  if (end.look->noise != Noise::unexplained) return;
  if (!page.noisy) page.noisy_since = moment.wall;
  page.noisy = true;
}

// A noisy page that shows the same for long is none any more.
void note_calm(PageRecord& page, const detect::Hash& hash) {
  if (page.trust.times_seen(hash) + 1 >= Trust::calm) page.noisy = false;
}

void note_masks(PageRecord& page, const End& end, Outcome& outcome, const Moment& moment) {
  if (!end.look) {
    if (outcome.verdict == detect::Verdict::same) page.masks.note_same();
    return;
  }
  const bool anew = outcome.verdict == detect::Verdict::baseline;
  if (page.masks.note(*end.look, page.id, moment.wall, outcome.masks, anew)) {
    // It may tick again: what differs next is looked at again, however quiet the page was.
    page.unmasked = true;
    page.trust.start_over();
  }
  if (end.look->newly_aside) {
    page.aside = true;
    page.noisy = false;
    page.noisy_since = moment.wall;
  }
  if (end.look->new_masks.empty()) return;
  page.masks.add(end.look->new_masks, page.id, moment.wall, outcome.masks, end.look->hidden,
                 end.look->new_alternatives);
  if (page.trust.wavers()) page.trust.start_over();  // what wavered is masked
  page.noisy = false;
}

// Of bytes there are no words, but how many there are.
std::string binary_text(const PageRecord& page, const store::ChangeRow& change) {
  if (page.body_bytes == change.body_bytes)
    return "binary content, other " + std::to_string(change.body_bytes) + " bytes";
  return "binary content, " + std::to_string(page.body_bytes) + " → " +
         std::to_string(change.body_bytes) + " bytes";
}

void describe(const PageRecord& page, store::ChangeRow& change, const End& end) {
  const bool is_binary = end.look && !end.look->failure && !end.look->readable;
  if (is_binary && page.body_bytes > 0) change.summary = binary_text(page, change);
  if (!end.look || !end.look->base_known) return;
  change.words_added = end.look->words_added;
  change.words_removed = end.look->words_removed;
  change.summary = diff::with_reason(end.look->significance, end.look->summary);
}

// What is compared with from now on. An insignificant difference does not move it: many small ones
// must not add up unseen.
void note_base(PageRecord& page, const detect::Hash& hash, End& end, Outcome& outcome,
               const Moment& moment) {
  const bool known_bytes = page.has_hash && page.has_body_hash && page.body_hash == *end.body;
  if (!end.look && known_bytes) return;
  page.body_hash = *end.body;
  page.has_body_hash = true;
  page.kept_as = end.look ? end.look->as : extract::As::raw;
  const auto move_to = [&](const detect::Hash& now) {
    if (page.has_hash && page.hash != now) page.earlier.left(page.hash, page.polls - 1);
    page.hash = now;
    page.has_hash = true;
  };
  if (!end.look) return move_to(hash);
  Look& look = *end.look;
  const bool stays =
      page.has_hash &&
      ((!look.significant && !look.base_follows) ||
       (look.same && look.new_masks.empty() && look.masks_ended.empty() && !look.newly_aside) ||
       outcome.verdict == detect::Verdict::noisy);
  if (stays) return;
  const bool is_version = look.readable && (!page.has_hash || page.hash != look.hash);
  move_to(look.hash);
  page.held = look.holds;
  page.aside = look.aside;
  page.traits = look.traits;
  if (is_version) {
    outcome.version = store::VersionPut{page.url.str(),
                                        detect::to_hex(look.hash),
                                        std::string(extract::name_of(look.as)),
                                        std::move(look.text),
                                        moment.wall,
                                        look.room};
  }
}

void note_content(PageRecord& page, const Flight& flight, End& end, Outcome& outcome,
                  const PageSettings& settings, const Moment& moment) {
  const std::optional<detect::Hash> hash = content_hash(page, end);
  Content content = Content::same;
  note_masks(page, end, outcome, moment);
  note_calm(page, hash.value_or(page.hash));
  if (outcome.verdict == detect::Verdict::same) {
    // It showed something else the last time, which was not believed, and rightly so.
    const bool wavered = page.trust.seen_other_than(page.hash);
    if (wavered) page.trust.disagreed();
    if (wavered || !page.trust.settled()) outcome.calm = !wavered;
  }
  if (outcome.verdict == detect::Verdict::changed) {
    content = judge_change(page, *hash, end, outcome, moment);
  } else if (outcome.verdict == detect::Verdict::baseline) {
    outcome.rebaselined = !page.has_hash && page.has_body_hash && end.body != page.body_hash;
  }
  if (outcome.verdict == detect::Verdict::changed) {
    outcome.change = change_of(page, flight, *hash, moment);
    describe(page, *outcome.change, end);
    if (end.look) outcome.diff = std::move(end.look->diff);
    ++page.changes;
    page.last_changed = moment.wall;
  }
  if (outcome.verdict != detect::Verdict::baseline)
    outcome.feedback = observation(page, flight, content, moment.now);
  page.note_download(to_seconds(flight.answer.elapsed));
  end_doubt(page, outcome, moment);
  // What a noisy page shows is looked into again, however often its bytes come.
  if (outcome.verdict != detect::Verdict::noisy) {
    if (end.body) {
      note_base(page, *hash, end, outcome, moment);
      page.body_bytes = static_cast<std::int64_t>(flight.answer.body_bytes);
    }
    note_validators(page, flight, content != Content::same);
  }
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

// Servers choose where redirects lead, and every page remembers it: a list of pages must not take
// many times its memory because one host says so.
std::string_view remembered(std::string_view url) {
  constexpr std::size_t most_remembered = 1024;
  return url.substr(0, most_remembered);
}

// Reported once; the page is polled on where the list has it.
bool note_move(PageRecord& page, const Trail& trail, bool conclusive) {
  const std::string_view there = remembered(trail.moved_to);
  if (page.moved_to.view() == there || (!conclusive && there.empty())) return false;
  page.moved_to = there;
  return !there.empty();
}

// Where the answer came from. A poll that failed at the page's own URL says nothing about that. A
// query that differs every time is no news.
bool note_landing(PageRecord& page, const Flight& flight, bool conclusive) {
  if (!conclusive && flight.trail.hops == 0) return false;
  page.redirects = static_cast<std::uint8_t>(flight.trail.hops);
  const std::string_view there = remembered(
      flight.trail.hops > 0 && flight.url != page.url.view() ? flight.url : std::string_view());
  const bool news = without_query(page.final_url.view()) != without_query(there);
  page.final_url = there;
  return news;
}

// What the page showed, believed or not; a lie is not the page.
void note_sight(PageRecord& page, const End& end, detect::Verdict verdict) {
  if (verdict == detect::Verdict::unknown || verdict == detect::Verdict::withheld) return;
  const std::optional<detect::Hash> shown =
      verdict == detect::Verdict::noisy ? content_hash(page, end) : std::nullopt;
  page.trust.saw(shown.value_or(page.hash));
}

// The first that applies.
Health health_of(const PageRecord& page) {
  if (page.error_streak > 0) return Health::failing;
  if (page.suspect) return Health::suspect;
  if (page.lost_selector) return Health::selector;
  if (!page.moved_to.empty()) return Health::moved;
  if (page.flapped != 0 && page.polls - page.flapped <= KnownVersions::window)
    return Health::flapping;
  if (page.noisy) return Health::noisy;
  return page.masks.empty() && !page.aside ? Health::ok : Health::masked;
}

}  // namespace

std::optional<detect::Hash> content_hash(const PageRecord& page, const End& end) {
  if (!end.body) return std::nullopt;
  if (end.look) return end.look->failure ? std::nullopt : std::optional(end.look->hash);
  return page.has_hash && page.has_body_hash && *end.body == page.body_hash ? page.hash : *end.body;
}

namespace {

// News that is put off, until when.
std::string waiting_text(const PageRecord& page) {
  if (page.undecided_since == WallTime{}) return {};
  return "what is new on it since " + format_time(page.undecided_since) +
         " is not believed before it is seen again, or until " +
         format_time(page.undecided_since + longest_put_off);
}

std::string masked_text(const PageRecord& page) {
  std::string text = page.masks.size() == 1 ? "1 place that differs at every look is masked"
                                            : std::to_string(page.masks.size()) +
                                                  " places that differ at every look are masked";
  if (!page.aside) return text;
  constexpr const char* aside =
      "what differs at every look and no mask may hide is set aside, the rest is compared";
  return page.masks.empty() ? aside : text + "; " + aside;
}

std::string reason_alone(const PageRecord& page, const std::string& error) {
  switch (page.health) {
    case Health::failing:
      return error;
    case Health::suspect:
    case Health::selector:
      return page.doubt.str();
    case Health::moved:
      return "moved to " + page.moved_to.str();
    case Health::flapping:
      return "alternates between versions seen before";
    case Health::noisy:
      return "two looks at the same moment differ";
    case Health::masked:
      return masked_text(page);
    case Health::ok:
      break;
  }
  return {};
}

}  // namespace

std::string health_reason(const PageRecord& page, const std::string& error) {
  std::string reason = reason_alone(page, error);
  const std::string waiting = waiting_text(page);
  const bool believed = page.health != Health::failing && page.health != Health::suspect &&
                        page.health != Health::selector;
  if (!believed || waiting.empty()) return reason;
  return reason.empty() ? waiting : reason + "; " + waiting;
}

Outcome settle(PageRecord& page, const Flight& flight, End end, const PageSettings& settings,
               const BackOff& back_off, const Moment& moment, Rng& rng) {
  Outcome outcome;
  ++page.polls;
  page.recent.note(moment.now);
  outcome.failed_before = page.error_streak;
  outcome.health_before = page.health;
  if (withhold(page, end, outcome, moment)) {
    outcome.verdict = detect::Verdict::withheld;
  } else if (note_looks(page, flight, end, outcome, moment); put_off(page, flight, end, moment)) {
    outcome.verdict = detect::Verdict::noisy;
    end_doubt(page, outcome, moment);  // it is the page again, whatever is new on it
    if (page.undecided_since == WallTime{}) page.undecided_since = moment.wall;
    // Neither this nor what the last poll saw has stayed.
    if (page.doubted && page.doubted->seen.back().hash != end.look->hash &&
        end.look->noise != Noise::twins_agree)
      page.trust.disagreed();
    page.note_doubted(end.look->hash, moment.wall);
  } else {
    outcome.verdict = judge(page, flight, end);
    if (outcome.verdict != detect::Verdict::unknown) {
      page.undecided_since = {};
      page.doubted.reset();
    }
  }
  if (outcome.verdict == detect::Verdict::noisy || outcome.verdict == detect::Verdict::withheld) {
    // Its server answers, so it does not fail; what it says is not known, so nothing is learnt.
    page.error_streak = 0;
    page.resting_fresh = false;
  } else if (outcome.conclusive()) {
    note_content(page, flight, end, outcome, settings, moment);
  } else {
    outcome.error = std::move(end.error);
    note_error(page, flight, end.wait, outcome, settings, back_off, moment, rng);
  }
  note_sight(page, end, outcome.verdict);
  outcome.moved = note_move(page, flight.trail, outcome.conclusive());
  outcome.landed = note_landing(page, flight, outcome.conclusive());
  page.health = health_of(page);
  return outcome;
}

}  // namespace pollux::engine
