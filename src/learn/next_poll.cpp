#include "pollux/learn/next_poll.hpp"

#include "pollux/learn/importance.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

void NextPoll::add(double share, std::optional<double> rate, double importance) {
  if (!(share > 0)) return;
  shares_ += share;
  const double weight = share * importance;
  if (!rate || !(*rate > 0)) {
    unknown_ += weight;
    return;
  }
  const double ratio = *rate / share;
  const double place = (std::log2(ratio) - smallest_exponent) * bins_per_octave;
  Bin& bin = bins_[static_cast<std::size_t>(
      std::clamp(place, 0.0, static_cast<double>(bins_.size() - 1)))];
  bin.weight += weight;
  bin.ratio += weight * ratio;
  bin.share += share;
}

void NextPoll::blend(const NextPoll& newer, double part) {
  const auto mix = [part](double& old, double now) { old += part * (now - old); };
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    mix(bins_[i].weight, newer.bins_[i].weight);
    mix(bins_[i].ratio, newer.bins_[i].ratio);
    mix(bins_[i].share, newer.bins_[i].share);
  }
  mix(unknown_, newer.unknown_);
  mix(shares_, newer.shares_);
}

double NextPoll::worth(double polls_per_second, double truth) const {
  if (!(polls_per_second > 0) || !(shares_ > 0)) return 0;
  double sum = unknown_ * marginal_value(1);
  for (const Bin& bin : bins_) {
    if (bin.weight > 0)
      sum += bin.weight * marginal_value(truth * bin.ratio / bin.weight / polls_per_second);
  }
  return sum / shares_;
}

double NextPoll::finds(double polls_per_second) const {
  if (!(polls_per_second > 0) || !(shares_ > 0)) return 0;
  double sum = 0;
  for (const Bin& bin : bins_) {
    if (bin.weight > 0) sum += bin.share * -std::expm1(-bin.ratio / bin.weight / polls_per_second);
  }
  return sum / shares_;
}

void PollValue::walked(const NextPoll& seen, double sweeps, const Polled& polled,
                       double polls_per_second) {
  mean_.blend(seen, std::max(1 / ++walks_, -std::expm1(-std::max(sweeps, 0.0))));
  const double kept = std::exp(-std::max(sweeps, 0.0) / remembered);
  foretold_ = kept * foretold_ + static_cast<double>(polled.polls) * mean_.finds(polls_per_second);
  found_ = kept * found_ + static_cast<double>(polled.changes);
}

}  // namespace pollux::learn
