#include "pollux/lab/watch.hpp"

#include "pollux/learn/oracle.hpp"

#include <stdexcept>

namespace pollux::lab {

Watch::Watch(World& world, const WatchOptions& options)
    : world_(world), options_(options), last_(world.pages(), 0) {
  policy_ = learn::make_policy({.policy = options.policy,
                                .seed = options.seed,
                                .objective = options.objective,
                                .age_model = options.age_model,
                                .papers = options.papers,
                                .parts = options.parts});
  if (!policy_) throw std::invalid_argument("no policy is called '" + options.policy + "'");
  const auto count = static_cast<std::uint32_t>(world.pages());
  for (std::uint32_t i = 0; i < count; ++i) {
    importance_.push_back(world.importance(i));
    policy_->add(PageSlot{i}, importance_[i], std::nullopt);
  }
  policy_->set_sweep(options.seconds_per_poll * static_cast<double>(count));
  tell_truth();

  scheduler_ = std::make_unique<schedule::Scheduler>(
      schedule::Options{.budget = 1 / options.seconds_per_poll,
                        .explore = options.explore,
                        .follow = options.follow,
                        .seed = options.seed ^ 0x5eed},
      *policy_);
  const HostSlot host{0};
  scheduler_->add_host(host, {.delay = Duration::zero(), .connections = 1});
  const double moment = options.seconds_per_poll * static_cast<double>(options.polls_at_once);
  const schedule::Limits limits{
      .min_interval = options.polls_at_once > 1 ? from_seconds(moment) : Duration::zero(),
      .max_interval = Duration::max()};
  for (std::uint32_t i = 0; i < count; ++i) {
    scheduler_->add(PageSlot{i}, host, limits, clock_.now());
  }
}

void Watch::tell_importance() {
  for (std::uint32_t i = 0; i < last_.size(); ++i) {
    const double importance = world_.importance(i);
    if (importance == importance_[i]) continue;
    importance_[i] = importance;
    policy_->set_importance(PageSlot{i}, importance);
  }
}

void Watch::tell_truth() {
  auto* oracle = dynamic_cast<learn::Oracle*>(policy_.get());
  if (oracle == nullptr) return;
  for (std::uint32_t i = 0; i < last_.size(); ++i) {
    oracle->set_true_rate(PageSlot{i}, world_.rate(i));
  }
}

void Watch::set_rate(double polls_per_second) {
  scheduler_->set_budget(polls_per_second);
  policy_->set_sweep(static_cast<double>(last_.size()) / polls_per_second);
}

Watch::Poll Watch::step() {
  ++polls_;
  const std::uint64_t moments = (polls_ + options_.polls_at_once - 1) / options_.polls_at_once;
  return step_at(static_cast<double>(moments * options_.polls_at_once) * options_.seconds_per_poll);
}

Watch::Poll Watch::step_at(double now) {
  Poll poll;
  poll.now = now;
  clock_.set(Instant(from_seconds(poll.now)));
  if (world_.advance(poll.now)) {
    tell_importance();
    tell_truth();
  }

  const auto choice = scheduler_->next(clock_.now());
  if (!choice) throw std::logic_error("the scheduler has no page although none is held back");
  poll.page = index(choice->page);
  poll.look = choice->reason == schedule::Reason::look;
  poll.elapsed = poll.now - last_[poll.page];
  poll.changed = world_.poll(poll.page, poll.now);
  last_[poll.page] = poll.now;
  policy_->feed(choice->page, {.changed = poll.changed,
                               .elapsed = poll.elapsed,
                               .now = poll.now,
                               .modified_ago = world_.modified_ago(poll.page, poll.now),
                               .look = choice->look});
  scheduler_->finish(choice->page, clock_.now());
  scheduler_->release_host(HostSlot{0}, clock_.now());
  return poll;
}

}  // namespace pollux::lab
