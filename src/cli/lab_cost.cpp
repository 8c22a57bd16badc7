#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "cli/unit_costs.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/cost_experiment.hpp"
#include "pollux/lab/cost_model.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace pollux::cli {

namespace {

struct CostOptions {
  std::vector<std::size_t> pages{1000, 100000, 1000000};
  std::string policies = "htraa";
  std::uint64_t seed = 1;
  bool json = false;
  std::size_t brains = 0;  // 0: decisions alone
  double rate = 1000;
  std::vector<std::size_t> measured_at{100000, 1000000};
};

boost::json::object to_json(const lab::UnitCosts& unit) {
  return {{"pages", unit.pages},
          {"memory_bytes_per_page", unit.memory_bytes_per_page},
          {"learner_bytes_per_page", unit.learner_bytes_per_page},
          {"file_bytes_per_page", unit.file_bytes_per_page},
          {"start_us_per_page", unit.start_us_per_page},
          {"decision_us", unit.decision_us},
          {"row_us", unit.row_us},
          {"row_bytes", unit.row_bytes},
          {"ask_bytes", unit.ask_bytes},
          {"grant_bytes", unit.grant_bytes},
          {"poll_bytes", unit.poll_bytes},
          {"result_bytes", unit.result_bytes},
          {"polls_per_message", unit.polls_per_message},
          {"message_us", unit.message_us}};
}

// What was measured at which size, and what follows from the largest.
int run_model(const CostOptions& options) {
  const lab::Installation wanted{options.brains, static_cast<double>(options.pages.back()),
                                 options.rate};
  std::vector<lab::UnitCosts> units;
  for (const std::size_t pages : options.measured_at) {
    const Result<lab::UnitCosts> unit =
        measure_units(pages, options.rate / static_cast<double>(options.brains), options.seed);
    if (!unit) return report(unit.error());
    units.push_back(*unit);
  }
  const auto lines = lab::cost_of(wanted, units.back());
  if (options.json) {
    boost::json::array measured, rows;
    for (const lab::UnitCosts& unit : units) measured.push_back(to_json(unit));
    for (const lab::CostLine& line : lines)
      rows.push_back({{"what", line.what},
                      {"unit", line.unit},
                      {"measured", line.measured},
                      {"times", line.times},
                      {"per_brain", line.per_brain},
                      {"all", line.all}});
    show_json(boost::json::object{{"brains", options.brains},
                                  {"pages", wanted.pages},
                                  {"rate", wanted.rate},
                                  {"measured", std::move(measured)},
                                  {"costs", std::move(rows)}});
    return 0;
  }
  std::printf("measured here, by the size of the list:\n%-28s", "");
  for (const lab::UnitCosts& unit : units) std::printf(" %11.0f", unit.pages);
  const auto row = [&](const char* name, double lab::UnitCosts::*of) {
    std::printf("\n%-28s", name);
    for (const lab::UnitCosts& unit : units) std::printf(" %11.1f", unit.*of);
  };
  row("memory, bytes per page", &lab::UnitCosts::memory_bytes_per_page);
  row("  of it learner, scheduler", &lab::UnitCosts::learner_bytes_per_page);
  row("database, bytes per page", &lab::UnitCosts::file_bytes_per_page);
  row("first start, us of CPU", &lab::UnitCosts::start_us_per_page);
  row("decision, us of CPU", &lab::UnitCosts::decision_us);
  row("row of a poll, us of CPU", &lab::UnitCosts::row_us);
  row("  bytes written", &lab::UnitCosts::row_bytes);
  row("ask of a brain, bytes", &lab::UnitCosts::ask_bytes);
  row("grant to a brain, bytes", &lab::UnitCosts::grant_bytes);
  row("  both, us of CPU", &lab::UnitCosts::message_us);
  row("poll to an agent, bytes", &lab::UnitCosts::poll_bytes);
  row("its result, bytes", &lab::UnitCosts::result_bytes);
  std::printf("\n\n%.0f pages on %zu brains, %g polls per second:\n%-30s %12s %12s %12s %12s\n",
              wanted.pages, wanted.brains, wanted.rate, "", "measured", "times", "each brain",
              "all");
  for (const lab::CostLine& line : lines)
    std::printf("%-30s %12.4g %12.4g %12.4g %12.4g %s\n", line.what.c_str(), line.measured,
                line.times, line.per_brain, line.all, line.unit.c_str());
  return 0;
}

int run_cost(const CostOptions& options) {
  if (options.brains > 0) return run_model(options);
  const std::vector<std::string> names = parse_policies(options.policies);
  if (const int code = check_policies(names); code != 0) return code;
  boost::json::array rows;
  if (!options.json) {
    std::printf("%-22s %10s %16s %21s %12s %15s\n", "policy", "pages", "ns_per_decision",
                "decisions_per_second", "longest_ms", "bytes_per_page");
  }
  for (const std::string& name : names) {
    for (const std::size_t pages : options.pages) {
      const lab::CostResult r = lab::measure_cost(name, pages, options.seed);
      if (options.json) {
        rows.push_back({{"policy", r.policy},
                        {"pages", r.pages},
                        {"decisions", r.decisions},
                        {"ns_per_decision", r.ns_per_decision},
                        {"decisions_per_second", r.decisions_per_second},
                        {"longest_ms", r.longest_ms},
                        {"bytes_per_page", r.bytes_per_page}});
        continue;
      }
      std::printf("%-22s %10zu %16.0f %21.0f %12.3f %15.1f\n", r.policy.c_str(), r.pages,
                  r.ns_per_decision, r.decisions_per_second, r.longest_ms, r.bytes_per_page);
      std::fflush(stdout);
    }
  }
  if (options.json) show_json(rows);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_cost(CommandLine& line) {
  auto o = std::make_shared<CostOptions>();
  line.option("--pages", o->pages, "Sizes of the list, separated by commas")
      .range(2, 100000000)
      .show_default();
  line.option("--policy", o->policies, "Policies, separated by commas, or all").show_default();
  line.option("--seed", o->seed, "Seed").positive();
  line.option("--brains", o->brains,
              "Instead: what the (last) number of pages needs on so many brains, each line a "
              "measured cost times a number")
      .range(1, 256)
      .called("N");
  line.option("--rate", o->rate, "With --brains: polls per second of all of them")
      .range(1e-6, 1e9)
      .show_default();
  line.option("--measured-at", o->measured_at,
              "With --brains: the sizes of list that are built to measure; the last one counts")
      .range(2000, 10000000)
      .show_default();
  line.flag("--json", o->json, "Print JSON");
  return [o] { return run_cost(*o); };
}

}  // namespace pollux::cli
