#include "pollux/lab/brains.hpp"

#include "brains/division.hpp"
#include "pollux/lab/watch.hpp"
#include "pollux/learn/next_poll.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace pollux::lab {
namespace {

// As engine/shared_budget.cpp has it: smaller ones are not told to the policy.
constexpr double small_step = 0.05;

Trace trace_of(const BrainList& list, const std::vector<std::uint32_t>& pages) {
  Trace trace;
  trace.end = list.trace.end;
  for (const std::uint32_t page : pages) trace.changes.push_back(list.trace.changes[page]);
  return trace;
}

class Brain {
 public:
  Brain(const BrainList& list, const std::vector<std::uint32_t>& pages, double days, double rate,
        std::uint64_t seed, std::string name)
      : name_(std::move(name)),
        world_(trace_of(list, pages), days),
        watch_(world_, {.seed = seed, .seconds_per_poll = 1 / rate}),
        rate_(rate),
        told_(rate),
        due_(1 / rate) {}

  const std::string& name() const { return name_; }
  std::size_t pages() const { return world_.pages(); }
  std::size_t found() const { return found_; }
  double next_poll_at() const { return due_; }

  void poll() {
    const bool changed = watch_.step_at(due_).changed;
    found_ += changed ? 1 : 0;
    ++polled_.polls;
    polled_.changes += changed ? 1 : 0;
    due_ += 1 / rate_;
  }
  void walk(double seconds) {
    learn::NextPoll seen;
    for (std::uint32_t i = 0; i < world_.pages(); ++i) {
      const PageSlot page{i};
      seen.add(watch_.policy().share(page), watch_.policy().change_rate(page), 1);
    }
    value_.walked(seen, seconds * rate_ / static_cast<double>(pages()), std::exchange(polled_, {}),
                  rate_);
  }
  double worth() const { return value_.worth(rate_); }
  void obey(double rate, double now) {
    due_ = now + (due_ - now) * rate_ / rate;  // the rest of the wait passes at the new rate
    rate_ = rate;
    if (std::abs(rate - told_) <= small_step * told_) return;
    told_ = rate;
    watch_.set_rate(rate);
  }

 private:
  std::string name_;
  TraceWorld world_;
  Watch watch_;
  learn::PollValue value_;
  learn::Polled polled_;  // since the last walk
  double rate_, told_;
  double due_;
  std::size_t found_ = 0;
};

// Parts over time, and what is to be said of them.
class Parts {
 public:
  void note(double sweeps, std::vector<double> parts) {
    times_.push_back(sweeps);
    parts_.push_back(std::move(parts));
  }
  void tell(BrainsResult& result) const {
    const std::size_t brains = parts_.back().size(), from = parts_.size() / 2;
    result.parts = parts_.back();
    result.mean_parts.assign(brains, 0);
    result.restless.assign(brains, 0);
    const auto count = static_cast<double>(parts_.size() - from);
    for (std::size_t i = from; i < parts_.size(); ++i) {
      for (std::size_t b = 0; b < brains; ++b) result.mean_parts[b] += parts_[i][b] / count;
    }
    for (std::size_t i = from; i < parts_.size(); ++i) {
      for (std::size_t b = 0; b < brains; ++b)
        result.restless[b] += std::pow(parts_[i][b] - result.mean_parts[b], 2) / count;
    }
    for (double& one : result.restless) one = std::sqrt(one);
    const double even = 1 / static_cast<double>(brains);
    const auto near = [&](const std::vector<double>& parts) {
      for (std::size_t b = 0; b < brains; ++b) {
        if (std::abs(parts[b] - result.mean_parts[b]) > 0.1 * std::max(result.mean_parts[b], even))
          return false;
      }
      return true;
    };
    const auto first = std::find_if(parts_.begin(), parts_.end(), near);
    result.settled_after = first == parts_.end()
                               ? times_.back()
                               : times_[static_cast<std::size_t>(first - parts_.begin())];
    for (const auto& parts : parts_) {
      double sum = 0;
      for (const double part : parts) sum += part;
      result.largest_sum = std::max(result.largest_sum, sum);
    }
  }

 private:
  std::vector<double> times_;
  std::vector<std::vector<double>> parts_;
};

std::vector<double> first_parts(const std::vector<std::vector<std::uint32_t>>& pages,
                                std::size_t all, Divided divided) {
  std::vector<double> parts;
  for (const auto& of_brain : pages)
    parts.push_back(divided == Divided::evenly
                        ? 1 / static_cast<double>(pages.size())
                        : static_cast<double>(of_brain.size()) / static_cast<double>(all));
  return parts;
}

}  // namespace

BrainsResult run_brains(const BrainList& list, const std::vector<std::vector<std::uint32_t>>& pages,
                        double days, const BrainsRun& run) {
  const std::size_t all = list.domain.size();
  const double seconds = days * 86400, budget = static_cast<double>(all) * run.rate / 86400;
  const double sweep = static_cast<double>(all) / budget;
  auto parts = first_parts(pages, all, run.divided);
  std::vector<std::unique_ptr<Brain>> brains;
  pollux::brains::Division division;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    brains.push_back(std::make_unique<Brain>(list, pages[i], days, budget * parts[i],
                                             run.seed + 1000 * i, "b" + std::to_string(i)));
  }

  BrainsResult result;
  result.allowed = static_cast<std::uint64_t>(std::floor(budget * seconds));
  Parts over_time;
  over_time.note(0, parts);
  const double between_steps = sweep / run.steps_per_sweep;
  const double between_walks = sweep / run.walks_per_sweep;
  const bool learns = run.divided == Divided::learnt && brains.size() > 1;
  double next_step = learns ? between_steps : seconds, next_walk = between_walks;
  const auto divide = [&](double now) {
    if (now >= next_walk) {
      for (const auto& brain : brains) brain->walk(between_walks);
      next_walk += between_walks;
    }
    for (const auto& brain : brains) division.set(brain->name(), brain->worth(), brain->pages());
    division.step();
    for (std::size_t i = 0; i < brains.size(); ++i) {
      parts[i] = division.part(brains[i]->name());
      brains[i]->obey(budget * parts[i], now);
    }
    over_time.note(now / sweep, parts);
  };
  while (true) {
    Brain& first = **std::min_element(
        brains.begin(), brains.end(),
        [](const auto& a, const auto& b) { return a->next_poll_at() < b->next_poll_at(); });
    if (std::min(first.next_poll_at(), next_step) >= seconds) break;
    if (next_step <= first.next_poll_at()) {
      divide(next_step);
      next_step += between_steps;
      continue;
    }
    first.poll();
    ++result.polls;
  }
  for (const auto& brain : brains) result.found += brain->found();
  over_time.tell(result);
  return result;
}

}  // namespace pollux::lab
