#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/ablation.hpp"
#include "pollux/lab/bursts.hpp"
#include "pollux/lab/parallel.hpp"
#include "pollux/lab/quiet_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

namespace pollux::cli {
namespace {

struct AblationOptions {
  std::vector<std::string> traces;
  double days = 365;
  std::string rates = "0.05,0.2,1";
  bool zipf = false, bursts = false;
  std::size_t alike = 0;  // pages
  std::size_t quiet = 0;  // pages
  std::uint64_t polls = 30000;
  std::uint64_t seed = 1;
  std::size_t runs = 5;
  unsigned threads = 0;
  bool json = false;
};

// One world: a trace at a rate, or synthetic pages.
struct AblationWorld {
  std::string name;
  std::function<Result<double>(const lab::AblationVariant&, std::uint64_t seed)> run;
};

void add_trace(const AblationOptions& options, const std::string& file,
               const std::shared_ptr<const lab::Trace>& trace, std::vector<AblationWorld>& worlds) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::istringstream rates(options.rates);
  for (std::string rate; std::getline(rates, rate, ',');) {
    lab::ReplayRun run;
    run.days = options.days;
    run.rate = std::atof(rate.c_str());
    worlds.push_back({name.substr(0, name.find('.')) + " " + rate,
                      [trace, run](const lab::AblationVariant& variant,
                                   std::uint64_t seed) mutable -> Result<double> {
                        lab::ReplayRun one = run;
                        one.seed = seed;
                        one.parts = variant.parts;
                        one.explore = variant.explore;
                        const Result<lab::ReplayResult> result = lab::run_replay(*trace, one);
                        if (!result) return result.error();
                        return result->share;
                      }});
  }
}

void add_zipf(const AblationOptions& options, std::vector<AblationWorld>& worlds) {
  for (const auto& [alpha, beta] : {std::pair{0.9, 1.5}, {0.3, 1.5}, {0.3, 1.0}}) {
    lab::ZipfRun run;
    run.world.alpha = alpha;
    run.world.beta = beta;
    run.polls = options.polls;
    char name[32];
    std::snprintf(name, sizeof name, "zipf (%.1f,%.1f)", alpha, beta);
    worlds.push_back(
        {name, [run](const lab::AblationVariant& variant, std::uint64_t seed) -> Result<double> {
           lab::ZipfRun one = run;
           one.world.seed = seed;
           one.parts = variant.parts;
           one.explore = variant.explore;
           return lab::run_zipf(one).tail_ratio;
         }});
  }
}

void add_bursts(std::vector<AblationWorld>& worlds) {
  worlds.push_back(
      {"bursts", [](const lab::AblationVariant& variant, std::uint64_t seed) -> Result<double> {
         lab::BurstRun run;
         run.parts = variant.parts;
         run.explore = variant.explore;
         run.world.seed = seed;
         const lab::BurstResult result = lab::run_bursts(run);
         return result.found / result.oracle;
       }});
}

// Pages that all change once a sweep.
void add_alike(std::size_t pages, std::vector<AblationWorld>& worlds) {
  lab::ZipfRun run;
  run.world.pages = pages;
  run.world.alpha = -std::expm1(-1 / static_cast<double>(pages));
  run.world.beta = 0;
  run.polls = 20 * pages;
  worlds.push_back(
      {"alike " + std::to_string(pages),
       [run](const lab::AblationVariant& variant, std::uint64_t seed) -> Result<double> {
         lab::ZipfRun one = run;
         one.world.seed = seed;
         one.parts = variant.parts;
         one.explore = variant.explore;
         return lab::run_zipf(one).total_ratio;
       }});
}

// Pages of which nine in ten never change; each seed is a list of its own.
void add_quiet(const AblationOptions& options, std::vector<AblationWorld>& worlds) {
  std::istringstream rates(options.rates);
  for (std::string rate; std::getline(rates, rate, ',');) {
    lab::ReplayRun run;
    run.days = lab::quiet_list_days;
    run.rate = std::atof(rate.c_str());
    worlds.push_back({"quiet " + std::to_string(options.quiet) + " " + rate,
                      [run, pages = options.quiet](const lab::AblationVariant& variant,
                                                   std::uint64_t seed) -> Result<double> {
                        lab::ReplayRun one = run;
                        one.seed = seed;
                        one.parts = variant.parts;
                        one.explore = variant.explore;
                        const auto result = lab::run_replay(lab::quiet_list(pages, seed), one);
                        if (!result) return result.error();
                        return result->share;
                      }});
  }
}

int run_ablation(const AblationOptions& options) {
  std::vector<AblationWorld> worlds;
  for (const std::string& file : options.traces) {
    Result<lab::Trace> trace = lab::load_trace(file);
    if (!trace) return report(trace.error());
    add_trace(options, file, std::make_shared<const lab::Trace>(std::move(*trace)), worlds);
  }
  if (options.zipf) add_zipf(options, worlds);
  if (options.bursts) add_bursts(worlds);
  if (options.alike > 1) add_alike(options.alike, worlds);
  if (options.quiet > 0) add_quiet(options, worlds);
  if (worlds.empty())
    return report({"give a --trace, --zipf, --bursts, --alike or --quiet", ExitCode::usage});

  const auto variants = lab::ablation_variants();
  const std::size_t runs = std::max<std::size_t>(options.runs, 1);
  std::vector<double> values(worlds.size() * variants.size() * runs);
  std::vector<Error> errors(values.size());
  lab::run_parallel(values.size(), options.threads, "ablation", [&](std::size_t i) {
    const Result<double> value = worlds[i / runs / variants.size()].run(
        variants[i / runs % variants.size()], options.seed + i % runs);
    if (value)
      values[i] = *value;
    else
      errors[i] = value.error();
  });
  for (const Error& error : errors) {
    if (!error.message.empty()) return report(error);
  }
  boost::json::array rows;
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    if (!options.json) std::printf("%s\n", worlds[w].name.c_str());
    std::vector<double> whole;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const auto first =
          values.begin() + static_cast<std::ptrdiff_t>((w * variants.size() + v) * runs);
      std::vector<double> of(first, first + static_cast<std::ptrdiff_t>(runs));
      if (v == 0) whole = of;
      std::vector<double> brings;  // the same seeds, side by side
      for (std::size_t k = 0; k < runs; ++k) brings.push_back(whole[k] - of[k]);
      const lab::Estimate found = lab::estimate_of(of), lost = lab::estimate_of(brings);
      if (options.json) {
        rows.push_back({{"world", worlds[w].name},
                        {"variant", variants[v].name},
                        {"found", found.mean},
                        {"standard_error", found.error},
                        {"brings", lost.mean},
                        {"brings_standard_error", lost.error}});
      } else {
        std::printf("  %-20s %.4f ± %.4f   brings %+.4f ± %.4f\n",
                    std::string(variants[v].name).c_str(), found.mean, found.error, lost.mean,
                    lost.error);
      }
    }
  }
  if (options.json) show_json(rows);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_ablation(CommandLine& line) {
  auto o = std::make_shared<AblationOptions>();
  line.option("--trace", o->traces, "CSV 'page,changed_at', plain or gzip; more than once")
      .called("FILE");
  line.option("--days", o->days, "How many days, at the end of each trace")
      .range(1e-6, 1e6)
      .show_default();
  line.option("--rates", o->rates, "Polls per page and day, separated by commas").show_default();
  line.flag("--zipf", o->zipf, "Synthetic pages, too: three worlds of 512 pages");
  line.flag("--bursts", o->bursts,
            "The sites of `lab bursts`, too: found, of what an oracle finds");
  line.option("--alike", o->alike, "So many pages that all change once a sweep, too: 20 sweeps")
      .called("PAGES");
  line.option("--quiet", o->quiet,
              "So many pages of which nine in ten never change, too: two years at each of --rates")
      .called("PAGES");
  line.option("--polls", o->polls, "Of pages of --zipf").positive().show_default();
  line.option("--seed", o->seed, "Seed of the first run").positive();
  line.option("--runs", o->runs, "Runs with successive seeds").positive().show_default();
  line.option("--threads", o->threads, "0: all cores");
  line.flag("--json", o->json, "Print JSON");
  line.footer("`brings`: what is lost without the part, seed by seed. ± is the standard error.");
  return [o] { return run_ablation(*o); };
}

}  // namespace pollux::cli
