#include "learn/likeness.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {
namespace {

constexpr double shape_of[] = {0.5, 5, 50};  // different, nearly alike, alike
constexpr double sweeps_remembered = 100;
// By so many nats, and so many per page and per change that is remembered, a description must be
// better to be believed; to be given up it must be worse by `to_give_up`.
constexpr double to_believe = 1, to_believe_per_page = 0.001, to_believe_per_change = 0.005;
constexpr double to_give_up = 2;
// No more than so many times what is needed is saved up: habits may change.
constexpr double most_saved = 20;
// Every poll counts at first, then one in eight: there are enough of them.
constexpr std::uint32_t counted_whole = 8192;
constexpr double assumed_hits = 0.5, assumed_sweeps = 0.5;

}  // namespace

RatePrior Likeness::prior(double sweep) const {
  if (believed_ == different || rate_ <= 0) return {.time = sweep};
  return {.hits = shape_of[believed_], .time = sweep, .mean = rate_};
}

// Scattered, so that a list polled in turn is not sampled at the same pages again and again.
bool Likeness::is_sample() {
  ++polls_;
  return polls_ <= counted_whole || (polls_ * 2654435761U) >> 29 == 0;
}

bool Likeness::note(const RateSums& page, bool changed, double elapsed, double sweep,
                    std::size_t pages) {
  if (!is_sample()) return false;
  const double keep = 1 - 1 / (sweeps_remembered * static_cast<double>(pages) + 1);
  bool another = false;
  if (rate_ > 0) {
    weigh(page, changed, elapsed, keep);
    const double needed = to_believe + to_believe_per_page * static_cast<double>(pages);
    const Description now = best(needed);
    another = now != believed_;
    believed_ = now;
  }
  count(changed, elapsed, sweep, keep);
  return another;
}

void Likeness::weigh(const RateSums& page, bool changed, double elapsed, double keep) {
  for (std::size_t i = 0; i < descriptions; ++i) {
    const double rate = estimated_rate(page, {.hits = shape_of[i], .mean = rate_});
    // Rates that fit what is known of the page are spread, too: a gamma distribution again.
    const double shape = shape_of[i] + static_cast<double>(page.hits);
    const double miss = -shape * std::log1p(rate * elapsed / shape);
    const double likelihood = changed ? std::log(std::max(-std::expm1(miss), 1e-6)) : miss;
    evidence_[i] = keep * evidence_[i] + likelihood;
  }
}

Likeness::Description Likeness::best(double needed) {
  Description alike = believed_ == different ? exactly : believed_;
  const Description other = alike == exactly ? nearly : exactly;
  if (evidence_[other] > evidence_[alike] + needed) alike = other;
  const double margin = to_believe_per_change * hits_;
  const double least = evidence_[alike] - margin - most_saved * needed;
  evidence_[different] = std::max(evidence_[different], least);
  const double lead = evidence_[alike] - evidence_[different] - margin;
  if (lead > needed) return alike;
  return believed_ != different && lead > -to_give_up ? alike : different;
}

void Likeness::count(bool changed, double elapsed, double sweep, double keep) {
  hits_ = keep * hits_ + (changed ? 1 : 0);
  hit_time_ = keep * hit_time_ + (changed ? elapsed : 0);
  miss_time_ = keep * miss_time_ + (changed ? 0 : elapsed);
  const double hits = hits_ + assumed_hits;
  const double quiet = miss_time_ + assumed_sweeps * sweep;
  rate_ = hit_time_ > 0 ? std::log1p(hits * hit_time_ / hits_ / quiet) * hits_ / hit_time_
                        : hits / quiet;
}

}  // namespace pollux::learn
