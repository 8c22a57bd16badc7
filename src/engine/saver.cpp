#include "engine/saver.hpp"

#include "engine/node_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pollux::engine {
namespace {

constexpr Duration save_every = std::chrono::seconds(5);
constexpr Duration look_at_clock_every = std::chrono::milliseconds(500);
constexpr Duration clock_jump = std::chrono::seconds(1);
constexpr Duration rate_memory = std::chrono::minutes(5);
constexpr std::size_t nodes_per_save = 100'000;
constexpr std::size_t placements_per_save = 10'000;  // hosts

}  // namespace

void Saver::begin() {
  since_.counted_until = clock_.now();
  stall_probe_.start();
  save();
  plan_next();
  wait();
}

void Saver::finish() {
  timer_->cancel();
  stall_probe_.stop();
  save();
}

void Saver::plan_next() {
  // Not over the end of a minute: what is counted belongs to one.
  const WallTime wall = clock_.wall();
  const Duration rest =
      std::chrono::floor<std::chrono::minutes>(wall) + std::chrono::minutes(1) - wall;
  next_ = clock_.now() + std::min(save_every, rest);
}

// What is stored is read by the wall clock at the next start: whatever waits is saved anew soon
// after that was set, because nobody knows what comes next.
void Saver::wait() {
  timer_->arm(std::min(next_, clock_.now() + look_at_clock_every), [this] {
    const Moment at{clock_.now(), clock_.wall()};
    if (at.now >= next_ || has_jumped(at)) {
      save();
      plan_next();
    }
    wait();
  });
}

void Saver::save() {
  const Moment at{clock_.now(), clock_.wall()};
  store::Batch batch;
  for (const learn::NodeMemory& node : lists_.policy->take_changed_nodes(nodes_per_save))
    batch.nodes.push_back(row_of(node));
  if (has_jumped(at)) lists_.hosts.mark_waits(at.now);
  since_.clocks = at;
  batch.hosts = lists_.hosts.take_changed(at);
  batch.placements = lists_.access_points->take_changed(placements_per_save);
  store::MinuteRow counts = poll_loop_.take_counts();
  const Duration counted = at.now - std::exchange(since_.counted_until, at.now);
  // The minute in which most of it lay; the last moment of one is the first of the next.
  counts.minute = std::chrono::floor<std::chrono::minutes>(
      at.wall - std::chrono::duration_cast<std::chrono::milliseconds>(counted) / 2);
  counts.budget = lists_.config.schedule.budget;
  counts.seconds = to_seconds(counted);
  note_rate(static_cast<double>(counts.polls), counts.seconds);
  batch.minutes.push_back(counts);
  Metrics now = metrics();
  // A heart that beats only while polls go on: `pollux status --check` listens to it.
  const std::uint64_t turns = poll_loop_.turns();
  if (std::exchange(since_.turns, turns) != turns) now.heartbeat = at.wall;
  batch.meta = meta_rows(now);
  batch.meta.emplace_back("clocks", saved_clocks(at, boot_));
  sink_.submit(std::move(batch));
}

bool Saver::has_jumped(const Moment& at) const {
  if (!since_.clocks) return false;
  const Duration off = at.wall - since_.clocks->to_wall(at.now);
  return off > clock_jump || off < -clock_jump;
}

void Saver::note_rate(double polls, double seconds) {
  if (seconds < 1) return;
  const double part = 1 - std::exp(-seconds / to_seconds(rate_memory));
  double& rate = since_.poll_rate ? *since_.poll_rate : since_.poll_rate.emplace(polls / seconds);
  rate += part * (polls / seconds - rate);
}

Metrics Saver::metrics() {
  const config::Config& config = lists_.config;
  concurrency::Controller& controller = poll_loop_.controller();
  const concurrency::Controller::Counts counts = controller.take_counts(clock_.now());
  since_.starved_seconds += counts.starved_seconds;
  since_.overflows += counts.overflows;
  Metrics m;
  m.budget = config.schedule.budget;
  m.file_budget = lists_.file_budget;
  m.policy = lists_.policy->name();
  m.objective = name_of(config.learner.objective);
  m.cost_by_time = config.learner.cost.by_time;
  m.cost_bias_removal = config.learner.cost.bias_removal;
  m.explore = config.schedule.explore;
  m.follow = config.schedule.follow;
  m.virtual_rate = lists_.scheduler->virtual_rate();
  m.poll_rate = since_.poll_rate.value_or(0);
  m.max_interval_stretch = lists_.scheduler->max_interval_stretch();
  m.stall_p999 = stall_probe_.stalls().quantile(0.999);
  m.longest_stall = stall_probe_.stalls().longest();
  m.fetches_out = controller.out();
  m.fetches_allowed = controller.allowed();
  m.detect_waiting = controller.waiting();
  m.fetch_rate = controller.fetch_rate();
  m.detect_rate = controller.detect_rate();
  m.detect_starved_seconds = since_.starved_seconds;
  m.detect_overflows = since_.overflows;
  if (agents_) m.agents = agents_();
  return m;
}

}  // namespace pollux::engine
