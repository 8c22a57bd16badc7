// What the daemon keeps in memory of every page, by slot, and how it turns into database rows.
// Threading: the engine's thread.
#pragma once

#include "engine/health.hpp"
#include "engine/known_versions.hpp"
#include "engine/packed_string.hpp"
#include "engine/page_masks.hpp"
#include "engine/page_settings.hpp"
#include "engine/recent_polls.hpp"
#include "engine/trust.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/store/rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::engine {

inline std::int64_t milliseconds(Duration d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

// One reading of both clocks, so that stored times can be turned into instants and back.
struct Moment {
  Instant now;
  WallTime wall;
  WallTime to_wall(Instant at) const {
    return wall + std::chrono::duration_cast<std::chrono::milliseconds>(at - now);
  }
  // A stored time from the future (the clock was set back) counts as now.
  Instant to_instant_past(WallTime at) const { return at >= wall ? now : now - (wall - at); }
  // The end of a wait that began at `since`. However the clock was set meanwhile, nothing waits
  // longer than it was meant to: when it was set back, the wait begins anew.
  Instant to_instant_future(WallTime at, WallTime since,
                            Duration longest = std::chrono::hours(24)) const {
    const WallTime from = std::max(wall, std::min(since, at));
    return at <= wall ? now : now + std::min<Duration>(at - from, longest);
  }
};

// What robots.txt says of a page, as long as the copy is in force that it was judged by.
struct RobotsVerdict {
  std::uint32_t copy = 0;  // HostRobots::copy; 0: not judged yet
  bool allowed = false;
};

// What the last polls of a page saw and did not believe. Two are enough.
struct Doubted {
  std::vector<SeenContent> seen;
  void add(const detect::Hash& hash, WallTime now) {
    if (!seen.empty() && seen.back().hash == hash) return;
    if (seen.size() == 2) seen.erase(seen.begin());
    seen.push_back({hash, now});
  }
};

// Then looks moments apart tell anew whether what is set aside still differs.
inline constexpr auto aside_at_most = std::chrono::hours(24);

struct PageRecord {
  PageId id{};  // 0: the slot is free
  PackedString url;
  PackedString etag, last_modified;
  PackedString moved_to;     // where it has gone for good
  PackedString final_url;    // where redirects led the last time; empty: nowhere
  PackedString traits;       // of the page when it was last believed; see page_traits
  PackedString doubt;        // why it is suspect, or which selector matches nothing
  detect::Hash hash{};       // of the content that counts
  detect::Hash body_hash{};  // of the bytes that were last looked into, or are that content
  KnownVersions earlier;     // versions
  PageMasks masks;
  std::unique_ptr<Doubted> doubted;  // what its last polls saw; null: that was believed
  Instant last_confirmed{};          // meaningful when has_hash
  Instant last_full{};               // when content last came, not a 304; meaningful when has_hash
  WallTime last_changed{};           // 0: never
  WallTime suspect_since{};          // meaningful while it is suspect
  WallTime noisy_since{};            // meaningful while it is noisy, or places of it are set aside
  WallTime undecided_since{};        // when news could first not be told from noise; 0: it can
  WallTime twins_at{};               // when looks moments apart were last compared; 0: never
  Trust trust;                       // in what differs
  std::uint32_t flapped = 0;         // the number of the poll that last saw a version come back
  std::uint32_t returned = 0;        // and of the one where that was believed
  std::int64_t body_bytes = 0;
  float download_seconds = 0;  // smoothed; 0: not known
  std::uint32_t polls = 0, changes = 0, errors = 0;
  HostSlot host{};
  SettingsId settings{};
  RecentPolls recent;
  RobotsVerdict robots;
  std::uint16_t error_streak = 0;
  std::uint8_t redirects = 0;      // of the last poll
  std::uint8_t not_modified = 0;   // 304s in a row
  std::uint32_t suspect_mark = 0;  // of what was not believed, while it is suspect; 0: not known
  std::uint32_t differed_at = 0;   // the number of the last poll whose content was another one
  Health health = Health::ok;      // after its last poll
  extract::As kept_as = extract::As::automatic;  // automatic: not known yet
  bool has_hash = false;
  bool has_body_hash = false;
  bool suspect = false;        // its last answer was not believed
  bool lost_selector = false;  // `select` matched nothing
  bool noisy = false;
  bool aside = false;  // marks in its content stand for places set aside: see common_text
  // Whether its conditions held in the content that was believed last, whose text may be gone.
  std::optional<bool> held = {};
  bool unmasked = false;   // a mask has ended, and nothing has differed since then
  bool rewritten = false;  // it became another page altogether, and that was true
  bool in_flight = false;
  bool paused = false;         // not in the scheduler
  bool denied = false;         // by robots.txt, when it was last due
  bool unrendered = false;     // likewise by want of a browser
  bool trap = false;           // its validators are those of the content before: see validators
  bool distrusted = false;     // its server's 304s are not believed
  bool resting_fresh = false;  // until its answer is stale (respect_cache)

  void note_download(double seconds) {
    const auto now = static_cast<float>(std::max(seconds, 1e-4));
    download_seconds = download_seconds > 0 ? 0.8F * download_seconds + 0.2F * now : now;
  }
  void note_failure() {
    ++errors;
    error_streak = static_cast<std::uint16_t>(std::min(error_streak + 1, 65535));
  }
  // What is seen next is a new baseline: the question is another one than before. How the page
  // looks as a whole stays known, and so does that it was suspect: a wall is no baseline.
  void forget_content() {
    has_hash = has_body_hash = false;
    trust.forget();
    earlier = {};
    doubted.reset();
    flapped = returned = differed_at = 0;
    undecided_since = {};
    lost_selector = noisy = aside = unmasked = false;
    held.reset();
    if (!suspect) doubt = std::string_view();
    etag = std::string_view();
    last_modified = std::string_view();
  }
  void note_doubted(const detect::Hash& seen, WallTime now) {
    if (!doubted) doubted = std::make_unique<Doubted>();
    doubted->add(seen, now);
  }
  bool used() const { return id != PageId{}; }
  std::optional<detect::Hash> known_hash() const {
    return has_hash ? std::optional(hash) : std::nullopt;
  }
};

// The beginning of its hash; never 0.
inline std::uint32_t suspect_mark_of(const detect::Hash& hash) {
  std::uint32_t mark = 0;
  std::memcpy(&mark, hash.data(), sizeof mark);
  return std::max(mark, 1U);
}

// Found unchanged so often that what differs now does not differ at every look.
inline bool is_mostly_unchanged(const PageRecord& page) {
  constexpr std::uint32_t polls_per_change = 5;
  return page.polls >= polls_per_change && page.changes * polls_per_change <= page.polls;
}

class PageTable {
 public:
  PageRecord& operator[](PageSlot slot) {
    return chunks_[index(slot) / chunk_records][index(slot) % chunk_records];
  }
  const PageRecord& operator[](PageSlot slot) const {
    return chunks_[index(slot) / chunk_records][index(slot) % chunk_records];
  }
  std::size_t slots() const { return chunks_.size() * chunk_records; }
  std::size_t size() const { return used_; }

  // Fills the slot from a stored row (strings, counters, hash); the slot must be free.
  PageRecord& add(const store::PageRow& row, HostSlot host, SettingsId settings,
                  const Moment& moment);
  void remove(PageSlot slot);
  // Until when a page rests that is paused while it backs off: it goes on with that afterwards.
  void set_rest(PageSlot slot, std::optional<Instant> until);
  std::optional<Instant> rest(PageSlot slot) const;
  // Row id of each slot, 0 where it is free; appends up to `most` to those that are there already.
  // False when there are no more.
  bool append_ids(std::vector<PageId>& ids, std::size_t most) const;

 private:
  // In pieces, because moving a million records to a larger block would stop the polling.
  static constexpr std::size_t chunk_records = 512;
  std::vector<std::unique_ptr<PageRecord[]>> chunks_;
  std::size_t used_ = 0;
  std::unordered_map<std::uint32_t, Instant> rests_;  // few pages are paused
};

// The pages' URLs, as the learner asks for them.
class PagePlaces final : public learn::Places {
 public:
  explicit PagePlaces(const PageTable& pages) : pages_(pages) {}
  std::string_view url(PageSlot page) const override { return pages_[page].url.view(); }

 private:
  const PageTable& pages_;
};

// The learner's memory of a page, out of and into its columns.
std::optional<learn::PageMemory> memory_of(const store::PageProgress& progress, bool same_policy);
void set_memory(store::PageProgress& progress, const learn::PageMemory& memory);
// Policy::outdated_after, as it is stored: a JSON list of seconds, or nothing.
void set_outlook(store::PageProgress& progress, const std::vector<double>& waits);

}  // namespace pollux::engine
