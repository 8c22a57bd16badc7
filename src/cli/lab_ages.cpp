#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/ages.hpp"
#include "pollux/lab/parallel.hpp"

#include <cstdio>
#include <map>
#include <memory>

namespace pollux::cli {

namespace {

using lab::Habit;

struct AgesOptions {
  lab::AgesRun run;
  std::string habits = "mixed";
  std::string policies = "htraa,greedy-outdated,greedy-age";
  std::size_t runs = 1;
  unsigned threads = 0;
  bool json = false;
};

// One line of the table.
struct Contestant {
  std::string policy;
  learn::Objective objective;
  bool age_model;
};

bool knows_ages(const std::string& policy) {
  return policy.starts_with("greedy-") || policy == "two-step";
}

// Whoever can use an age model runs with it and without; htraa under every objective.
std::vector<Contestant> contestants(const std::vector<std::string>& policies) {
  using learn::Objective;
  std::vector<Contestant> list;
  for (const std::string& policy : policies) {
    if (!knows_ages(policy)) list.push_back({policy, Objective::changes, false});
    for (const bool age_model : {false, true}) {
      if (knows_ages(policy)) list.push_back({policy, Objective::changes, age_model});
      if (policy != "htraa") continue;
      list.push_back({policy, Objective::freshness, age_model});
      list.push_back({policy, Objective::age, age_model});
    }
  }
  return list;
}

lab::AgesResult mean(const std::vector<lab::AgesResult>& results) {
  lab::AgesResult sum;
  const auto count = static_cast<double>(results.size());
  sum.polls = results.front().polls;
  for (const lab::AgesResult& result : results) {
    sum.outdated += result.outdated / count;
    sum.age_s += result.age_s / count;
    sum.found += result.found / count;
    sum.median_delay_s += result.median_delay_s / count;
    sum.mean_delay_s += result.mean_delay_s / count;
  }
  return sum;
}

int run_ages(const AgesOptions& options) {
  const std::vector<std::string> names = parse_policies(options.policies);
  if (const int code = check_policies(names); code != 0) return code;
  const std::vector<Contestant> list = contestants(names);
  const std::size_t runs = std::max<std::size_t>(options.runs, 1);
  std::vector<std::vector<lab::AgesResult>> results(list.size(),
                                                    std::vector<lab::AgesResult>(runs));
  static const std::map<std::string, std::vector<Habit>> worlds = {
      {"mixed", {Habit::periodic, Habit::bursty, Habit::memoryless}},
      {"periodic", {Habit::periodic}},
      {"bursty", {Habit::bursty}},
      {"memoryless", {Habit::memoryless}},
      {"two-stage", {Habit::two_stage}}};
  lab::run_parallel(list.size() * runs, options.threads, "ages", [&](std::size_t i) {
    lab::AgesRun one = options.run;
    one.world.habits = worlds.at(options.habits);
    one.policy = list[i / runs].policy;
    one.objective = list[i / runs].objective;
    one.age_model = list[i / runs].age_model;
    one.world.seed += i % runs;
    results[i / runs][i % runs] = lab::run_ages(one);
  });
  boost::json::array rows;
  if (!options.json) {
    std::printf("%-15s %-9s %-10s %8s %8s %7s %7s %7s\n", "policy", "objective", "estimate",
                "outdated", "age_s", "found", "median", "mean_s");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const lab::AgesResult result = mean(results[i]);
    const std::string objective(name_of(list[i].objective));
    const char* estimate = list[i].age_model ? "ages" : "memoryless";
    if (options.json) {
      rows.push_back({{"policy", list[i].policy},
                      {"objective", objective},
                      {"estimate", estimate},
                      {"habits", options.habits},
                      {"pages", options.run.world.pages},
                      {"polls", result.polls},
                      {"outdated", result.outdated},
                      {"age_s", result.age_s},
                      {"found_per_poll", result.found},
                      {"median_delay_s", result.median_delay_s},
                      {"mean_delay_s", result.mean_delay_s}});
    } else {
      std::printf("%-15s %-9s %-10s %8.4f %8.0f %7.4f %7.0f %7.0f\n", list[i].policy.c_str(),
                  objective.c_str(), estimate, result.outdated, result.age_s, result.found,
                  result.median_delay_s, result.mean_delay_s);
    }
  }
  if (options.json) show_json(rows);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_ages(CommandLine& line) {
  auto o = std::make_shared<AgesOptions>();
  line.option("--pages", o->run.world.pages, "How many pages").range(2, 10000000).show_default();
  line.option("--habits", o->habits, "mixed, periodic, bursty, memoryless or two-stage")
      .one_of({"mixed", "periodic", "bursty", "memoryless", "two-stage"})
      .show_default();
  line.option("--sweeps", o->run.sweeps, "Polls per page; the first half is not counted")
      .range(2.0, 1e6)
      .show_default();
  line.option("--last-modified", o->run.world.last_modified,
              "Part of the pages that tell when they changed")
      .range(0.0, 1.0);
  line.option("--response", o->run.world.response,
              "two-stage: part of a life between the motivation and the response to it")
      .range(1e-3, 0.999);
  line.option("--kappa", o->run.papers.discount,
              "two-step: what tomorrow's cost counts against today's (1)")
      .range(0.0, 1.0);
  line.option("--policy", o->policies, "Policies, separated by commas, or all").show_default();
  line.option("--seed", o->run.world.seed, "Seed of the first run").positive();
  line.option("--runs", o->runs, "Runs with successive seeds, averaged").positive();
  line.option("--threads", o->threads, "0: all cores");
  line.flag("--json", o->json, "Print JSON");
  return [o] { return run_ages(*o); };
}

}  // namespace pollux::cli
