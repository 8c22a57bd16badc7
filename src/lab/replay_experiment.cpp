#include "pollux/lab/replay_experiment.hpp"

#include "pollux/lab/delays.hpp"
#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pollux::lab {

namespace {

double gini(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end());
  double weighted = 0, total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    weighted += static_cast<double>(counts[i]) * static_cast<double>(2 * (i + 1));
    total += static_cast<double>(counts[i]);
  }
  const auto n = static_cast<double>(counts.size());
  return total > 0 ? weighted / (n * total) - (n + 1) / n : 0;
}

}  // namespace

Result<ReplayResult> run_replay(const Trace& trace, const ReplayRun& run) {
  TraceWorld world(trace, run.days);
  ReplayResult result;
  result.policy = run.policy;
  result.pages = world.pages();
  result.changes = world.total_changes();
  result.polls = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(world.pages()) * run.rate * run.days));
  if (world.pages() == 0 || result.polls == 0) {
    return Error{
        "no page of the trace exists at the start of the window, or no poll falls into it;"
        " choose fewer --days or a higher --rate",
        ExitCode::bad_data};
  }
  WatchOptions options{.policy = run.policy,
                       .seed = run.seed,
                       .seconds_per_poll = world.seconds() / static_cast<double>(result.polls)};
  if (run.explore >= 0) options.explore = run.explore;
  options.papers = run.papers;
  if (run.follow >= 0) options.follow = run.follow;
  options.parts = run.parts;
  if (run.policy == "htraa") options.objective = run.objective;
  Watch watch(world, options);

  Delays delays;
  std::vector<std::uint64_t> polls_of(world.pages(), 0);
  const std::uint64_t part = result.polls / 100 + 1;
  for (std::uint64_t t = 0; t < result.polls; ++t) {
    if (run.progress && t % part == 0)
      run.progress(static_cast<double>(t) / static_cast<double>(result.polls));
    const Watch::Poll poll = watch.step();
    ++polls_of[poll.page];
    result.looks += poll.look ? 1 : 0;
    result.looks_found += poll.look && poll.changed ? 1 : 0;
    if (poll.changed) delays.add(poll.now - world.first_unseen());
  }
  result.found = delays.count();
  if (result.changes > 0) {
    result.share = static_cast<double>(result.found) / static_cast<double>(result.changes);
  }
  result.median_delay_s = delays.median();
  result.mean_delay_s = delays.mean();
  result.gini = gini(polls_of);
  return result;
}

}  // namespace pollux::lab
