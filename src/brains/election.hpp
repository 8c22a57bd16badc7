// Who allocates: whoever holds the entry "allocator" of the bucket, which ends unless it is
// renewed. It counts itself as holding it from before its last successful renewal was sent, so it
// has stopped before another can begin. The epoch is in the value, above all that were ever heard
// of: revisions of the bucket differ by server.
#pragma once

#include "pollux/brains/member.hpp"

#include <algorithm>
#include <utility>

namespace pollux::brains {

class Member::Election {
 public:
  Election(bus::Bus& bus, const Clock& clock, std::string name, std::string incarnation,
           Duration entries_live);

  void tick();  // once a second
  void heard_of(std::uint64_t epoch) {
    if (believes(epoch)) known_ = std::max(known_, epoch);
  }
  // Epochs rise by one: nobody gets near the end of numbers, where no other could follow.
  bool believes(std::uint64_t epoch) const {
    return epoch <= std::max(known_, std::uint64_t{1} << 40) + (std::uint64_t{1} << 20);
  }
  // Ours, while we may act on it.
  std::optional<std::uint64_t> epoch() const;
  const std::string& holder() const { return holder_; }
  void resign();

 private:
  struct Claim {
    std::uint64_t epoch = 0;
    std::string name, incarnation;
  };
  static std::optional<Claim> read(const std::string& value);
  std::string value() const;
  void look();
  void seen(const std::optional<bus::Entry>& entry);
  void create();
  void renew(std::uint64_t revision);
  void written(bus::Wrote wrote, std::uint64_t revision, std::uint64_t epoch, Instant sent);
  // Calls back only while we are there.
  template <typename Call>
  auto guarded(Call call) {
    return [alive = std::weak_ptr(alive_), call](auto&&... answer) {
      if (!alive.expired()) call(std::forward<decltype(answer)>(answer)...);
    };
  }

  bus::Bus& bus_;
  const Clock& clock_;
  const std::string name_, incarnation_;
  const Duration entries_live_;
  std::string holder_;
  std::uint64_t known_ = 0;  // the highest epoch
  std::uint64_t epoch_ = 0, revision_ = 0;
  Instant held_until_ = Instant::min();
  bool waiting_ = false;  // for an answer of the bucket
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace pollux::brains
