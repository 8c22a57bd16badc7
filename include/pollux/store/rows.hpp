// What the tables hold, as plain values. Column names are the member names; what is empty or zero
// here because nobody has seen it yet (status, hash, etag, body size …) is NULL there.
#pragma once

#include "pollux/base/byte_room.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::store {

// A page as the configuration wants it. The store gives it its id and its slot.
struct PageSpec {
  std::string url;
  std::string host;  // host:port
  double importance = 1;
  std::int64_t min_interval_ms = 0;
  std::int64_t max_interval_ms = 0;
  std::string name = {};        // what the user calls it
  std::string tags = {};        // a JSON list; empty: none
  std::string source = "file";  // 'live': no file lists it, it was added while the daemon ran
};

// What was set of a page while the daemon ran. Absent: as the files say.
struct OverrideRow {
  std::string url;
  std::optional<std::string> name = {}, tags = {};  // as in PageSpec
  std::optional<double> importance = {};
  std::optional<std::int64_t> min_interval_ms = {}, max_interval_ms = {};
  std::optional<std::string> content = {};  // JSON, as under `content:`
  bool empty() const {
    return !name && !tags && !importance && !min_interval_ms && !max_interval_ms && !content;
  }
  bool operator==(const OverrideRow&) const = default;
};

// The part of a page that polls change. Everything the daemon needs to go on after a restart.
struct PageProgress {
  std::int64_t polls = 0, changes = 0, errors = 0;
  std::optional<WallTime> last_polled_at;  // any poll
  std::optional<WallTime>
      last_confirmed_at;  // the last poll that showed the content (changed or same)
  std::optional<WallTime> last_changed_at;
  int last_status = 0;
  std::string last_error;            // empty after a poll that succeeded
  int error_streak = 0;              // consecutive polls without a usable answer
  std::optional<WallTime> retry_at;  // backing off until then
  std::string content_hash;   // of what counts; 64 hex digits, empty before the first content
  std::string body_hash;      // of the bytes it was taken from
  std::string rules_mark;     // by which rules; see extract::fingerprint
  std::string kept_as;        // 'raw', 'text', 'html', 'json', 'feed'
  std::string traits;         // the engine's own: how the page looked when it was last believed
  std::string noise;          // the engine's own: versions it has left, how far it is believed
  std::string health = "ok";  // 'failing', 'suspect', 'selector', 'moved', 'flapping', 'noisy', …
  std::string health_reason;
  std::string etag, last_modified;
  std::optional<WallTime> last_full_at;  // when content last came, not a 304
  std::int64_t not_modified = 0;         // 304s since then
  std::int64_t distrusted = 0;           // 1: its server answered 304 to content that was gone
  std::int64_t body_bytes = 0;
  std::string moved_to;   // where 301 or 308 lead to for good; empty: it is where it is
  std::string final_url;  // that gave the last answer; empty: its own
  int redirects = 0;      // on the way there
  std::string
      redirect_distance;     // 'same_page', 'same_host', 'same_domain', 'other_host'; empty: none
  std::string request_mark;  // of headers, login and cookies it was last asked with; see the engine
  // How often it was really polled: `measured_polls` since then, up to last_polled_at.
  std::optional<WallTime> measured_since;
  std::int64_t measured_polls = 0;
  std::optional<WallTime> fresh_until;  // respect_cache: not polled before
  double share = 0;                     // of the budget
  std::optional<WallTime> next_due_at;
  std::optional<double> change_rate_per_day;
  // The learner's memory of the page (learn::PageMemory). A policy that keeps no sums leaves those
  // that another one gathered.
  bool has_sums = true;
  double slow_hits = 0, slow_hit_time = 0, slow_miss_time = 0;
  double fast_hits = 0, fast_hit_time = 0, fast_miss_time = 0;
  double streak = 0, position = 0;
  std::string age_model;       // JSON numbers, the policy's own; empty leaves what is stored
  std::string outdated_after;  // JSON list of seconds, see outdated_levels of learn; empty: NULL
  std::optional<double> download_ms;  // smoothed
};

