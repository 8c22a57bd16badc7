// Which access point polls which site: an Object Migration Automaton on measured download times.
//
// Every site stands in one arm (access point), at a depth from 0 (the boundary, unsure) to
// states − 1 (sure). A poll that is faster than the site's best time elsewhere moves it one state
// deeper, or two when it is clearly faster; a slower one moves it one or two states towards the
// boundary; a site that is slow at the boundary migrates to the arm where it was fastest. A full
// arm takes it only in exchange for a site that loses less than the migrant gains. What a site
// takes elsewhere is known from rare polls through the other arms: the deeper a site stands and the
// slower the other arm, the rarer, so that looking around costs about `explore` of the download
// time. Polls that take longer than the site's own habit raise a doubt; enough of it, and every arm
// is looked at again: so a network that changes is followed within some ten polls of a site.
//
// Deterministic for a given Rng. A call costs O(arms); an exchange looks at a bounded number of
// candidates. Memory: 24 bytes and 4 per arm for each site. Threading: one thread.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/rng.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pollux::placement {

struct Options {
  std::vector<std::uint32_t> capacities;  // sites that each arm may hold; 0: as many as there are
  unsigned states = 8;                    // per arm
  double explore = 0.03;                  // part of the time spent on looking at other arms
  double weight = 0.25;                   // of the newest poll in a smoothed time
  double failure_seconds = 10;            // what a poll without an answer counts as, at least
};

// All that must survive a restart.
struct SiteMemory {
  std::size_t arm = 0;
  unsigned depth = 0;
  std::vector<double> seconds;  // smoothed time by arm; 0: never measured
};

class Placement {
 public:
  static constexpr std::size_t most_arms = 64;

  // 1 to most_arms capacities; 2 to 250 states.
  Placement(Options options, Rng rng);

  // A site without memory is placed at random among the arms that have room, at the boundary. When
  // none has, the arm with the smallest part of its capacity in use takes it: capacities share a
  // shortage rather than leave a site without a way out.
  void add(HostSlot site, const std::optional<SiteMemory>& memory = {});
  void remove(HostSlot site);
  bool knows(HostSlot site) const;

  // The arm for the next poll: the site's own, or one to be looked at.
  std::size_t choose(HostSlot site);
  // What came of a poll through `arm`. A site that has left meanwhile is ignored.
  void feed(HostSlot site, std::size_t arm, double seconds);
  // No answer: very slow. In its own arm it takes the site to the boundary at once, and the other
  // arms are looked at; a second one in a row makes it migrate, if one of those works.
  void fail(HostSlot site, std::size_t arm, double seconds);

  std::size_t arms() const { return options_.capacities.size(); }
  std::size_t arm(HostSlot site) const { return sites_[index(site)].arm; }
  SiteMemory memory(HostSlot site) const;
  std::size_t placed(std::size_t arm) const { return members_[arm].size(); }
  std::uint64_t migrations() const { return migrations_; }  // so far, exchanges count twice
  // Sites whose memory differs from what was last taken, at most so many.
  std::vector<HostSlot> take_changed(std::size_t most);
  std::size_t memory_bytes() const;

 private:
  struct Site {
    std::uint32_t position = 0;  // in members_[arm]
    float habit = 0;             // time through its arm, slowly smoothed
    float deviation = 0;         // of a poll from that, in parts of it; smoothed
    float doubt = 0;             // whether the habit still holds
    std::uint8_t arm = 0;
    std::uint8_t depth = 0;
    bool used = false;
    bool changed = false;
  };

  float& time(std::uint32_t site, std::size_t arm) { return times_[site * arms() + arm]; }
  float time(std::uint32_t site, std::size_t arm) const { return times_[site * arms() + arm]; }
  void learn(std::uint32_t site, std::size_t arm, double seconds);
  static bool has_changed(Site& own, double seconds);
  void forget_others(std::uint32_t site);
  void judge(std::uint32_t site, double seconds, double usual);
  std::optional<std::size_t> best_elsewhere(std::uint32_t site) const;
  void migrate(std::uint32_t site);
  bool has_room(std::size_t arm) const;
  std::size_t arm_with_room();
  std::optional<std::uint32_t> partner(std::uint32_t site, std::size_t arm);
  void put(std::uint32_t site, std::size_t arm);
  void take_out(std::uint32_t site);
  void move(std::uint32_t site, std::size_t arm);
  void mark(std::uint32_t site);

  Options options_;
  Rng rng_;
  std::vector<Site> sites_;
  std::vector<float> times_;  // by site, then arm
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<HostSlot> changed_;
  std::uint64_t migrations_ = 0;
};

}  // namespace pollux::placement
