// The subcommands of `pollux lab`, one file each.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/cli/command.hpp"
#include "pollux/lab/trace.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/store/reader.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace pollux::cli {

std::function<int()> setup_lab_zipf(CommandLine& line);
std::function<int()> setup_lab_replay(CommandLine& line);
std::function<int()> setup_lab_cost(CommandLine& line);
std::function<int()> setup_lab_figure(CommandLine& line);
std::function<int()> setup_lab_ages(CommandLine& line);
std::function<int()> setup_lab_record(CommandLine& line);
std::function<int()> setup_lab_robots(CommandLine& line);
std::function<int()> setup_lab_advise(CommandLine& line);
std::function<int()> setup_lab_ablation(CommandLine& line);
std::function<int()> setup_lab_bursts(CommandLine& line);
std::function<int()> setup_lab_brains(CommandLine& line);

// What a daemon has observed: the page of a row exists since its first one, and changed at the
// others.
struct RecordedRow {
  std::int64_t page;
  double at;  // Unix seconds
};
// By page, then by time.
Result<std::vector<RecordedRow>> recorded_rows(store::Reader& reader);
// The same as a trace, which ends with the last row or poll.
Result<lab::Trace> recorded_trace(store::Reader& reader);
// How many days at the end of the trace hold the most days of pages: pages that came later than
// the window begins are not watched in it.
double fullest_window(const lab::Trace& trace);

// Policies are named in a list, "htraa,uniform"; "all" means every one.
std::vector<std::string> parse_policies(const std::string& names);
// Complains about the first name that is no policy; 0 when all are known.
int check_policies(const std::vector<std::string>& names);

// What every experiment with several policies asks for.
struct RunOptions {
  std::string policies = "htraa,uniform";
  std::size_t runs = 1;
  unsigned threads = 0;
  bool json = false;
};
// Also declares --seed and --explore, which belong to the experiment.
void add_run_options(CommandLine& line, RunOptions& options, std::uint64_t& seed, double& explore);
// Below a table: what the policy of that name is, and is not.
void explain_optimal(const std::vector<std::string>& names);
// Parameters of the documents' policies.
void add_paper_options(CommandLine& line, learn::PaperOptions& options);

}  // namespace pollux::cli
