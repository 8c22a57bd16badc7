#include "pollux/lab/zipf_experiment.hpp"

#include "pollux/lab/delays.hpp"
#include "pollux/lab/watch.hpp"

#include <algorithm>

namespace pollux::lab {

ZipfResult run_zipf(const ZipfRun& run) {
  ZipfWorld world(run.world);
  WatchOptions options{.policy = run.policy, .seed = run.world.seed};
  if (run.explore >= 0) options.explore = run.explore;
  options.papers = run.papers;
  options.parts = run.parts;
  Watch watch(world, options);

  ZipfResult result;
  result.policy = run.policy;
  result.pages = run.world.pages;
  result.polls = run.polls;
  result.optimal = world.optimum();
  const std::uint64_t tail_from = run.polls - run.polls / 10;
  const std::size_t points = std::max<std::size_t>(std::min<std::size_t>(run.points, run.polls), 1);
  Delays delays;
  double found = 0, tail = 0, stretch = 0;
  std::uint64_t stretch_from = 0;
  for (std::uint64_t t = 1; t <= run.polls; ++t) {
    const Watch::Poll poll = watch.step();
    const double value = poll.changed ? world.importance(poll.page) : 0;
    if (poll.changed) delays.add(world.delay());
    found += value;
    stretch += value;
    if (t > tail_from) tail += value;
    if (t == run.polls * (result.curve.size() + 1) / points) {
      const auto length = static_cast<double>(t - stretch_from);
      result.curve.push_back({t, stretch / (result.optimal * length)});
      stretch = 0;
      stretch_from = t;
    }
  }
  result.median_delay_s = delays.median();
  result.mean_delay_s = delays.mean();
  result.total_ratio = found / (result.optimal * static_cast<double>(run.polls));
  result.tail_ratio = tail / (result.optimal * static_cast<double>(run.polls - tail_from));
  return result;
}

ZipfResult mean(const std::vector<ZipfResult>& results) {
  ZipfResult sum = results.front();
  const auto count = static_cast<double>(results.size());
  for (std::size_t i = 1; i < results.size(); ++i) {
    sum.optimal += results[i].optimal;
    sum.total_ratio += results[i].total_ratio;
    sum.tail_ratio += results[i].tail_ratio;
    sum.median_delay_s += results[i].median_delay_s;
    sum.mean_delay_s += results[i].mean_delay_s;
    for (std::size_t k = 0; k < sum.curve.size(); ++k) {
      sum.curve[k].ratio += results[i].curve[k].ratio;
    }
  }
  sum.optimal /= count;
  sum.total_ratio /= count;
  sum.tail_ratio /= count;
  sum.median_delay_s /= count;
  sum.mean_delay_s /= count;
  for (CurvePoint& point : sum.curve) point.ratio /= count;
  return sum;
}

}  // namespace pollux::lab
