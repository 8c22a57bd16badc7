#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/cost_experiment.hpp"

#include <cstdio>
#include <memory>

namespace pollux::cli {

namespace {

struct CostOptions {
  std::vector<std::size_t> pages{1000, 100000, 1000000};
  std::string policies = "htraa";
  std::uint64_t seed = 1;
  bool json = false;
};

int run_cost(const CostOptions& options) {
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
  line.flag("--json", o->json, "Print JSON");
  return [o] { return run_cost(*o); };
}

}  // namespace pollux::cli
