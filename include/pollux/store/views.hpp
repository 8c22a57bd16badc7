// What the Reader's questions are answered with, where a row alone does not do.
#pragma once

#include "pollux/store/rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::store {

struct ChangeView {
  std::int64_t id = 0;
  std::string url;
  std::string name, tags;  // of the page, as in PageSpec
  ChangeRow row;
  std::optional<WallTime> read_at = {};  // when somebody marked it as read
};

// A place of a page that is not compared, because it differs at every look.
struct MaskView {
  std::int64_t id = 0;
  PageId page{};
  std::string url;
  std::string mask;   // extract::Mask as text
  std::string state;  // 'learnt', 'expired'; 'accepted' and 'refused' by people
  std::optional<WallTime> made_at, last_matched_at;
};

// What waits to be told under one rule, as far as it says what to do next.
struct OutboxQuery {
  std::string rule;
  WallTime now{};
  std::int64_t most = 1;                    // are counted of those that are free
  std::optional<WallTime> sent_since = {};  // wanted: the messages sent after that
};
struct OutboxHead {
  struct Message {
    std::int64_t id = 0;  // its first delivery
    std::int64_t attempts = 0;
    std::optional<WallTime> next_attempt_at = {}, first_attempt_at = {};
    bool by_hand = false;  // somebody wants it retried
  };
  std::optional<Message> current = {};  // put together already; the first in order
  // In no message yet, and not held back until later: how many, and the first and last of these.
  std::int64_t waiting = 0, first = 0, last = 0;
  std::optional<WallTime> oldest = {};     // since when the first of them could be told
  std::optional<WallTime> next_held = {};  // when another one becomes free
  std::vector<WallTime> sent = {};         // when messages were sent, oldest first
};

// A notification as it was written.
struct NoticeView {
  std::int64_t id = 0;
  std::int64_t change_id = 0;  // 0: of none
  std::string name, tags;      // of the page, as in PageSpec
  NoticeRow row;
};
struct MessageView {
  std::int64_t id = 0;
  std::int64_t count = 0;                // notifications that go with it
  WallTime first_at{};                   // of the first of them
  std::vector<NoticeView> notices = {};  // newest first, perhaps not all
};

struct DeliveryView {
  std::int64_t id = 0, message = 0;
  std::string rule, state, event;
  WallTime at{};
  std::string name, url, summary;  // of the page
  std::int64_t attempts = 0;
  std::optional<WallTime> first_attempt_at = {}, next_attempt_at = {};
  std::string last_error = {};
};
struct DeliveryCounts {
  std::int64_t waiting = 0, sent = 0, dead = 0;
};

// What takes a look at every page.
struct Totals {
  std::int64_t active = 0, paused = 0, removed = 0, hosts = 0;
  std::int64_t polls = 0, changes = 0, errors = 0;  // over all time
  std::int64_t failing = 0;                         // active pages whose last poll failed
};

struct Summary : Totals {
  DeliveryCounts deliveries = {};
  std::vector<MinuteRow> minutes;  // the newest first, at most 60
  std::map<std::string, std::string> meta;
  std::int64_t database_bytes = 0, wal_bytes = 0;
};

// What the pages of one host have to share.
struct HostLoad {
  double share = 0;  // of its active pages together
  std::optional<std::int64_t> delay_ms, response_ms;
};
using HostLoads = std::map<std::string, HostLoad>;

// By how much the planned polls of pages are scaled so that together they make up the budget:
// those that no limit binds, and those that one holds. See the view plan_factor.
struct PlanFactor {
  double free = 1, held = 1;
};

// A page as far as lists are sorted, searched and summed by it. The texts live as long as its row.
struct PageFigures {
  std::int64_t id = 0;
  std::string_view url, host, tags, state, health;
  double share = 0, importance = 1;
  std::optional<double> change_rate_per_day = {};
  std::optional<double> outdated_after_s = {};  // with one half, from its last conclusive poll on
  std::optional<WallTime> changed_at = {}, polled_at = {}, confirmed_at = {}, due_at = {};
  std::int64_t polls = 0, changes = 0, errors = 0;
  std::int64_t min_interval_ms = 0, max_interval_ms = 0;
};

struct HostView {
  HostRow row;
  std::string access_point;  // empty: the default route, or not known
};

// What one prefix had of the budget at one time.
struct ShareView {
  std::string prefix;
  double share = 0;
};

struct ShareRank {
  std::int64_t position = 0;  // of the page's planned share among the active ones, from 1
  std::int64_t active = 0;    // how many those are
};

}  // namespace pollux::store
