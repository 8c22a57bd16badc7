#include "chaos/plan.hpp"

#include "chaos/groups.hpp"
#include "pollux/base/rng.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace pollux::chaos {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds quiet_start{5000};
// After a deletion nothing is done to the process until it must have noticed.
constexpr milliseconds notice_deletion{7000};

struct Chance {
  Kind kind;
  unsigned weight;
};
constexpr std::array of_the_web{
    Chance{Kind::stall, 8},     Chance{Kind::slow, 4},       Chance{Kind::reset, 4},
    Chance{Kind::reset_mid, 4}, Chance{Kind::cut, 4},        Chance{Kind::cut_bare, 5},
    Chance{Kind::busy, 4},      Chance{Kind::bomb, 1},       Chance{Kind::redirect, 6},
    Chance{Kind::robots, 8},    Chance{Kind::handshakes, 1}, Chance{Kind::silence_another, 1}};
constexpr std::array of_the_process{Chance{Kind::reload, 10},     Chance{Kind::bad_reload, 3},
                                    Chance{Kind::restart, 2},     Chance{Kind::kill, 5},
                                    Chance{Kind::freeze, 5},      Chance{Kind::full_disk, 3},
                                    Chance{Kind::delete_file, 2}, Chance{Kind::clock_jump, 6}};

template <typename Chances>
Kind draw(const Chances& chances, Rng& rng) {
  unsigned all = 0;
  for (const Chance& chance : chances) all += chance.weight;
  auto at = static_cast<unsigned>(rng.below(all));
  for (const Chance& chance : chances) {
    if (at < chance.weight) return chance.kind;
    at -= chance.weight;
  }
  return chances.back().kind;
}

milliseconds between(Rng& rng, unsigned least, unsigned most) {
  return milliseconds(least + rng.below(most - least));
}

void misbehave(Injection& injection, Rng& rng) {
  injection.target = static_cast<unsigned>(rng.below(victim_hosts));
  injection.lasts = between(rng, 300, 4000);
  injection.detail = static_cast<std::int64_t>(rng.below(1000));
  if (injection.kind == Kind::busy) injection.lasts = between(rng, 2000, 8000);
  if (injection.kind == Kind::bomb) injection.lasts = between(rng, 2000, 3500);
  if (injection.kind == Kind::robots) injection.target = injection.target % late_hosts;
}

// How long it keeps the process.
milliseconds disturb(Injection& injection, Rng& rng) {
  injection.detail = static_cast<std::int64_t>(rng.below(1000));
  switch (injection.kind) {
    case Kind::freeze:
      injection.lasts = between(rng, 100, 2500);
      break;
    case Kind::full_disk:
      injection.lasts = between(rng, 1000, 4000);
      break;
    case Kind::kill:
    case Kind::restart:
      injection.lasts = between(rng, 0, 500);  // until it is started again
      return injection.lasts + milliseconds(1500);
    case Kind::delete_file:
      injection.lasts = notice_deletion;
      break;
    case Kind::clock_jump:
      injection.detail = static_cast<std::int64_t>(rng.below(2 * 86400)) - 86400;
      break;
    default:
      injection.lasts = milliseconds(300);
  }
  return injection.lasts + milliseconds(200);
}

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Kind::kinds)> names{
      "stall",      "slow bytes", "reset",     "reset in a body",    "cut body",
      "bare FIN",   "429",        "redirect",  "silencing redirect", "bombs",
      "handshakes", "robots.txt", "reload",    "bad reload",         "restart",
      "kill -9",    "SIGSTOP",    "full disk", "deleted file",       "clock jump"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Injection> make_plan(const PlanOptions& options) {
  Rng rng(options.seed);
  const auto length = milliseconds(options.length);
  std::vector<Injection> plan;
  for (milliseconds at = quiet_start; at < length;) {
    Injection injection{.at = at, .kind = draw(of_the_process, rng)};
    const milliseconds keeps = disturb(injection, rng);
    if (injection.kind != Kind::full_disk || options.small_disk) plan.push_back(injection);
    at += keeps + between(rng, 200, 1600);
  }
  // What the process suffers is bounded by what it takes; the web makes up the number.
  const unsigned left =
      options.moments - std::min<unsigned>(options.moments, static_cast<unsigned>(plan.size()));
  const auto span = static_cast<std::uint64_t>((length - quiet_start).count());
  for (unsigned i = 0; i < left && span > 0; ++i) {
    Injection injection{.at = quiet_start + milliseconds(rng.below(span)),
                        .kind = draw(of_the_web, rng)};
    misbehave(injection, rng);
    plan.push_back(injection);
  }
  std::erase_if(plan, [&](const Injection& injection) {
    return std::ranges::find(options.without, injection.kind) != options.without.end();
  });
  std::ranges::stable_sort(plan, {}, &Injection::at);
  return plan;
}

void print(const std::vector<Injection>& plan) {
  for (const Injection& injection : plan) {
    const std::string_view text = name(injection.kind);
    std::printf("%9.3f s  %-18.*s host %2u for %5lld ms, detail %lld\n",
                static_cast<double>(injection.at.count()) / 1000, static_cast<int>(text.size()),
                text.data(), injection.target, static_cast<long long>(injection.lasts.count()),
                static_cast<long long>(injection.detail));
  }
}

std::uint64_t fingerprint(const std::vector<Injection>& plan) {
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ull; };
  for (const Injection& injection : plan) {
    add(static_cast<std::uint64_t>(injection.at.count()));
    add(static_cast<std::uint64_t>(injection.kind));
    add(injection.target);
    add(static_cast<std::uint64_t>(injection.lasts.count()));
    add(static_cast<std::uint64_t>(injection.detail));
  }
  return hash;
}

}  // namespace pollux::chaos
