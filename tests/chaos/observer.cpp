#include "chaos/observer.hpp"

#include <algorithm>
#include <cstdio>

namespace pollux::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::string figure(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double in_ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

void Observer::arrived(const std::string& host, const std::string& path) {
  const std::lock_guard lock(mutex_);
  arrivals_.push_back({std::chrono::steady_clock::now(), host, path});
}

void Observer::served(const std::string& host, const std::string& body_hash) {
  const std::lock_guard lock(mutex_);
  bodies_[body_hash].insert(host);
}

void Observer::served(const std::string& host, const std::string& body_hash, const std::string& url,
                      std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  bodies_[body_hash].insert(host);
  versions_[body_hash] = {url, version};
}

void Observer::asked_for_quiet(const std::string& host, const std::string& path, Bound bound,
                               milliseconds time) {
  const SteadyTime now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  quiet_.push_back({host, path, bound, now, now + time});
}

void Observer::robots_said(const std::string& host, Law law) {
  const std::lock_guard lock(mutex_);
  laws_[host].push_back({std::chrono::steady_clock::now(), law});
}

void Observer::listed(const std::string& host, bool watched) {
  const SteadyTime now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::vector<Stretch>& stretches = listed_[host];
  const bool open = !stretches.empty() && stretches.back().to == SteadyTime::max();
  if (watched && !open) stretches.push_back({now, SteadyTime::max()});
  if (!watched && open) stretches.back().to = now;
}

std::size_t Observer::requests() const {
  const std::lock_guard lock(mutex_);
  return arrivals_.size();
}

std::string Observer::moment(SteadyTime at) const {
  return figure("at %.2f s", std::chrono::duration<double>(at - begin_).count());
}

Invariant Observer::window(int budget, const Lateness& lateness) const {
  Invariant held{.name = "fullest second", .wanted = "<= " + std::to_string(budget + 1)};
  std::vector<SteadyTime> times;
  for (const Arrival& arrival : arrivals_) times.push_back(arrival.at);
  std::ranges::sort(times);
  std::size_t fullest = 0;
  const auto over = static_cast<std::size_t>(budget) + 1;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto end = std::ranges::lower_bound(times, times[i] + 1s);
    const auto in_second =
        static_cast<std::size_t>(end - times.begin() - static_cast<std::ptrdiff_t>(i));
    if (in_second <= over) {
      fullest = std::max(fullest, in_second);
      held.expect(true, {});
      continue;
    }
    // Where a server was late, what it saw together had come one after the other.
    const milliseconds late = lateness(times[i] - 1s, times[i] + 1s);
    const auto surely = static_cast<std::size_t>(
        std::ranges::lower_bound(times, times[i] + 1s - std::min<milliseconds>(late, 1s)) -
        times.begin() - static_cast<std::ptrdiff_t>(i));
    fullest = std::max(fullest, surely);
    held.expect(surely <= over, std::to_string(surely) + " requests in a second " +
                                    moment(times[i]) + ", our lateness left out");
  }
  held.worst = std::to_string(fullest);
  return held;
}

Invariant Observer::gaps(const std::string& name, const std::string& prefix, milliseconds delay,
                         const Lateness& lateness) const {
  Invariant held{.name = name, .wanted = ">= " + std::to_string(delay.count()) + " ms"};
  std::map<std::string, SteadyTime> last;
  double shortest = 1e9;
  for (const Arrival& arrival : arrivals_) {
    if (!arrival.host.starts_with(prefix)) continue;
    const auto [before, first] = last.try_emplace(arrival.host, arrival.at);
    if (first) continue;
    const auto gap = arrival.at - before->second;
    // The earlier one may have come before it was noticed.
    const bool clear = gap >= delay;
    const milliseconds late = clear ? 0ms : lateness(before->second - 1s, before->second);
    if (clear || gap + late < delay) shortest = std::min(shortest, in_ms(gap));
    held.expect(clear || gap + late >= delay,
                arrival.host + arrival.path + " " +
                    figure("%.0f ms after its last request, ", in_ms(gap)) + moment(arrival.at));
    before->second = arrival.at;
  }
  held.worst = shortest < 1e9 ? figure("%.0f ms", shortest) : "-";
  return held;
}