struct PageRow {
  PageId id{};
  PageSlot slot{};  // meaningless while the state is 'removed'
  PageSpec spec;
  std::string state;                     // 'active', 'paused', 'removed'
  std::optional<WallTime> paused_until;  // then it goes on by itself
  WallTime added_at{};
  PageProgress progress;
  std::shared_ptr<const OverrideRow> overrides;  // told by the Reader alone; null: nothing was set
};

// Whom a notice is for, as far as the page's row allows.
struct NoticeWish {
  std::string rule;
  std::string tags = {};  // a JSON list: only of pages that have one of them; empty: of any
  std::optional<WallTime> not_before = {};  // an error is told once it has lasted so long
};

// What somebody wants to be told: a row of `notification`, and one of `delivery` for each wish.
// Name and tags are those of the page's row when it is written.
struct NoticeRow {
  PageId page{};      // 0: it is about the daemon itself
  std::string event;  // 'change', 'failing', 'recovered', 'suspect', 'selector', 'moved', 'noisy' …
  WallTime at{};
  std::optional<WallTime> since = {};  // it happened between the two
  std::string url = {}, summary = {};
  std::string diff = {};  // bounded; see notify/excerpt.hpp
  std::string why = {};   // it was polled then
  std::string link = {};  // another address that it is about
  std::string key = {};   // told once at most; empty: as often as it comes
  std::vector<NoticeWish> wishes = {};

  std::size_t bytes() const {
    return sizeof *this + url.size() + summary.size() + diff.size() + why.size() + link.size();
  }
};

// What has become of a message: deliveries of one rule that go together, named by the first one.
struct DeliveryChange {
  enum class What {
    grouped,  // what waits up to `last` goes with it
    sent,
    failed,  // tried again at next_attempt_at
    dead     // given up, until somebody wants it retried
  };
  What what = What::sent;
  std::string rule = {};
  std::int64_t message = 0;
  WallTime at{};
  std::int64_t last = 0;
  std::optional<WallTime> next_attempt_at = {};
  std::string error = {};
};

struct ChangeRow {
  PageId page{};
  WallTime found_at{};
  WallTime previous_poll_at{};  // the change happened between the two
  std::string old_hash, new_hash;
  std::int64_t body_bytes = 0;
  int status = 0;
  std::string url = {};  // no column of its own: for whoever reports the change
  std::optional<std::int64_t> words_added = {}, words_removed = {};  // where the texts are known
  std::string summary = {};
  std::int64_t id = 0;  // once it is on disk
  // Written with it; its times and its summary are the change's. Null: nobody wants to know.
  std::shared_ptr<const NoticeRow> notice = {};
};

// A version of what was kept of a page, on its way into the file of versions.
struct VersionPut {
  std::string url;
  std::string hash;  // of the text, hexadecimal
  std::string as;
  std::string text;
  WallTime seen_at{};
  std::shared_ptr<const CountedBytes> room =
      {};  // counts the text until it is written; may be null
};

// An answer that was not believed; without a reason: the page is itself again.
struct SuspicionRow {
  PageId page{};
  WallTime at{};
  std::string reason;
  std::string hash;
};

// A place of a page that differs at every look.
struct MaskRow {
  enum class What {
    made,
    matched,
    dropped,  // it fits nowhere any more
    expired   // what it hid has stopped ticking
  };
  PageId page{};
  std::string mask;
  WallTime at{};
  What what = What::made;
  enum class State { learnt, accepted, refused };
  State state = State::learnt;  // as it was loaded; accepted and refused by people
};

// Why a page that was due has not been polled. Nothing else of the page changes.
struct PageNote {
  std::int64_t errors = 0;
  int error_streak = 0;
  std::string last_error;
  std::optional<WallTime> retry_at, next_due_at;
};

