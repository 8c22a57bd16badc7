// Are the pages of a list alike? Rates estimated from a few polls differ by chance alone, and
// shares in proportion to them find less than polling every page as often as every other. So all
// polls together decide how far a page's own evidence counts: three descriptions of the list, by a
// gamma distribution of rates around the list's mean (shape 1/2: pages differ by orders of
// magnitude; 5: nearly alike; 50: alike), predict every ordinary poll, and the one that predicts
// best is believed. While pages differ, estimates keep the prior that knows nothing of the list.
//
// A list is taken for different at first: lively pages are polled again at once, which soon shows
// whether they are. Alike must be the better description by a margin in proportion to the list
// (what is lost meanwhile is, too) and to the changes seen. Not kept through a restart: pages'
// estimates are, and with them the first polls of a sweep decide.
// Threading: one owner.
#pragma once

#include "learn/rate_estimator.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pollux::learn {

class Likeness {
 public:
  // An ordinary poll, before the page's sums hear of it. True when another description is believed
  // now, so that all pages' rates are others.
  bool note(const RateSums& page, bool changed, double elapsed, double sweep, std::size_t pages);

  bool alike() const { return believed_ != different; }
  // Of an alike list; `sweep` is the time scale of the other one.
  RatePrior prior(double sweep) const;

 private:
  enum Description : std::uint8_t { different, nearly, exactly };
  static constexpr std::size_t descriptions = 3;

  bool is_sample();
  void weigh(const RateSums& page, bool changed, double elapsed, double keep);
  Description best(double needed);  // by so many nats it must be better
  void count(bool changed, double elapsed, double sweep, double keep);

  std::array<double, descriptions> evidence_{};     // log likelihood, the older the less
  double hits_ = 0, hit_time_ = 0, miss_time_ = 0;  // of all pages
  double rate_ = 0;                                 // by these sums; 0: nothing was seen yet
  std::uint32_t polls_ = 0;
  Description believed_ = different;
};

}  // namespace pollux::learn
