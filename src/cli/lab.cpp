#include "cli/lab.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <sstream>

namespace pollux::cli {

std::vector<std::string> parse_policies(const std::string& names) {
  std::vector<std::string> list;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name == "all") {
      for (const learn::PolicyInfo& info : learn::policies()) list.emplace_back(info.name);
    } else if (!name.empty()) {
      list.push_back(name);
    }
  }
  return list;
}

int check_policies(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto known = learn::policies();
    if (std::any_of(known.begin(), known.end(), [&](const auto& i) { return i.name == name; })) {
      continue;
    }
    std::string all;
    for (const learn::PolicyInfo& info : known)
      all += (all.empty() ? "" : ", ") + std::string(info.name);
    return report(
        {"no policy is called '" + printable(name, 60) + "'; there are: " + all, ExitCode::usage});
  }
  if (names.empty()) return report({"--policy names no policy", ExitCode::usage});
  return 0;
}

void add_run_options(CommandLine& line, RunOptions& options, std::uint64_t& seed, double& explore) {
  line.option("--policy", options.policies, "Policies, separated by commas, or all").show_default();
  line.option("--seed", seed, "Seed of the first run").positive();
  line.option("--runs", options.runs, "Runs with successive seeds, averaged").positive();
  line.option("--explore", explore, "Part of the polls for the page polled longest ago")
      .range(0.0, 1.0);
  line.option("--threads", options.threads, "0: all cores");
  line.flag("--json", options.json, "Print JSON");
}

void add_paper_options(CommandLine& line, learn::PaperOptions& options) {
  line.option("--states", options.states,
              "N of htraa-rp, -ri, -ip (500), lakg (250), cgla (64) and fpa (16)")
      .range(1, 1000000);
  line.flag("--doubling", options.doubling,
            "htraa-rp, -ri, -ip: N doubles from each level of the tree to the one above");
  line.option("--power", options.power, "lakg: frequencies are (k/N)^power (2)").range(0.1, 10.0);
  line.option("--waiting-part", options.waiting_part,
              "fpa: f, what goes round the waiting class (0.1)")
      .range(1e-3, 0.999);
  line.choice<learn::WaitingPartOf>("--waiting-part-of", options.waiting_part_of,
                                    {{"capacity", learn::WaitingPartOf::capacity},
                                     {"waiting-class", learn::WaitingPartOf::waiting_class}},
                                    "fpa: what f is a part of");
  line.option("--estimation", options.estimation, "estimator: polls per page of its phase (10)")
      .range(1e-3, 1e9);
  line.choice<learn::Edf>(
      "--edf", options.edf,
      {{"usual", learn::Edf::usual},
       {"exact", learn::Edf::exact},
       {"own-poll", learn::Edf::own_poll}},
      "Documents' policies: deadlines are issued anew after every poll (exact, slow), at a "
      "page's own poll (own-poll), or usual: in the tree where there is one, else own-poll");
}

void explain_optimal(const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "optimal") == names.end()) return;
  std::puts(
      "\noptimal knows the mean rates and divides a fluid budget best: no bound on what can be "
      "found.");
}

std::function<int()> setup_lab(CommandLine& line) {
  static constexpr Command table[] = {
      {"zipf", "Synthetic pages: how much of the optimum does a policy reach?", &setup_lab_zipf},
      {"replay", "A trace of real changes: what would a policy have found?", &setup_lab_replay},
      {"ablation", "What each part of the default policy brings", &setup_lab_ablation},
      {"bursts", "Sites that change at once: how much of them is found?", &setup_lab_bursts},
      {"brains", "Several brains under one budget against one", &setup_lab_brains},
      {"cost", "Time and memory of one decision as the list grows", &setup_lab_cost},
      {"ages", "Pages with habits: who keeps most copies up to date?", &setup_lab_ages},
      {"figure", "The papers' figures as CSV and SVG", &setup_lab_figure},
      {"record", "What a daemon has observed, as a trace for replay", &setup_lab_record},
      {"advise", "What another budget would bring, from the rates learnt", &setup_lab_advise},
      {"robots", "How many fetches keep a queue neither empty nor full?", &setup_lab_robots},
  };
  line.subcommands(table);
  line.footer("The daemon's learner and scheduler, on a virtual clock. See src/lab/README.md.");
  return {};
}

}  // namespace pollux::cli
