// One brain among several that share a budget. It asks for its part once a second and obeys what it
// is granted (leases.hpp). One of them, whichever holds the entry "allocator" of the bucket,
// grants: it divides the budget by what each brain says its next poll is worth.
//
// Losing the allocator, a brain, messages or the bus never lets the sum exceed the budget: leases
// end. A brain without a lease polls nothing. A new allocator renews leases for one length of a
// lease before it moves anything. Threading: the loop's thread; the bus outlives it.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/leases/leases.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace pollux::brains {

struct Options {
  std::string name = {};  // of this brain: a word, and nobody else's
  double budget = 1;      // requests per second of all brains together
  // How long entries of the bucket live (bus::Options): an allocator that is lost is succeeded
  // then.
  Duration entries_live = std::chrono::seconds(15);
  // Of a lease; longer than entries live, so that brains go on while another allocator is found.
  Duration lease = std::chrono::seconds(20);
  bool operator==(const Options&) const = default;
};

// What one brain tells the others with each ask.
struct Figures {
  double marginal_value = 0;  // expected changes of the next poll, times importance
  std::uint64_t pages = 0, hosts = 0, requests = 0, changes = 0,
                errors = 0;  // the last three since its start
  double poll_rate = 0;      // lately, per second
  bool operator==(const Figures&) const = default;
};

// As this brain heard of them, itself included.
struct Known {
  Figures figures;
  double rate = 0;  // of its lease, as it said
  Instant heard;
  std::string incarnation;
};

class Member {
 public:
  struct Callbacks {
    std::function<Figures()> figures;
    // From now on so many requests per second, until `ends`; 0: none. Called with each new grant.
    std::function<void(double rate, Instant ends)> obey;
    // What agents may still send of it; null: there are none.
    std::function<leases::InUse()> passed_on = {};
  };

  Member(bus::Bus& bus, EventLoop& loop, const Clock& clock, const Options& options,
         std::uint64_t seed, Callbacks callbacks);
  ~Member();  // leaves: its part is free at once, or when what was passed on has ended

  void set_budget(double per_second);  // of all together; the allocator's counts
  bool allocates() const;
  const std::string& allocator() const;  // the name of who holds the entry, as last seen; or empty
  const leases::Holder& lease() const { return holder_; }
  // By name; those heard of in the last length of a lease.
  std::map<std::string, Known> brains() const;
  // Why all is not well, for people; or empty.
  std::string trouble() const;

 private:
  class Election;
  class Allocator;

  void tick();
  void ask();
  leases::InUse passed_on() const;
  void heard_ask(const bus::Message& message);
  void heard_grant(const bus::Message& message);

  bus::Bus& bus_;
  const Clock& clock_;
  Options options_;
  Callbacks callbacks_;
  Rng rng_;
  std::string incarnation_;
  leases::Holder holder_;
  std::unique_ptr<Election> election_;
  std::unique_ptr<Allocator> allocator_;  // while it allocates, and a while after
  std::map<std::string, Known> known_;
  std::optional<Instant> namesake_;  // when another process with our name was last heard
  std::unique_ptr<bus::Subscription> asks_, grants_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace pollux::brains
