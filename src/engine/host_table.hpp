// The hosts (host:port) that are asked, by slot, with what politeness must remember of them.
// Threading: the engine's thread.
#pragma once

#include "engine/host_calm.hpp"
#include "engine/host_robots.hpp"
#include "engine/packed_string.hpp"
#include "engine/page_table.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/store/rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::engine {

// How the last flight to a host ended, in this process.
enum class Contact : std::uint8_t {
  none,      // there was none yet
  answered,  // also with an error: the flight did not have to wait for its time-out
  slow,      // it answered, after having held a fetch for long
  silent     // a dead name, no connection, no answer in time
};

struct HostRecord {
  std::string name;
  std::optional<Instant> last_request;  // its end, or its start while it is under way
  std::optional<Instant> blocked_until;
  PackedString blocked_by;               // the page whose redirect did it; empty: a page of its own
  Instant redirects_may_block_at{};      // see Manners
  std::optional<Instant> missing_asked;  // for a path that cannot exist: see MissingPages
  std::int64_t requests = 0, errors = 0;
  Duration response_time{};  // how long it took to answer, lately; zero: not known
  Duration pause{};          // between two requests, at present
  HostRobots robots;
  HostCalm calm;
  Contact contact = Contact::none;
  std::uint16_t approaching = 0;  // flights to it while it has not answered
  bool dirty = false;             // differs from what is stored
  bool distrusted = false;        // it answered 304 to content that was gone: see validators
  bool passing = false;           // no listed page: a redirect led here; not stored
  bool https = false;             // so its listed pages are asked for
};

class HostTable {
 public:
  std::optional<HostSlot> find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  HostSlot add(const std::string& name) {
    const HostSlot slot{static_cast<std::uint32_t>(records_.size())};
    by_name_.emplace(name, slot);
    records_.push_back({});
    records_.back().name = name;
    return slot;
  }
  // For hosts without a listed page. The pool is small: when it is full an idle one is replaced.
  template <typename Idle>
  std::optional<HostSlot> add_passing(const std::string& name, Idle idle) {
    if (passing_.size() < most_passing) {
      passing_.push_back(add(name));
      records_[index(passing_.back())].passing = true;
      return passing_.back();
    }
    const auto found = std::find_if(passing_.begin(), passing_.end(), idle);
    if (found == passing_.end()) return std::nullopt;
    std::rotate(found, found + 1, passing_.end());  // the longest known are replaced first
    const HostSlot slot = passing_.back();
    by_name_.erase(records_[index(slot)].name);
    by_name_.emplace(name, slot);
    records_[index(slot)] = {};
    records_[index(slot)].name = name;
    records_[index(slot)].passing = true;
    return slot;
  }
  // The host has a listed page from now on.
  void keep(HostSlot slot) {
    HostRecord& host = records_[index(slot)];
    if (!std::exchange(host.passing, false)) return;
    std::erase(passing_, slot);
    // What redirects found out is not stored, and what is stored may be older: it is asked anew.
    if (!host.robots.asking) host.robots.verdict = HostRobots::Verdict::unknown;
  }
  HostRecord& operator[](HostSlot slot) { return records_[index(slot)]; }
  std::size_t size() const { return records_.size(); }

  void note_request(HostSlot slot, Instant now) {
    HostRecord& host = records_[index(slot)];
    host.last_request = now;
    ++host.requests;
    mark(slot);
  }
  void note_error(HostSlot slot) {
    ++records_[index(slot)].errors;
    mark(slot);
  }
  void note_end(HostSlot slot, Instant now) {
    HostRecord& host = records_[index(slot)];
    host.last_request = now;
    mark(slot);
    if (host.pause > Duration::zero()) mark_urgent(slot);
  }
  void note_block(HostSlot slot, Instant until, std::string_view by) {
    records_[index(slot)].blocked_until = until;
    records_[index(slot)].blocked_by = by;
    mark(slot);
    mark_urgent(slot);
  }
  void mark(HostSlot slot) {
    HostRecord& host = records_[index(slot)];
    if (host.passing || std::exchange(host.dirty, true)) return;
    dirty_.push_back(slot);
  }
  // The wall clock was set: what is stored of waits goes by a clock that is no more.
  void mark_waits(Instant now) {
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
      const HostRecord& host = records_[i];
      const bool pauses = host.last_request && *host.last_request + host.pause > now;
      if (pauses || std::max(host.blocked_until.value_or(now), host.redirects_may_block_at) > now)
        mark(HostSlot{i});
    }
  }
  // Rows that changed since the last call.
  std::vector<store::HostRow> take_changed(const Moment& moment) {
    std::vector<store::HostRow> rows;
    for (const HostSlot slot : dirty_) {
      records_[index(slot)].dirty = false;
      rows.push_back(row(slot, moment));
    }
    dirty_.clear();
    return rows;
  }
  // Of these the rows that a crash must not make us forget: they are stored with the poll that
  // caused them. Where there is neither pause nor block, nothing is lost.
  std::vector<store::HostRow> take_urgent(const Moment& moment) {
    std::vector<store::HostRow> rows;
    for (const HostSlot slot : urgent_) rows.push_back(row(slot, moment));
    urgent_.clear();
    return rows;
  }
  // Of hosts that are not stored nobody knows when they were last asked: it may have been when this
  // process began.
  void set_begun(Instant at) { begun_ = at; }
  std::optional<Instant> begun() const { return begun_; }

 private:
  static constexpr std::size_t most_passing = 1024;

  void mark_urgent(HostSlot slot) {
    if (records_[index(slot)].passing || std::ranges::find(urgent_, slot) != urgent_.end()) return;
    urgent_.push_back(slot);
  }
  store::HostRow row(HostSlot slot, const Moment& moment) const {
    const HostRecord& host = records_[index(slot)];
    store::HostRow row;
    row.host = host.name;
    if (host.last_request) row.last_request_at = moment.to_wall(*host.last_request);
    // One that a redirect brought is remembered until redirects may bring another.
    if (host.blocked_until &&
        std::max(*host.blocked_until, host.redirects_may_block_at) > moment.now) {
      row.blocked_until = moment.to_wall(*host.blocked_until);
      row.blocked_by = host.blocked_by.str();
    }
    if (host.missing_asked) row.missing_asked_at = moment.to_wall(*host.missing_asked);
    row.requests = host.requests;
    row.errors = host.errors;
    const auto known = [](Duration d) {
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
      return d > Duration::zero() ? std::optional<std::int64_t>(ms) : std::nullopt;
    };
    row.response_ms = known(host.response_time);
    row.delay_ms = known(host.pause);
    return row;
  }

  std::unordered_map<std::string, HostSlot> by_name_;
  std::vector<HostRecord> records_;
  std::vector<HostSlot> dirty_;
  std::vector<HostSlot> urgent_;  // since the last poll that was recorded
  std::vector<HostSlot> passing_;
  std::optional<Instant> begun_;
};

}  // namespace pollux::engine
