// How often does a page change? All that polls show is whether it changed at least once since the
// one before; the intervals differ. Closed form from three sums (hits, time in intervals that ended
// in a hit, time in those that did not): exact when all hit intervals are equally long.
#pragma once

namespace pollux::learn {

struct RateSums {
  float hits = 0;
  float hit_time = 0;   // seconds
  float miss_time = 0;  // seconds

  // Forgets a part of the past, then adds one poll.
  void observe(bool changed, double elapsed, float keep);
};

// The part of a wait that ended in a hit which says something about the rate. After several times
// the mean time between changes a hit was certain, however much longer the wait was; the sums have
// one mean length for all such waits, and a night without a daemon would make a page that changes
// every minute look like one that changes every hour. Waits of the usual length always count whole.
double telling_wait(const RateSums& sums, double rate, double elapsed);

// What is assumed before anything is seen: `hits` pseudo-hits, in quiet time whose length depends
// on the rate itself: time/(1 + time·rate)·strength. For pages slower than 1/time that is a fixed
// quiet time; for faster ones it is a fixed part of their own scale. A prior with such a heavy tail
// pulls a page that never showed a change towards the list, and leaves a page that changes a
// thousand times a sweep alone. Kept out of the sums, so that a new budget changes the prior and
// not what was learnt.
// With a `mean` it is that of a list whose pages are known: a gamma distribution of rates with this
// mean, `hits` being its shape.
struct RatePrior {
  double hits = 0.5;
  double time = 1;  // seconds
  double strength = 1;
  double mean = 0;  // changes per second
};

// Changes per second, > 0.
double estimated_rate(const RateSums& sums, const RatePrior& prior);

}  // namespace pollux::learn
