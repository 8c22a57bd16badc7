#include "chaos/run.hpp"

#include "chaos/web.hpp"
#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thread>

namespace pollux::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds step{50};             // how often the daemon is looked after
constexpr double news_per_second = 6;        // over all healthy and patient pages
constexpr std::chrono::seconds silence{75};  // a minute, and the interval and lateness of a poll

// What is undone or looked at later.
struct Later {
  milliseconds at;
  Kind kind;
};

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        web_(observer_, options.plan.seed),
        subject_({options.binary, options.clock_library, options.plan.seed, options.told}, web_,
                 observer_),
        news_(options.plan.seed + 1) {}

  Report run() {
    options_.plan.small_disk = subject_.has_small_disk();
    const std::vector<Injection> plan = make_plan(options_.plan);
    Report report;
    report.plan = fingerprint(plan);
    report.small_disk = subject_.has_small_disk();
    subject_.start();
    auto next = plan.begin();
    // The plan's time stands still while the daemon is waited for: what is planned to come seconds
    // apart does not come together.
    SteadyTime due = begin_;
    for (milliseconds now{0}; now < options_.plan.length; now += step) {
      std::this_thread::sleep_until(due);
      due = std::max(due, std::chrono::steady_clock::now() - step) + step;
      publish(now);
      undo(now);
      for (; next != plan.end() && next->at <= now; ++next) {
        ++report.injected[static_cast<std::size_t>(next->kind)];
        inject(*next, now);
      }
      subject_.look_after();
    }
    end();
    report.requests = observer_.requests();
    report.invariants = verdicts();
    return report;
  }

 private:
  void publish(milliseconds now) {
    for (; next_news_ <= now;
         next_news_ +=
         milliseconds(1 + static_cast<int>(1000 * news_.exponential(news_per_second)))) {
      const auto which = static_cast<unsigned>(news_.below(healthy_hosts + patient_hosts));
      if (which < healthy_hosts) {
        web_.publish(Group::healthy, which);
      } else {
        web_.publish(Group::patient, which - healthy_hosts);
      }
    }
  }

  void inject(const Injection& injection, milliseconds now) {
    const Later undone{now + injection.lasts, injection.kind};
    switch (injection.kind) {
      case Kind::reload:
        return subject_.reload(injection.detail);
      case Kind::bad_reload:
        subject_.reload_nonsense();
        return later_.push_back(undone);
      case Kind::restart:
        subject_.stop();
        return later_.push_back(undone);
      case Kind::kill:
        subject_.kill();
        return later_.push_back(undone);
      case Kind::freeze:
        subject_.freeze();
        return later_.push_back(undone);
      case Kind::full_disk:
        subject_.fill_disk();
        return later_.push_back(undone);
      case Kind::delete_file:
        subject_.delete_database();
        return later_.push_back(undone);
      case Kind::clock_jump:
        return subject_.jump(std::chrono::seconds(injection.detail));
      default:
        web_.misbehave(injection);
    }
  }

  void undo(milliseconds now) {
    const auto due = [now](const Later& later) { return later.at <= now; };
    for (const Later& later : later_) {
      if (due(later)) undo(later.kind);
    }
    std::erase_if(later_, due);
  }
  void undo(Kind kind) {
    switch (kind) {
      case Kind::bad_reload:
        return subject_.write_configuration();
      case Kind::restart:
      case Kind::kill:
        return subject_.start();
      case Kind::freeze:
        return subject_.thaw();
      case Kind::full_disk:
        return subject_.make_room();
      case Kind::delete_file:
        return subject_.expect_database();
      default:
        return;
    }
  }

  // Everything is undone, the daemon comes to rest and stops.
  void end() {
    const auto is_deletion = [](const Later& later) { return later.kind == Kind::delete_file; };
    for (const Later& later : later_) {
      if (!is_deletion(later)) undo(later.kind);
    }
    subject_.start();
    // One that was deleted in the last moment has its time, too.
    const bool deleted = std::ranges::any_of(later_, is_deletion);
    for (int i = 0; i < (deleted ? 70 : 30); ++i) {
      std::this_thread::sleep_for(100ms);
      subject_.look_after();
    }
    if (deleted) undo(Kind::delete_file);
    later_.clear();
    subject_.stop();
  }

  std::vector<Invariant> verdicts() {
    const auto lateness = [this](SteadyTime from, SteadyTime to) {
      return web_.lateness(from, to);
    };
    const auto of = [](Group group) {
      const std::string first = address(group, 0);
      return first.substr(0, first.rfind('.') + 1);
    };
    std::vector<Invariant> all{
        observer_.window(budget + options_.window_slack, lateness),
        observer_.gaps("pause of every host", "127.5.", delay, lateness),
        observer_.gaps("pause of patient hosts", of(Group::patient), patient_delay, lateness),
        observer_.quiet(subject_.kills(), lateness),
        observer_.permission(subject_.kills()),
        observer_.obedience(subject_.kills(), subject_.running(), interval),
        observer_.truth(subject_.changes(), of(Group::victim)),
        subject_.reported_changes(),
        observer_.polls(of(Group::healthy), healthy_hosts, healthy_interval, subject_.running(),
                        options_.healthy_part),
        observer_.never_silent(address(Group::silenced, 0), "/page", subject_.running(), silence),
        subject_.memory,
        subject_.exits,
        subject_.database_is_sound()};
    const std::vector<Kind>& without = options_.plan.without;
    if (std::ranges::find(without, Kind::delete_file) == without.end())
      all.push_back(subject_.deletions);
    return all;
  }

  RunOptions options_;
  SteadyTime begin_ = std::chrono::steady_clock::now();
  Observer observer_{begin_};
  Web web_;
  Subject subject_;
  Rng news_;
  milliseconds next_news_{0};
  std::vector<Later> later_;
};

}  // namespace

bool Report::held() const {
  return std::ranges::all_of(
      invariants, [](const Invariant& one) { return one.violated == 0 && one.checked > 0; });
}

void Report::print() const {
  const unsigned all = std::accumulate(injected.begin(), injected.end(), 0u);
  std::printf("   plan %016llx, %u bad moments, %zu requests seen by the servers%s\n",
              static_cast<unsigned long long>(plan), all, requests,
              small_disk ? "" : "; no full disk, that needs root");
  std::printf("   %-34s %-11s %-10s %9s %9s\n", "invariant", "wanted", "seen", "checked",
              "violated");
  for (const Invariant& one : invariants) {
    std::printf("   %-34s %-11s %-10s %9llu %9llu%s\n", one.name.c_str(), one.wanted.c_str(),
                one.worst.c_str(), static_cast<unsigned long long>(one.checked),
                static_cast<unsigned long long>(one.violated),
                one.violated > 0   ? "  MISSED"
                : one.checked == 0 ? "  NEVER CHECKED"
                                   : "");
  }
  for (const Invariant& one : invariants) {
    if (one.violated > 0) std::printf("   first: %s: %s\n", one.name.c_str(), one.first.c_str());
  }
  std::printf("   injected:");
  for (std::size_t kind = 0; kind < injected.size(); ++kind) {
    const std::string_view text = name(static_cast<Kind>(kind));
    std::printf("%s %.*s %u", kind == 0 ? "" : ",", static_cast<int>(text.size()), text.data(),
                injected[kind]);
  }
  std::printf("\n");
}

Report run(RunOptions options) {
  return Run(options).run();
}

}  // namespace pollux::chaos
