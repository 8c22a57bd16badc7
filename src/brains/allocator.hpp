// What the brain that allocates has: who may have what, and how it is divided.
#pragma once

#include "brains/division.hpp"
#include "brains/messages.hpp"
#include "pollux/brains/member.hpp"

namespace pollux::brains {

class Member::Allocator {
 public:
  Allocator(const Options& options, std::uint64_t epoch, Instant now);

  std::uint64_t epoch() const { return granter_.epoch(); }
  std::optional<std::uint64_t> superseded() const { return granter_.superseded(); }
  void set_budget(double per_second) { granter_.set_ceiling(per_second); }
  void tick(Instant now);  // once a second
  std::optional<leases::Grant> answer(const std::string& brain, AskMessage asked, Instant now);

 private:
  Duration lease_;
  leases::Granter granter_;
  Division division_;
  std::map<std::string, Instant> heard_;
};

}  // namespace pollux::brains
