#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/parallel.hpp"
#include "pollux/lab/zipf_experiment.hpp"

#include <cstdio>
#include <memory>

namespace pollux::cli {

namespace {

struct ZipfOptions {
  lab::ZipfRun run;
  RunOptions shared;
};

boost::json::object to_json(const lab::ZipfResult& result) {
  boost::json::array curve;
  for (const lab::CurvePoint& point : result.curve) {
    curve.push_back({{"polls", point.polls}, {"ratio", point.ratio}});
  }
  return {{"policy", result.policy},
          {"pages", result.pages},
          {"polls", result.polls},
          {"optimal", result.optimal},
          {"total_ratio", result.total_ratio},
          {"tail_ratio", result.tail_ratio},
          {"median_delay_s", result.median_delay_s},
          {"mean_delay_s", result.mean_delay_s},
          {"curve", std::move(curve)}};
}

int run_zipf(const ZipfOptions& options) {
  const std::vector<std::string> names = parse_policies(options.shared.policies);
  if (const int code = check_policies(names); code != 0) return code;
  const std::size_t runs = std::max<std::size_t>(options.shared.runs, 1);
  std::vector<std::vector<lab::ZipfResult>> results(names.size(),
                                                    std::vector<lab::ZipfResult>(runs));
  lab::run_parallel(names.size() * runs, options.shared.threads, "zipf", [&](std::size_t i) {
    lab::ZipfRun one = options.run;
    one.policy = names[i / runs];
    one.world.seed += i % runs;
    results[i / runs][i % runs] = lab::run_zipf(one);
  });
  if (options.shared.json) {
    boost::json::array rows;
    for (const auto& of_policy : results) rows.push_back(to_json(lab::mean(of_policy)));
    show_json(rows);
    return 0;
  }
  std::printf("%-22s %8s %12s %11s %8s %12s\n", "policy", "optimal", "total_ratio", "tail_ratio",
              "median_s", "mean_delay_s");
  for (const auto& of_policy : results) {
    const lab::ZipfResult result = lab::mean(of_policy);
    std::printf("%-22s %8.4f %12.4f %11.4f %8.1f %12.1f\n", result.policy.c_str(), result.optimal,
                result.total_ratio, result.tail_ratio, result.median_delay_s, result.mean_delay_s);
  }
  explain_optimal(names);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_zipf(CommandLine& line) {
  auto o = std::make_shared<ZipfOptions>();
  lab::ZipfOptions& world = o->run.world;
  line.option("--pages", world.pages, "How many pages").range(2, 100000000);
  line.option("--alpha", world.alpha, "The page of rank k changes in a step with alpha/k^beta")
      .range(1e-9, 1.0);
  line.option("--beta", world.beta, "See alpha").range(0.0, 10.0);
  line.choice<lab::Order>("--order", world.order,
                          {{"ranked", lab::Order::ranked}, {"shuffled", lab::Order::shuffled}},
                          "Order of the pages in the list: ranked or shuffled");
  line.option("--perturbations", world.perturbations,
              "Swaps of a random page with its successor, before the start");
  line.option("--switch-every", world.switch_every,
              "Polls after which one page swaps ranks with its successor");
  line.option("--shuffle-at", world.shuffle_at, "The poll at which all pages swap habits");
  line.option("--reverse-every", world.reverse_every,
              "Polls after which the liveliest page becomes the quietest, and so on");
  line.choice<lab::Updates>(
      "--updates", world.updates,
      {{"overwritten", lab::Updates::overwritten}, {"vanishing", lab::Updates::vanishing}},
      "A change can be found until it is overwritten, or in its own step only: vanishing");
  line.option("--polls", o->run.polls, "How many polls, one per step")
      .range(std::int64_t{10}, std::int64_t{1} << 40);
  line.choice<lab::Weights>(
      "--weights", world.weights,
      {{"none", lab::Weights::none},
       {"uniform", lab::Weights::uniform},
       {"two-level", lab::Weights::two_level},
       {"correlated", lab::Weights::correlated}},
      "Importance: none (all 1), uniform (random in 0…1), two-level (1 or 0.1) or correlated "
      "(random, favouring pages that change often)");
  add_run_options(line, o->shared, world.seed, o->run.explore);
  add_paper_options(line, o->run.papers);
  line.option("--points", o->run.points, "Points of the curve").positive();
  return [o] { return run_zipf(*o); };
}

}  // namespace pollux::cli