Invariant Observer::quiet(const std::vector<Kill>& kills, const Lateness& lateness) const {
  Invariant held{.name = "Retry-After is kept", .wanted = "always"};
  for (const Quiet& asked : quiet_) {
    if (std::ranges::any_of(kills, [&](const Kill& kill) { return kill.forgets(asked.from); }))
      continue;
    std::string broken;
    for (const Arrival& arrival : arrivals_) {
      if (!asked.binds(arrival) || arrival.at <= asked.from || arrival.at >= asked.to) continue;
      if (arrival.at + lateness(asked.from - 1s, asked.from) >= asked.to) continue;
      broken = asked.host + arrival.path + " was asked " + moment(arrival.at) +
               ", it wanted quiet from " + moment(asked.from) + " on for " +
               figure("%.0f ms", in_ms(asked.to - asked.from));
      break;
    }
    held.expect(broken.empty(), broken);
  }
  held.worst = std::to_string(held.violated) + " broken";
  return held;
}

Observer::Force Observer::in_force(const std::string& host, SteadyTime at,
                                   const std::vector<Kill>& kills) const {
  const auto found = laws_.find(host);
  if (found == laws_.end() || found->second.front().at > at) return Force::unsaid;
  const Said& newest = *std::prev(std::ranges::upper_bound(found->second, at, {}, &Said::at));
  // An answer that was lost by a kill may leave an older one valid.
  const bool lost = std::ranges::any_of(
      kills, [&](const Kill& kill) { return kill.at < at && kill.forgets(newest.at); });
  if (lost) return Force::unknown;
  return newest.law == Law::allows ? Force::allows : Force::forbids;
}

// What its robots.txt said up to then, and what may have been lost in between.
std::string Observer::sayings(const Arrival& arrival, const std::vector<Kill>& kills) const {
  std::string text;
  for (const Said& said : laws_.at(arrival.host)) {
    if (said.at > arrival.at) break;
    text += said.law == Law::allows ? "; allowed " : "; forbidden ";
    text += moment(said.at);
  }
  for (const Kill& kill : kills) {
    if (kill.at < arrival.at)
      text += "; killed " + moment(kill.at) + ", unsure since " + moment(kill.unsure);
  }
  return text;
}

Invariant Observer::permission(const std::vector<Kill>& kills) const {
  Invariant held{.name = "robots.txt is asked first", .wanted = "always"};
  for (const Arrival& arrival : arrivals_) {
    if (arrival.path == "/robots.txt") continue;
    const Force force = in_force(arrival.host, arrival.at, kills);
    if (force == Force::unknown) continue;
    held.expect(force == Force::allows,
                arrival.host + arrival.path + " was asked " + moment(arrival.at) +
                    (force == Force::unsaid ? ", its robots.txt was not"
                                            : ", and is forbidden" + sayings(arrival, kills)));
  }
  held.worst = std::to_string(held.violated) + " broken";
  return held;
}

Invariant Observer::obedience(const std::vector<Kill>& kills, const std::vector<Stretch>& running,
                              milliseconds interval) const {
  Invariant held{.name = "what it forbids is not asked", .wanted = "always"};
  const auto in_any = [](const std::vector<Stretch>& stretches, SteadyTime at) {
    return std::ranges::any_of(stretches, [&](const Stretch& stretch) { return stretch.has(at); });
  };
  const SteadyTime end = running.empty() ? begin_ : running.back().to;
  for (const auto& [host, stretches] : listed_) {
    for (SteadyTime at = begin_; at + interval <= end; at += interval) {
      if (!in_any(stretches, at) || !in_any(running, at)) continue;
      if (in_force(host, at, kills) != Force::forbids) continue;
      const auto asked = std::ranges::find_if(arrivals_, [&, &host = host](const Arrival& arrival) {
        return arrival.host == host && arrival.path != "/robots.txt" && arrival.at >= at &&
               arrival.at < at + interval && in_force(host, arrival.at, kills) == Force::forbids;
      });
      held.expect(asked == arrivals_.end(), host + " was asked for what it forbids between " +
                                                moment(at) + " and " + moment(at + interval));
    }
  }
  held.worst = std::to_string(held.violated) + " broken";
  return held;
}

