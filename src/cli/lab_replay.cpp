#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/parallel.hpp"
#include "pollux/lab/replay_experiment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace pollux::cli {

namespace {

struct ReplayOptions {
  lab::ReplayRun run;
  std::string trace, database;
  double budget = 0;  // of all pages, per second; 0: `rate` says
  bool progress = false;
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

// A replay of some minutes; what a daemon has recorded may be years of a large budget.
constexpr double most_polls_of_a_database = 20e6;

Result<lab::Trace> trace_of(const ReplayOptions& options) {
  if (options.trace.empty() == options.database.empty())
    return Error{"what is to be replayed? write --trace FILE or --database FILE", ExitCode::usage};
  if (!options.trace.empty()) return lab::load_trace(options.trace);
  const auto reader = store::Reader::open(options.database);
  if (!reader) return reader.error();
  return recorded_trace(**reader);
}

// Fits the window to what was recorded, and the rate to the budget.
Status fit_to_trace(ReplayOptions& options, const lab::Trace& trace) {
  lab::ReplayRun& run = options.run;
  if (!options.database.empty()) run.days = std::min(run.days, fullest_window(trace));
  if (options.budget <= 0) return success();
  if (!options.database.empty())
    run.days = std::min(run.days, most_polls_of_a_database / options.budget / 86400);
  const auto pages = static_cast<double>(lab::TraceWorld(trace, run.days).pages());
  const double polls = options.budget * run.days * 86400;
  if (pages == 0 || polls < 1) {
    return Error{"too little is recorded: no page is known long enough for one poll of this budget",
                 ExitCode::bad_data};
  }
  run.rate = options.budget * 86400 / pages;
  return success();
}

int run_replay(ReplayOptions options) {
  const std::vector<std::string> names = parse_policies(options.shared.policies);
  if (const int code = check_policies(names); code != 0) return code;
  const Result<lab::Trace> trace = trace_of(options);
  if (!trace) return report(trace.error());
  if (const Status fit = fit_to_trace(options, *trace); !fit) return report(fit.error());

  const std::size_t runs = std::max<std::size_t>(options.shared.runs, 1);
  std::vector<std::vector<lab::ReplayResult>> results(names.size(),
                                                      std::vector<lab::ReplayResult>(runs));
  std::vector<Error> errors(names.size() * runs);
  lab::run_parallel(names.size() * runs, options.shared.threads, "replay", [&](std::size_t i) {
    lab::ReplayRun one = options.run;
    one.policy = names[i / runs];
    one.seed += i % runs;
    if (options.progress) {
      // With several runs at once each tells its own part.
      const double all = static_cast<double>(names.size() * runs), begun = static_cast<double>(i);
      one.progress = [all, begun](double part) {
        std::fprintf(stderr, "{\"progress\":%.4f}\n", (begun + part) / all);
      };
    }
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
  line.option("--trace", o->trace, "CSV 'page,changed_at' (Unix seconds), plain or gzip");
  line.option("--database", o->database,
              "Instead: what this daemon's database has recorded, as `lab record` writes it; the "
              "last 20 million polls of a --budget at most")
      .called("FILE")
      .not_with("--trace");
  line.option("--days", o->run.days, "How many days, at the end of the trace")
      .range(1e-6, 1e6)
      .show_default();
  line.option("--rate", o->run.rate, "Polls per page and day").range(1e-9, 1e9).show_default();
  line.option("--budget", o->budget, "Instead: polls per second of all pages together")
      .range(1e-9, 1e9)
      .called("N")
      .not_with("--rate");
  line.choice<learn::Objective>("--objective", o->run.objective,
                                {{"changes", learn::Objective::changes},
                                 {"freshness", learn::Objective::freshness},
                                 {"age", learn::Objective::age}},
                                "What htraa tries to reach, as learner.objective");
  line.flag("--progress", o->progress,
            "Tell which part is done, as lines of JSON on standard error");
  add_run_options(line, o->shared, o->run.seed, o->run.explore);
  add_paper_options(line, o->run.papers);
  line.option("--follow", o->run.follow, "Part of the polls that may be looks at siblings")
      .range(0.0, 1.0);
  return [o] { return run_replay(*o); };
}

}  // namespace pollux::cli
