#include "agent/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pollux::agent {
namespace {

constexpr Duration measure_every = std::chrono::milliseconds(500);
constexpr double newest_demand = 0.3;  // its weight in a smoothed demand
// Of the budget: so that whoever begins to be asked need not wait until that has been noticed.
constexpr double least_part = 0.02;
// An epoch is the time of a start, in milliseconds: further than this no clock was ever set back.
constexpr std::uint64_t furthest_epoch = std::uint64_t{100} * 366 * 24 * 3600 * 1000;
constexpr Duration guard = std::chrono::milliseconds(100);

}  // namespace

Shares::Shares(std::function<leases::Ceiling()> budget, std::uint64_t epoch, Instant now)
    : budget_(std::move(budget)), begun_(now), own_(now), measured_(now) {
  granter_.emplace(options(), epoch, now);
}

bool Shares::unlimited() const {
  return !budget_ || std::isinf(budget_().rate);
}

leases::GranterOptions Shares::options() const {
  leases::GranterOptions options;
  if (!unlimited()) options.ceiling = budget_();
  options.lasts = lasts;
  options.guard = guard;
  return options;
}

double Shares::weight_of(const std::string& holder) const {
  const auto known = demands_.find(holder);
  const double wanted = known == demands_.end() ? 0 : known->second.per_second;
  return std::max(wanted, least_part * (unlimited() ? 1 : budget_().rate));
}

void Shares::tick(Instant now) {
  if (now - measured_ >= measure_every) measure(now);
  if (unlimited()) return;
  granter_->set_ceiling(budget_());
  renew_here(now);
}

void Shares::measure(Instant now) {
  const double seconds = to_seconds(now - std::exchange(measured_, now));
  for (auto& [holder, demand] : demands_)
    demand.per_second +=
        newest_demand * (std::exchange(demand.since_last, 0u) / seconds - demand.per_second);
}

void Shares::renew_here(Instant now) {
  for (int tries = 0; tries < 3;
       ++tries) {  // it gets to know the granter, and gives up what it must
    const leases::Ask ask = own_.ask({.weight = weight_of(here)}, now);
    const std::optional<leases::Grant> grant = granter_->answer(here, ask, now);
    if (!grant || own_.take(*grant, now) != leases::Holder::Took::ask_again) return;
  }
}

// Each begins anew, and divides nothing for a while. Who has been answered by us knows no other
// epoch than ours: once from each is enough, and all that a liar gets.
bool Shares::is_believed(const std::string& holder, std::uint64_t knows) {
  const std::uint64_t ours = granter_->epoch();
  if (knows <= ours) return true;
  return knows - ours <= furthest_epoch && teachers_.insert(holder).second;
}

void Shares::answer(const std::string& holder, std::uint64_t instance, const leases::Ask& ask,
                    Instant now, Answer& answer) {
  answer.unlimited = unlimited();
  if (answer.unlimited || !is_believed(holder, ask.knows)) return;
  leases::Ask weighed = ask;
  weighed.weight = weight_of(holder);
  answer.grant = granter_->answer(holder + "." + instance_text(instance), weighed, now);
  // The clock was set back: agents have heard of a later epoch than ours.
  if (const auto later = granter_->superseded()) {
    granter_.emplace(options(), *later + 1, now);
    unknown_until_ = now + lasts + guard;
  }
}

Instant Shares::next_here(Instant now) const {
  return unlimited() ? now : own_.next_allowed(now);
}

void Shares::take_here(Instant now, std::uint32_t price) {
  if (!unlimited()) own_.take_one(now, static_cast<int>(price));
}

bool Shares::divides(Instant now) const {
  return unlimited() || now - begun_ > lasts + guard;
}

leases::InUse Shares::in_use(Instant now) const {
  if (unlimited()) return {};
  if (now < unknown_until_) return {std::numeric_limits<double>::infinity(), unknown_until_ - now};
  return granter_->in_use(now);
}

}  // namespace pollux::agent
