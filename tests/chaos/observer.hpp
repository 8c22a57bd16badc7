// The observer on the servers' side: what arrived when, what was served, and what that proves. It
// knows nothing of the daemon but what any server could see, its log and its database.
// Threading: what servers call may be called from any thread; the verdicts are for the end.
#pragma once

#include "support/origin.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pollux::chaos {

using test::SteadyTime;

// A promise, how often it was looked at, and where it was broken first.
struct Invariant {
  std::string name;
  std::string wanted;
  std::uint64_t checked = 0, violated = 0;
  std::string worst = {};  // a figure for the table
  std::string first = {};  // the first violation, in words

  void expect(bool held, const std::string& what) {
    ++checked;
    if (held) return;
    if (violated++ == 0) first = what;
  }
};

// A stretch of time, as [from, to).
struct Stretch {
  SteadyTime from, to;
  double seconds() const { return std::chrono::duration<double>(to - from).count(); }
  bool has(SteadyTime at) const { return at >= from && at < to; }
};

// A kill -9: what was answered from `unsure` on may not be on disk.
struct Kill {
  SteadyTime at, unsure;
  bool forgets(SteadyTime answered) const { return answered >= unsure && answered <= at; }
};

struct Change {
  std::string url, old_hash, new_hash;
};

class Observer {
 public:
  explicit Observer(SteadyTime begin) : begin_(begin) {}

  std::string moment(SteadyTime at) const;  // in seconds after the beginning
  // A request's head has been read.
  void arrived(const std::string& host, const std::string& path);
  // This host sent this whole body, or will unless the client goes: nothing else may become a
  // change.
  void served(const std::string& host, const std::string& body_hash);
  // Like that, of a page whose content only ever moves on.
  void served(const std::string& host, const std::string& body_hash, const std::string& url,
              std::uint64_t version);
  // The host has asked to be left alone. Whom a redirect brought (`guest`) it has asked for itself
  // alone: redirects must not silence a host.
  enum class Bound { host, guest };
  void asked_for_quiet(const std::string& host, const std::string& path, Bound bound,
                       std::chrono::milliseconds time);
  // What its robots.txt said when it was asked; failures say nothing, and what was said before
  // stays in force.
  enum class Law { allows, forbids };
  void robots_said(const std::string& host, Law law);
  // The page of this host is watched from now on, or no longer.
  void listed(const std::string& host, bool watched);

  // --- At the end. `lateness` is the servers' own, around a moment.
  using Lateness = std::function<std::chrono::milliseconds(SteadyTime from, SteadyTime to)>;
  Invariant window(int budget, const Lateness& lateness) const;
  Invariant gaps(const std::string& name, const std::string& prefix,
                 std::chrono::milliseconds delay, const Lateness& lateness) const;
  Invariant quiet(const std::vector<Kill>& kills, const Lateness& lateness) const;
  // No page is asked for before its host's robots.txt has said yes, in the newest answer.
  Invariant permission(const std::vector<Kill>& kills) const;
  // Where it said no: one check for each poll that the interval would have allowed meanwhile.
  Invariant obedience(const std::vector<Kill>& kills, const std::vector<Stretch>& running,
                      std::chrono::milliseconds interval) const;
  // Pages of hosts with this prefix may show what other hosts served: they are redirected.
  Invariant truth(const std::vector<Change>& changes, const std::string& redirected) const;
  // Polls of pages of these hosts while the daemon ran, against those their interval allows.
  Invariant polls(const std::string& prefix, std::size_t hosts, std::chrono::milliseconds interval,
                  const std::vector<Stretch>& running, double wanted) const;
  // The longest time without a poll of this host's page, while the daemon ran.
  Invariant never_silent(const std::string& host, const std::string& path,
                         const std::vector<Stretch>& running, std::chrono::seconds most) const;
  std::size_t requests() const;

 private:
  struct Arrival {
    SteadyTime at;
    std::string host, path;
  };
  struct Quiet {
    std::string host, path;
    Bound bound;
    SteadyTime from, to;
    bool binds(const Arrival& arrival) const {
      return arrival.host == host && (bound == Bound::host || arrival.path == path);
    }
  };
  struct Version {
    std::string url;
    std::uint64_t number = 0;
  };
  struct Said {
    SteadyTime at;
    Law law;
  };
  // What was in force at that moment; nothing, if nobody can tell.
  enum class Force { unknown, unsaid, allows, forbids };
  std::string sayings(const Arrival& arrival, const std::vector<Kill>& kills) const;
  Force in_force(const std::string& host, SteadyTime at, const std::vector<Kill>& kills) const;
  // The page may have seen it: its own host served it, or any host where it may be redirected.
  bool was_shown(const std::string& body_hash, const std::string& url,
                 const std::string& redirected) const;

  mutable std::mutex mutex_;
  SteadyTime begin_;
  std::vector<Arrival> arrivals_;
  std::vector<Quiet> quiet_;
  std::map<std::string, std::set<std::string>> bodies_;  // by hash: the hosts that served it
  std::map<std::string, Version> versions_;              // by hash
  std::map<std::string, std::vector<Said>> laws_;        // by host
  std::map<std::string, std::vector<Stretch>> listed_;   // by host; the last one may be open
};

}  // namespace pollux::chaos
