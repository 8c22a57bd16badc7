// The hosts (host:port) that are asked, by slot, with what politeness must remember of them.
// Threading: the I/O thread.
#pragma once

#include "engine/page_table.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/store/rows.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::engine {

struct HostRecord {
  std::string name;
  std::optional<Instant> last_request;
  std::optional<Instant> blocked_until;
  std::int64_t requests = 0, errors = 0;
  bool dirty = false;  // differs from what is stored
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
  HostRecord& operator[](HostSlot slot) { return records_[index(slot)]; }
  std::size_t size() const { return records_.size(); }

  void note_request(HostSlot slot, Instant now) {
    HostRecord& host = records_[index(slot)];
    host.last_request = now;
    ++host.requests;
    mark(slot);
  }
  void mark(HostSlot slot) {
    if (std::exchange(records_[index(slot)].dirty, true)) return;
    dirty_.push_back(slot);
  }
  // Rows that changed since the last call.
  std::vector<store::HostRow> take_changed(const Moment& moment) {
    std::vector<store::HostRow> rows;
    for (const HostSlot slot : dirty_) {
      HostRecord& host = records_[index(slot)];
      host.dirty = false;
      store::HostRow row;
      row.host = host.name;
      if (host.last_request) row.last_request_at = moment.to_wall(*host.last_request);
      if (host.blocked_until && *host.blocked_until > moment.now)
        row.blocked_until = moment.to_wall(*host.blocked_until);
      row.requests = host.requests;
      row.errors = host.errors;
      rows.push_back(std::move(row));
    }
    dirty_.clear();
    return rows;
  }

 private:
  std::unordered_map<std::string, HostSlot> by_name_;
  std::vector<HostRecord> records_;
  std::vector<HostSlot> dirty_;
};

}  // namespace pollux::engine
