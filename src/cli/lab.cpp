#include "cli/lab.hpp"

#include "cli/commands.hpp"
#include "pollux/base/text.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>

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
    return fail(
        {"no policy is called '" + printable(name, 60) + "'; there are: " + all, ExitCode::usage});
  }
  if (names.empty()) return fail({"--policy names no policy", ExitCode::usage});
  return 0;
}

int fail(const Error& error) {
  std::fprintf(stderr, "pollux lab: %s\n", error.message.c_str());
  return static_cast<int>(error.exit_code);
}

void print_json(const boost::json::value& value) {
  std::printf("%s\n", boost::json::serialize(value).c_str());
}

std::function<int()> setup_lab(CLI::App& app) {
  struct Row {
    const char* name;
    const char* summary;
    std::function<int()> (*setup)(CLI::App&);
  };
  static constexpr Row table[] = {
      {"zipf", "Synthetic pages: how much of the optimum does a policy reach?", &setup_lab_zipf},
      {"replay", "A trace of real changes: what would a policy have found?", &setup_lab_replay},
      {"cost", "Time and memory of one decision as the list grows", &setup_lab_cost},
      {"ages", "Pages with habits: who keeps most copies up to date?", &setup_lab_ages},
      {"figure", "The papers' figures as CSV and SVG", &setup_lab_figure},
      {"record", "What a daemon has observed, as a trace for replay", &setup_lab_record},
      {"robots", "How many fetches keep a queue neither empty nor full?", &setup_lab_robots},
  };
  app.require_subcommand(1);
  app.footer(
      "The same learner and scheduler as in the daemon, on a virtual clock. See "
      "src/lab/README.md.");
  auto chosen = std::make_shared<std::function<int()>>();
  for (const Row& row : table) {
    CLI::App* sub = app.add_subcommand(row.name, row.summary);
    sub->callback([chosen, body = row.setup(*sub)] { *chosen = body; });
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace pollux::cli
