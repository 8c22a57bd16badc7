#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/parallel.hpp"
#include "pollux/lab/replay_experiment.hpp"

#include <cmath>
#include <cstdio>
#include <memory>

namespace pollux::cli {

namespace {

struct ReplayOptions {
  lab::ReplayRun run;
  std::string trace;
  RunOptions shared;
};

boost::json::object to_json(const lab::ReplayResult& r) {
  return {{"policy", r.policy},
          {"pages", r.pages},
          {"polls", r.polls},
          {"changes", r.changes},
          {"found", r.found},
          {"share", r.share},
          {"median_delay_s", r.median_delay_s},
          {"mean_delay_s", r.mean_delay_s},
          {"looks", r.looks},
          {"looks_found", r.looks_found},
          {"gini", r.gini}};
}

lab::ReplayResult mean(const std::vector<lab::ReplayResult>& results) {
  lab::ReplayResult sum = results.front();
  const auto count = static_cast<double>(results.size());
  double found = 0;
  sum.share = sum.median_delay_s = sum.mean_delay_s = sum.looks = sum.looks_found = sum.gini = 0;
  for (const lab::ReplayResult& r : results) {
    found += static_cast<double>(r.found) / count;
    sum.share += r.share / count;
    sum.median_delay_s += r.median_delay_s / count;
    sum.mean_delay_s += r.mean_delay_s / count;
    sum.looks += r.looks / count;
    sum.looks_found += r.looks_found / count;
    sum.gini += r.gini / count;
  }
  sum.found = static_cast<std::size_t>(std::llround(found));
  return sum;
}

int run_replay(const ReplayOptions& options) {
  const std::vector<std::string> names = parse_policies(options.shared.policies);
  if (const int code = check_policies(names); code != 0) return code;
  const Result<lab::Trace> trace = lab::load_trace(options.trace);
  if (!trace) return report(trace.error());

  const std::size_t runs = std::max<std::size_t>(options.shared.runs, 1);
  std::vector<std::vector<lab::ReplayResult>> results(names.size(),
                                                      std::vector<lab::ReplayResult>(runs));
  std::vector<Error> errors(names.size() * runs);
  lab::run_parallel(names.size() * runs, options.shared.threads, "replay", [&](std::size_t i) {
    lab::ReplayRun one = options.run;
    one.policy = names[i / runs];
    one.seed += i % runs;
    Result<lab::ReplayResult> result = lab::run_replay(*trace, one);
    if (result) {
      results[i / runs][i % runs] = *result;
    } else {
      errors[i] = result.error();
    }
  });
  for (const Error& error : errors) {
    if (!error.message.empty()) return report(error);
  }
  if (options.shared.json) {
    boost::json::array rows;
    for (const auto& of_policy : results) rows.push_back(to_json(mean(of_policy)));
    show_json(rows);
    return 0;
  }
  std::printf("%zu pages, %llu polls, %zu changes\n\n", results[0][0].pages,
              static_cast<unsigned long long>(results[0][0].polls), results[0][0].changes);
  std::printf("%-22s %9s %8s %14s %12s %7s %6s\n", "policy", "found", "share", "median_delay_s",
              "mean_delay_s", "looks", "gini");
  for (const auto& of_policy : results) {
    const lab::ReplayResult r = mean(of_policy);
    std::printf("%-22s %9zu %8.4f %14.0f %12.0f %7.3f %6.3f\n", r.policy.c_str(), r.found, r.share,
                r.median_delay_s, r.mean_delay_s, r.looks / static_cast<double>(r.polls), r.gini);
  }
  explain_optimal(names);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_replay(CommandLine& line) {
  auto o = std::make_shared<ReplayOptions>();
  line.option("--trace", o->trace, "CSV 'page,changed_at' (Unix seconds), plain or gzip")
      .required();
  line.option("--days", o->run.days, "How many days, at the end of the trace")
      .range(1e-6, 1e6)
      .show_default();
  line.option("--rate", o->run.rate, "Polls per page and day").range(1e-9, 1e9).show_default();
  add_run_options(line, o->shared, o->run.seed, o->run.explore);
  add_paper_options(line, o->run.papers);
  line.option("--follow", o->run.follow, "Part of the polls that may be looks at siblings")
      .range(0.0, 1.0);
  return [o] { return run_replay(*o); };
}

}  // namespace pollux::cli
