// What the site answers: routes, validators and misbehaviour, without the protocol. Thread-safe.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/demo/visits.hpp"
#include "pollux/demo/world.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::demo {

struct Question {
  std::string_view target;
  std::string_view if_none_match;
  std::string_view if_modified_since;
};

struct Answer {
  unsigned status = 200;
  std::string etag, last_modified, location;  // sent when not empty
  std::optional<int> retry_after;             // seconds
  std::string body;
  bool reset = false;  // no answer at all: the connection is reset
};

class Responder {
 public:
  Responder(const WorldOptions& options, const Clock& clock);

  // How long to wait before answer() is asked for.
  Duration delay(std::string_view target) const;
  Answer answer(const Question& question);

  std::uint64_t requests() const;
  Visits visits() const;
  std::vector<Change> history(std::size_t from);
  // Roles and rates never change after construction: no lock.
  Role role(PageNumber page) const { return world_.page(page).role; }
  double rate(PageNumber page) const { return world_.page(page).rate; }
  std::size_t pages() const { return world_.size(); }
  std::size_t noisy() const { return world_.noisy(); }

 private:
  void note_visit(std::uint32_t page);
  Answer show(PageNumber page, const Question& question, Instant now);
  Answer show_with_noise(PageNumber page, WallTime changed_at);

  const Clock& clock_;
  const Instant start_;
  const WallTime wall_start_;
  mutable std::mutex mutex_;
  World world_;
  const std::string index_;
  std::uint64_t requests_ = 0;
  std::uint64_t flaky_requests_ = 0;
  Visits visits_;
  std::vector<std::uint8_t> asked_;  // by page: how often, up to 2
  Random random_;
};

}  // namespace pollux::demo
