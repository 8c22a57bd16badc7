// Which access point polls which host: an Object Migration Automaton on measured download times
// (document 003; its sites are our hosts, its arms our access points).
//
// Every host is placed at one access point, at a depth from 0 (the boundary, unsure) to states − 1
// (sure). A poll that is faster than the host's best time elsewhere moves it one state deeper, or
// two when it is clearly faster; a slower one moves it one or two states towards the boundary; a
// host that is slow at the boundary migrates to the access point where it was fastest. A full one
// takes it only in exchange for a host that loses less than the migrant gains. What a host takes
// elsewhere is known from probes, rare polls through the other access points: the deeper a host
// stands and the slower the other one, the rarer, so that probes cost about `explore` of the
// download time. Polls that take longer than the host's own habit raise a doubt; enough of it, and
// every access point is probed again: a network that changes is followed within some ten polls of
// a host.
//
// Access points are numbered as the options give their capacities. Deterministic for a given Rng. A
// call costs O(access points); an exchange considers a bounded number of candidates. Memory: 24
// bytes and 4 per access point for each host. Threading: one thread.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/rng.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pollux::placement {

struct Options {
  std::vector<std::uint32_t> capacities;  // hosts each may hold; 0: as many as there are
  unsigned states = 8;                    // per access point
  double explore = 0.03;                  // part of the time spent on probes
  double weight = 0.25;                   // of the newest poll in a smoothed time
  double failure_seconds = 10;            // what a poll without an answer counts as, at least
};

// All that must survive a restart.
struct HostMemory {
  std::size_t access_point = 0;
  unsigned depth = 0;
  std::vector<double> seconds;  // smoothed, by access point; 0: never measured
};

class Placement {
 public:
  static constexpr std::size_t most_access_points = 64;

  // 1 to most_access_points capacities; 2 to 250 states.
  Placement(Options options, Rng rng);

  // A host without memory is placed at random where there is room, at the boundary. When there is
  // none, the access point with the smallest part of its capacity in use takes it: capacities share
  // a shortage rather than leave a host unplaced.
  void add(HostSlot host, const std::optional<HostMemory>& memory = {});
  void remove(HostSlot host);
  bool knows(HostSlot host) const;

  // The access point of the next poll: the host's own, or one to be probed. A host whose own is
  // closed migrates first.
  std::size_t choose(HostSlot host);
  // Nothing is polled through a closed one, and its hosts go elsewhere at their next poll, to the
  // fastest that is open and has room. All are open at first; while all are closed, hosts stay.
  void set_open(std::size_t point, bool open) { open_[point] = open; }
  bool is_open(std::size_t point) const { return open_[point]; }
  // What a poll through `point` took. A host removed meanwhile is ignored.
  void feed(HostSlot host, std::size_t point, double seconds);
  // No answer: very slow. At its own access point it takes the host to the boundary at once, and
  // the others are probed; a second one in a row makes it migrate, if one of those works.
  void fail(HostSlot host, std::size_t point, double seconds);

  std::size_t access_points() const { return options_.capacities.size(); }
  std::size_t access_point(HostSlot host) const { return hosts_[index(host)].access_point; }
  HostMemory memory(HostSlot host) const;
  std::size_t placed(std::size_t point) const { return members_[point].size(); }
  std::uint64_t migrations() const { return migrations_; }  // so far, exchanges count twice
  // Hosts whose memory differs from what was last taken, at most so many.
  std::vector<HostSlot> take_changed(std::size_t most);
  std::size_t memory_bytes() const;

 private:
  struct Host {
    std::uint32_t position = 0;  // in members_[access_point]
    float habit = 0;             // time through its access point, slowly smoothed
    float deviation = 0;         // of a poll from that, in parts of it; smoothed
    float doubt = 0;             // whether the habit still holds
    std::uint8_t access_point = 0;
    std::uint8_t depth = 0;
    bool used = false;
    bool changed = false;
  };

  float& time(std::uint32_t host, std::size_t point) {
    return times_[host * access_points() + point];
  }
  float time(std::uint32_t host, std::size_t point) const {
    return times_[host * access_points() + point];
  }
  void learn(std::uint32_t host, std::size_t point, double seconds);
  static bool has_changed(Host& own, double seconds);
  void forget_others(std::uint32_t host);
  void judge(std::uint32_t host, double seconds, double usual);
  std::optional<std::size_t> best_elsewhere(std::uint32_t host) const;
  void migrate(std::uint32_t host);
  bool has_room(std::size_t point) const;
  void flee(std::uint32_t host);
  std::size_t access_point_with_room();
  std::optional<std::uint32_t> partner(std::uint32_t host, std::size_t point);
  void put(std::uint32_t host, std::size_t point);
  void take_out(std::uint32_t host);
  void move(std::uint32_t host, std::size_t point);
  void mark(std::uint32_t host);

  Options options_;
  Rng rng_;
  std::vector<Host> hosts_;
  std::vector<float> times_;  // by host, then access point
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<bool> open_;  // by access point
  std::vector<HostSlot> changed_;
  std::uint64_t migrations_ = 0;
};

}  // namespace pollux::placement
