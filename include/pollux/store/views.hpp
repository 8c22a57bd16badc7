// What the Reader's questions are answered with, where a row alone does not do.
#pragma once

#include "pollux/store/rows.hpp"

#include <cstdint>
#include <map>
#include <string>
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

struct Summary {
  std::int64_t active = 0, paused = 0, removed = 0, hosts = 0;
  std::int64_t polls = 0, changes = 0, errors = 0;  // over all time
  std::int64_t failing = 0;                         // active pages whose last poll failed
  std::vector<MinuteRow> minutes;                   // the newest first, at most 60
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

struct ShareRank {
  std::int64_t position = 0;  // of the page's planned share among the active ones, from 1
  std::int64_t active = 0;    // how many those are
};

}  // namespace pollux::store
