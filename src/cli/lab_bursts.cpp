#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/ablation.hpp"
#include "pollux/lab/bursts.hpp"
#include "pollux/lab/parallel.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace pollux::cli {
namespace {

struct BurstsOptions {
  lab::BurstRun run;
  std::size_t runs = 5;
  unsigned threads = 0;
  bool json = false;
};

int run_bursts(const BurstsOptions& options) {
  const std::size_t runs = std::max<std::size_t>(options.runs, 1);
  std::vector<lab::BurstResult> with(runs), without(runs);
  lab::run_parallel(2 * runs, options.threads, "bursts", [&](std::size_t i) {
    lab::BurstRun one = options.run;
    one.world.seed += i % runs;
    one.parts.looks = i < runs;
    (i < runs ? with : without)[i % runs] = lab::run_bursts(one);
  });
  const auto part = [&](const std::vector<lab::BurstResult>& results) {
    std::vector<double> ratios;
    for (const lab::BurstResult& result : results) ratios.push_back(result.found / result.oracle);
    return lab::estimate_of(ratios);
  };
  const auto mean = [&](const std::vector<lab::BurstResult>& results,
                        double lab::BurstResult::*of) {
    double sum = 0;
    for (const lab::BurstResult& result : results) sum += result.*of;
    return sum / static_cast<double>(runs);
  };
  const double looks = mean(with, &lab::BurstResult::looks);
  const double delay = mean(with, &lab::BurstResult::median_delay);
  const double delay_alone = mean(without, &lab::BurstResult::median_delay);
  const lab::Estimate followed = part(with), alone = part(without);
  if (options.json) {
    show_json(boost::json::object{{"with_looks", followed.mean},
                                  {"with_looks_standard_error", followed.error},
                                  {"with_looks_median_delay", delay},
                                  {"without_looks", alone.mean},
                                  {"without_looks_standard_error", alone.error},
                                  {"without_looks_median_delay", delay_alone},
                                  {"looks", looks}});
    return 0;
  }
  std::printf("found, of what is found by who is told of every burst:\n");
  std::printf(
      "  with looks     %.4f ± %.4f   median delay %.3f sweeps, %.1f %% of the polls are looks\n",
      followed.mean, followed.error, delay, looks * 100);
  std::printf("  without looks  %.4f ± %.4f   median delay %.3f sweeps\n", alone.mean, alone.error,
              delay_alone);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_bursts(CommandLine& line) {
  auto o = std::make_shared<BurstsOptions>();
  lab::BurstOptions& world = o->run.world;
  line.option("--sites", world.sites, "How many sites").range(3, 1000000).show_default();
  line.option("--pages-per-site", world.pages_per_site, "Pages of each")
      .range(4, 1000000)
      .show_default();
  line.option("--directories", world.directories, "Directories of each site")
      .range(1, 1000)
      .show_default();
  line.option("--sweeps-between", world.sweeps_between,
              "Bursts of a site, in polls per page; 0: there are none")
      .range(0.0, 1e9)
      .show_default();
  line.option("--sweeps", o->run.sweeps, "Polls per page; the second half is counted")
      .range(2.0, 1e6)
      .show_default();
  line.flag("--shuffled", world.shuffled, "Pages stand in no order: siblings are no neighbours");
  line.option("--seed", world.seed, "Seed of the first run").positive();
  line.option("--runs", o->runs, "Runs with successive seeds").positive().show_default();
  line.option("--threads", o->threads, "0: all cores");
  line.flag("--json", o->json, "Print JSON");
  line.footer("A third of the sites changes whole, a third directory by directory, a third never.");
  return [o] { return run_bursts(*o); };
}

}  // namespace pollux::cli
