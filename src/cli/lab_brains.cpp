#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/ablation.hpp"
#include "pollux/lab/brains.hpp"
#include "pollux/lab/parallel.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <utility>

namespace pollux::cli {
namespace {

struct BrainsOptions {
  std::vector<std::string> traces;
  std::size_t synthetic = 0;  // pages
  std::size_t copies = 1, pages_of_a_domain = 500, brains = 4;
  double days = 365;
  std::string rates = "0.05,0.2,1", splits = "hash,lively,sorted";
  lab::BrainsRun run;
  std::size_t runs = 3;
  unsigned threads = 0;
  bool json = false;
};

const std::vector<std::pair<std::string, lab::Split>> splits = {
    {"hash", lab::Split::hash}, {"lively", lab::Split::lively}, {"sorted", lab::Split::sorted}};

Result<lab::BrainList> list_of(const BrainsOptions& options) {
  if (options.traces.empty() == (options.synthetic == 0))
    return Error{"write --trace FILE or --synthetic PAGES", ExitCode::usage};
  if (options.synthetic > 0)
    return lab::synthetic_list(options.synthetic, options.days, options.pages_of_a_domain,
                               options.run.seed);
  std::vector<lab::Trace> traces;
  for (const std::string& file : options.traces) {
    Result<lab::Trace> trace = lab::load_trace(file);
    if (!trace) return trace.error();
    traces.push_back(std::move(*trace));
  }
  return lab::list_of_traces(traces, options.days, options.copies, options.pages_of_a_domain);
}

// What one row of the table is of.
struct Case {
  double rate;
  std::string split;  // empty: the one brain
  std::vector<std::vector<std::uint32_t>> pages;
  std::vector<lab::BrainsResult> results = {};  // by seed
};

Result<std::vector<Case>> cases_of(const BrainsOptions& options, const lab::BrainList& list) {
  std::vector<Case> cases;
  std::istringstream rates(options.rates);
  for (std::string text; std::getline(rates, text, ',');) {
    const double rate = std::atof(text.c_str());
    if (!(rate > 0)) return Error{"--rate takes numbers above 0", ExitCode::usage};
    if (static_cast<double>(list.domain.size()) * rate * options.days < 1)
      return Error{"no poll falls into the window; choose a higher --rate", ExitCode::bad_data};
    cases.push_back({rate, "", lab::split_list(list, 1, lab::Split::hash)});
    std::istringstream names(options.splits);
    for (std::string name; std::getline(names, name, ',');) {
      const auto known = std::find_if(splits.begin(), splits.end(),
                                      [&](const auto& split) { return split.first == name; });
      if (known == splits.end())
        return Error{"--split takes hash, lively and sorted", ExitCode::usage};
      cases.push_back({rate, name, lab::split_list(list, options.brains, known->second)});
      for (const auto& pages : cases.back().pages) {
        if (pages.empty())
          return Error{"a brain has no page: there are too few domains", ExitCode::bad_data};
      }
    }
  }
  return cases;
}

std::string words(const std::vector<double>& parts) {
  std::string text;
  for (const double part : parts) {
    char number[16];
    std::snprintf(number, sizeof number, "%s%.3f", text.empty() ? "" : " ", part);
    text += number;
  }
  return text;
}

std::vector<double> mean_parts(const Case& one, std::vector<double> lab::BrainsResult::*of) {
  std::vector<double> mean(one.pages.size(), 0);
  for (const lab::BrainsResult& result : one.results) {
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += (result.*of)[i] / static_cast<double>(one.results.size());
  }
  return mean;
}

void show_row(const Case& one, const std::vector<lab::BrainsResult>& alone, bool json,
              boost::json::array& rows) {
  std::vector<double> ratios, settled;
  double sum = 0, polls = 0;
  for (std::size_t k = 0; k < alone.size(); ++k) {
    ratios.push_back(static_cast<double>(one.results[k].found) /
                     static_cast<double>(alone[k].found));
    settled.push_back(one.results[k].settled_after);
    sum = std::max(sum, one.results[k].largest_sum);
    polls = std::max(polls, static_cast<double>(one.results[k].polls) /
                                static_cast<double>(one.results[k].allowed));
  }
  const lab::Estimate ratio = lab::estimate_of(ratios), after = lab::estimate_of(settled);
  const auto parts = mean_parts(one, &lab::BrainsResult::mean_parts);
  const auto restless = mean_parts(one, &lab::BrainsResult::restless);
  std::vector<double> pages;
  std::size_t all = 0;
  for (const auto& of_brain : one.pages) all += of_brain.size();
  for (const auto& of_brain : one.pages)
    pages.push_back(static_cast<double>(of_brain.size()) / static_cast<double>(all));
  if (json) {
    rows.push_back({{"rate", one.rate},
                    {"split", one.split},
                    {"ratio", ratio.mean},
                    {"standard_error", ratio.error},
                    {"settled_after_sweeps", after.mean},
                    {"pages", boost::json::value_from(pages)},
                    {"parts", boost::json::value_from(parts)},
                    {"restless", boost::json::value_from(restless)},
                    {"largest_sum", sum},
                    {"polls_of_allowed", polls}});
    return;
  }
  std::printf("%6g %-7s %.4f ± %.4f %13.2f   %s | %s | %s\n", one.rate, one.split.c_str(),
              ratio.mean, ratio.error, after.mean, words(pages).c_str(), words(parts).c_str(),
              words(restless).c_str());
}

int run_brains(const BrainsOptions& options) {
  const Result<lab::BrainList> list = list_of(options);
  if (!list) return report(list.error());
  if (list->domain.empty())
    return report(
        {"no page exists at the start of the window; choose fewer --days", ExitCode::bad_data});
  Result<std::vector<Case>> cases = cases_of(options, *list);
  if (!cases) return report(cases.error());
  for (Case& one : *cases) one.results.resize(options.runs);
  lab::run_parallel(cases->size() * options.runs, options.threads, "brains", [&](std::size_t i) {
    Case& one = (*cases)[i / options.runs];
    lab::BrainsRun run = options.run;
    run.rate = one.rate;
    run.seed += i % options.runs;
    one.results[i % options.runs] = lab::run_brains(*list, one.pages, options.days, run);
  });
  boost::json::array rows;
  if (!options.json)
    std::printf("%zu pages of %zu domains, %zu brains against one\n\n%6s %-7s %-15s %15s   %s\n",
                list->domain.size(), list->domains.size(), options.brains, "rate", "split",
                "found ÷ one's", "settled, sweeps", "pages | parts | their ups and downs");
  const Case* alone = nullptr;
  for (const Case& one : *cases) {
    if (one.split.empty())
      alone = &one;
    else
      show_row(one, alone->results, options.json, rows);
  }
  if (options.json) show_json(rows);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_brains(CommandLine& line) {
  auto o = std::make_shared<BrainsOptions>();
  line.option("--trace", o->traces, "CSV 'page,changed_at', plain or gzip; more than once")
      .called("FILE");
  line.option("--copies", o->copies,
              "Each trace so many times, shifted against one another round the window")
      .range(1, 1000)
      .show_default();
  line.option("--synthetic", o->synthetic, "Instead of traces: so many memoryless pages")
      .range(0, 100000000)
      .called("PAGES");
  line.option("--days", o->days, "How many days, at the end of each trace")
      .range(1e-6, 1e6)
      .show_default();
  line.option("--rate", o->rates, "Polls per page and day, one or several").show_default();
  line.option("--brains", o->brains, "How many brains").range(2, 256).show_default();
  line.option("--split", o->splits,
              "Which brain has which pages: hash (of domains), lively (the first has the liveliest "
              "domains, the last the quietest), sorted (pages, by their rates)")
      .show_default();
  line.option("--domain", o->pages_of_a_domain, "Neighbours in a trace that are taken for a domain")
      .range(1, 1000000)
      .show_default();
  line.choice<lab::Divided>("--divided", o->run.divided,
                            {{"learnt", lab::Divided::learnt},
                             {"by-pages", lab::Divided::by_pages},
                             {"evenly", lab::Divided::evenly}},
                            "How the budget is divided: as the daemon does, or never moved");
  line.option("--steps", o->run.steps_per_sweep,
              "How often it is divided anew in the time of polling every page once")
      .range(1.0, 1e7)
      .show_default();
  line.option("--walks", o->run.walks_per_sweep,
              "How often in that time all pages are asked what their next poll is worth")
      .range(0.1, 1e6)
      .show_default();
  line.option("--seed", o->run.seed, "Seed of the first run").positive();
  line.option("--runs", o->runs, "Runs with successive seeds").positive().show_default();
  line.option("--threads", o->threads, "0: all cores");
  line.flag("--json", o->json, "Print JSON");
  line.footer("± is the standard error over the runs, seed by seed against one brain.");
  return [o] { return run_brains(*o); };
}

}  // namespace pollux::cli