bool Observer::was_shown(const std::string& body_hash, const std::string& url,
                         const std::string& redirected) const {
  const auto found = bodies_.find(body_hash);
  if (found == bodies_.end()) return false;
  const std::string authority = url.substr(url.find("//") + 2);
  return authority.starts_with(redirected) ||
         found->second.contains(authority.substr(0, authority.find(':')));
}

Invariant Observer::truth(const std::vector<Change>& changes, const std::string& redirected) const {
  Invariant held{.name = "no false change", .wanted = "0"};
  std::map<std::string, std::uint64_t> known;  // the newest version in a page's changes
  const auto version_of = [&](const std::string& hash, const std::string& url) {
    const auto version = versions_.find(hash);
    return version != versions_.end() && version->second.url == url ? version->second.number : 0;
  };
  for (const Change& change : changes) {
    const std::uint64_t version = version_of(change.new_hash, change.url);
    const bool was_itself = version_of(change.old_hash, change.url) > 0;
    std::uint64_t& newest = known[change.url];
    std::string wrong;
    if (change.old_hash == change.new_hash) {
      wrong = " changed to what it was";
    } else if (!was_shown(change.new_hash, change.url, redirected)) {
      wrong = " changed to what it was never shown whole, " + change.new_hash.substr(0, 12);
    } else if (!was_shown(change.old_hash, change.url, redirected)) {
      wrong = " changed from what it was never shown whole, " + change.old_hash.substr(0, 12);
    } else if (was_itself && version > 0 && version <= newest) {
      // Back from something else that it was shown whole (a bomb, another page) is no change of
      // what it says, but it is true.
      wrong = " changed back, from version " + std::to_string(newest) + " to " +
              std::to_string(version);
    }
    newest = version;  // 0: something else; what follows is a change
    held.expect(wrong.empty(), change.url + wrong);
  }
  held.worst = std::to_string(held.violated) + " false";
  return held;
}

Invariant Observer::polls(const std::string& prefix, std::size_t hosts, milliseconds interval,
                          const std::vector<Stretch>& running, double wanted) const {
  Invariant held{.name = "polls of healthy pages", .wanted = figure(">= %.0f %%", 100 * wanted)};
  double seconds = 0;
  for (const Stretch& stretch : running) seconds += std::max(0.0, stretch.seconds());
  std::size_t polls = 0;
  for (const Arrival& arrival : arrivals_) {
    if (!arrival.host.starts_with(prefix) || arrival.path != "/page") continue;
    polls += std::ranges::any_of(running,
                                 [&](const Stretch& stretch) { return stretch.has(arrival.at); });
  }
  const double possible =
      seconds / std::chrono::duration<double>(interval).count() * static_cast<double>(hosts);
  const double part = possible > 0 ? static_cast<double>(polls) / possible : 1;
  held.expect(part >= wanted, figure("%.0f polls", static_cast<double>(polls)) +
                                  figure(" of %.0f that their interval allows in ", possible) +
                                  figure("%.0f s", seconds));
  held.checked = polls;
  held.worst = figure("%.1f %%", 100 * part);
  return held;
}

Invariant Observer::never_silent(const std::string& host, const std::string& path,
                                 const std::vector<Stretch>& running,
                                 std::chrono::seconds most) const {
  Invariant held{.name = "no page silences another's host",
                 .wanted = "<= " + std::to_string(most.count()) + " s"};
  // Time goes by only while the daemon runs.
  const auto ran_until = [&](SteadyTime at) {
    double seconds = 0;
    for (const Stretch& stretch : running) {
      if (stretch.from < at) seconds += Stretch{stretch.from, std::min(stretch.to, at)}.seconds();
    }
    return seconds;
  };
  double last = 0, longest = 0;
  const auto look = [&](double now, const std::string& when) {
    longest = std::max(longest, now - last);
    held.expect(now - last <= static_cast<double>(most.count()),
                host + path + figure(" was not polled for %.0f s ", now - last) + when);
    last = now;
  };
  for (const Arrival& arrival : arrivals_) {
    if (arrival.host == host && arrival.path == path)
      look(ran_until(arrival.at), moment(arrival.at));
  }
  look(ran_until(SteadyTime::max()), "until the end");
  held.worst = figure("%.0f s", longest);
  return held;
}

}  // namespace pollux::chaos
