#include "learn/timed_policy.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

namespace {

// The price moves by at most this factor (as a logarithm) while every page is polled once.
constexpr double price_step = 1;
constexpr double largest_surprise = 1;
constexpr double surest = 30;  // −ln of the smallest chance told apart from nothing

// The age objective's counterpart of marginal_value: y²/2 − g(y), without bound.
double marginal_time(double y) {
  return y < 1e-3 ? y * y * y / 3 : y * y / 2 - marginal_value(y);
}

// marginal_time is y³/3 at first and y²/2 − 1 in the end; Newton from above, where it is convex.
double inverse_marginal_time(double v) {
  double y = std::min(std::cbrt(3 * v) * 1.5, std::sqrt(2 * (v + 1)));
  for (int i = 0; i < 20; ++i) {
    const double slope = -y * std::expm1(-y);
    const double step = (marginal_time(y) - v) / slope;
    y -= step;
    if (std::abs(step) < 1e-9 * y) break;
  }
  return y;
}

double hazard_of(double probability) {
  return std::min(-std::log1p(-probability), surest);
}

}  // namespace

TimedPolicy::TimedPolicy(TimedRule rule, const Options& options)
    : MomentPolicy(options), rule_(rule) {
  set_sweep(1);
}

std::string_view TimedPolicy::name() const {
  switch (rule_) {
    case TimedRule::greedy_outdated:
      return "greedy-outdated";
    case TimedRule::greedy_age:
      return "greedy-age";
    case TimedRule::freshness:
    case TimedRule::age:
      break;
  }
  return "htraa";
}

// The first price makes a new page of importance 1 due after a sweep; a new sweep keeps the price
// in its proportion.
void TimedPolicy::set_sweep(double seconds) {
  constexpr double y = RatedAges::first_rate;
  const auto first = [&](double sweep) {
    switch (rule_) {
      case TimedRule::greedy_outdated:
        return y;
      case TimedRule::greedy_age:
        return sweep * (1 + std::expm1(-y) / y);
      case TimedRule::freshness:
        return sweep * marginal_value(y) / y;
      case TimedRule::age:
        break;
    }
    return sweep * sweep * marginal_time(y) / (y * y);
  };
  price_ = price_ > 0 ? price_ * first(seconds) / first(sweep_) : first(seconds);
  sweep_ = seconds;
  known_.set_sweep(seconds);
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    if (pages_[slot].importance > 0 && !planned_[slot]) plan(PageSlot{slot});
  }
}

void TimedPolicy::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  put(page, importance, memory);
  planned_.resize(pages_.size());
  importance_sum_ += static_cast<double>(pages_[index(page)].importance);
  planned_[index(page)] = memory && memory->streak > 0;
  if (planned_[index(page)]) {
    set_interval(page, memory->streak);
  } else {
    plan(page);
  }
}

void TimedPolicy::remove(PageSlot page) {
  importance_sum_ -= static_cast<double>(pages_[index(page)].importance);
  take_out(page);
}

void TimedPolicy::set_importance(PageSlot page, double importance) {
  Page& changed = pages_[index(page)];
  importance_sum_ -= static_cast<double>(changed.importance);
  changed.importance = static_cast<float>(importance);
  importance_sum_ += static_cast<double>(changed.importance);
  known_.set_importance(page, importance);
  plan(page);
}

double TimedPolicy::relative(double importance) const {
  return importance * static_cast<double>(count_) / importance_sum_;
}

double TimedPolicy::worth(const AgeForecast& forecast, double waited, double rate,
                          double importance) const {
  switch (rule_) {
    case TimedRule::greedy_outdated:
      return hazard_of(std::min(relative(importance) * forecast.outdated(waited), 1.0));
    case TimedRule::greedy_age:
      return importance * forecast.time_outdated(waited);
    case TimedRule::freshness:
      return importance * marginal_value(hazard_of(forecast.outdated(waited))) / rate;
    case TimedRule::age:
      break;
  }
  return importance * marginal_time(hazard_of(forecast.outdated(waited))) / (rate * rate);
}

double TimedPolicy::due_after(const AgeForecast& forecast, double rate, double importance) const {
  const double longest = longest_wait();
  switch (rule_) {
    case TimedRule::greedy_outdated: {
      const double wanted = -std::expm1(-price_) / relative(importance);
      return wanted < 1 ? forecast.wait_for(wanted, longest) : longest;
    }
    case TimedRule::greedy_age:
      return forecast.wait_for_time(price_ / importance, longest);
    case TimedRule::freshness: {
      const double wanted = price_ * rate / importance;
      if (wanted >= 1) return longest;
      return forecast.wait_for(-std::expm1(-inverse_marginal_value(wanted)), longest);
    }
    case TimedRule::age:
      break;
  }
  const double y = inverse_marginal_time(price_ * rate * rate / importance);
  return y < surest ? forecast.wait_for(-std::expm1(-y), longest) : std::min(y / rate, longest);
}

void TimedPolicy::feed(PageSlot slot, const Observation& seen) {
  const Page& page = pages_[index(slot)];
  const auto importance = static_cast<double>(page.importance);
  const double rate = known_.rate(slot);
  // A page that was not worth the price teaches nothing, unless it came back soon all the same:
  // then nobody is, and the price is too high.
  const bool was_worth_it = static_cast<double>(page.interval) < 0.999 * longest_wait();
  if (was_worth_it || seen.elapsed < longest_wait() / 2) {
    const double got = worth(known_.forecast(slot), seen.elapsed, rate, importance);
    const double surprise = std::log(std::max(got, 1e-300) / price_);
    price_ *= std::exp(price_step / static_cast<double>(count_) *
                       std::clamp(surprise, -largest_surprise, largest_surprise));
    if (rule_ == TimedRule::greedy_outdated) price_ = std::min(price_, surest);
  }
  known_.feed(slot, seen);
  planned_[index(slot)] = true;
  plan(slot);
}

void TimedPolicy::plan(PageSlot slot) {
  const Page& page = pages_[index(slot)];
  const double due =
      due_after(known_.forecast(slot), known_.rate(slot), static_cast<double>(page.importance));
  set_interval(slot, due);
}

std::size_t TimedPolicy::memory_bytes() const {
  return MomentPolicy::memory_bytes() + sizeof(*this) - sizeof(MomentPolicy) +
         planned_.capacity() / 8;
}

}  // namespace pollux::learn