// What politeness must remember of a host over a restart. Replaces the row; counts are totals.
struct HostRow {
  std::string host;
  std::optional<WallTime> last_request_at;  // its end, or its start while it is under way
  std::optional<WallTime> blocked_until;    // Retry-After for the whole host
  std::int64_t requests = 0, errors = 0;
  std::optional<std::int64_t> response_ms = {};  // how long it has taken to answer, lately
  std::optional<std::int64_t> delay_ms = {};     // the pause between two requests at present
  std::string blocked_by = {};  // the page whose redirect led to the block; empty: one of its own
  std::optional<WallTime> missing_asked_at = {};  // for a path that cannot exist, the last time
};

// The last poll of a page that was made because another page had changed.
struct LookRow {
  WallTime at{};
  std::string because;  // the other page's URL
};

// One finished poll: the page's new progress and, perhaps, a change. Or, with a note, no poll.
struct PollRecord {
  PageId page{};
  PageProgress progress;
  std::optional<ChangeRow> change;
  std::optional<PageNote> note = {};
  // Found by polls before this one that could not be written at their time (see Writer).
  std::vector<ChangeRow> earlier = {};
  // Hosts that must be on disk no later than the poll: whom a crash would make us disturb.
  std::vector<HostRow> hosts = {};
  std::vector<VersionPut> versions = {};  // on disk before the change that names them
  std::vector<SuspicionRow> suspicions = {};
  std::vector<MaskRow> masks = {};
  std::vector<NoticeRow> notices = {};  // but for that of the change
  std::optional<LookRow> look = {};     // it was one

  // Rows of other tables that come with it: seldom.
  bool has_companions() const {
    return !hosts.empty() || !versions.empty() || !suspicions.empty() || !masks.empty() ||
           !notices.empty();
  }
};

// What a page was given when it came (back) into the list, before its next poll says more.
struct ShareRow {
  PageId page{};
  double share = 0;
  std::optional<WallTime> next_due_at;
};

// What a part of the learner's tree has learnt: named by its first page, what its pages have in
// common and their number (table learner_node), or, with `first_url` empty, by level and position
// (learner_value).
struct NodeRow {
  std::uint32_t level = 0, position = 0;
  double value = 0;  // of a named one the correction of its odds
  std::string first_url = {};
  std::string prefix = {};
  std::int64_t pages = 0;
  double share = 0, affinity = 0, tried = 0, found = 0;
  bool gone = false;  // delete the row
};

// What a host's robots.txt said when it was last asked for. Replaces the row.
struct RobotsRow {
  std::string host;
  std::string verdict;    // 'rules'; 'allow': there is none; 'disallow': it cannot be read
  WallTime fetched_at{};  // when `rules` and `verdict` were learnt
  WallTime check_at{};    // not asked again before
  std::optional<WallTime> unreachable_since;
  int status = 0;                              // of the last answer; 0 when there was none
  std::string error;                           // of the last attempt, empty when it succeeded
  std::optional<std::int64_t> crawl_delay_ms;  // as written, before any cap
  std::string product;                         // whom the rules are for
  std::string rules;                           // robots_txt::Excerpt::rules
  bool only_instead = false;  // of a row that is there: of a host without listed pages
};

// An access point, as configured.
struct AccessPointRow {
  std::string name;
  std::string way;            // for people: "interface eth1", "proxy http://…"
  std::int64_t capacity = 0;  // 0: no limit
};

// What is known of one host through one access point.
struct PlacementRow {
  std::string host;
  std::string access_point;
  bool placed = false;     // the host is polled through it
  std::int64_t depth = 0;  // how sure that is, from 0; 0 where it is not placed
  double seconds = 0;      // smoothed time of a poll; 0: never measured
};

// How the budget was used in one minute. The counts are added to what the table has for that
// minute, so hand over each poll once, as often as you like; so a restart within a minute loses
// nothing. The budget is the one last told.
struct MinuteRow {
  WallTime minute{};
  double budget = 0;
  std::int64_t requests = 0;  // polls, redirect hops and retries: all that the budget pays for
  std::int64_t polls = 0, changes = 0, same = 0, errors = 0, explored = 0;
  std::int64_t looks = 0, looks_found = 0;  // polls because a sibling had changed; with a change
  double seconds = 60;                      // how much of the minute a daemon was running for
};

}  // namespace pollux::store
