#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/advice.hpp"
#include "pollux/report/daemon_figures.hpp"
#include "pollux/store/reader.hpp"

#include <cmath>
#include <cstdio>
#include <memory>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {

namespace {

constexpr double a_day = 86400;
constexpr double factors[] = {0.5, 1, 2, 10};
constexpr std::size_t intervals_shown = 5;

struct AdviseOptions {
  std::string database;
  std::size_t limit = 10;
  bool json = false;
};

struct Watched {
  lab::AdviceList list;
  std::vector<std::string> urls;
  std::size_t without_rate = 0;
  std::string policy, objective;
};

// Active pages with a rate, and the budget; without a budget, the polls that were made lately.
Result<Watched> watched(store::Reader& reader) {
  const auto pages = reader.pages({.order = store::PageOrder::url, .state = "active", .limit = 0});
  if (!pages) return pages.error();
  const auto meta = reader.meta();
  if (!meta) return meta.error();
  const report::DaemonFigures figures = report::figures_of(*meta);
  Watched result;
  result.policy = figures.policy;
  result.objective = figures.objective;
  result.list.explore = figures.explore.value_or(0);
  const double budget = figures.budget.value_or(0);
  result.list.budget = budget > 0 && std::isfinite(budget) ? budget : figures.poll_rate.value_or(0);
  if (!(result.list.budget > 0)) {
    return Error{"no daemon has polled with this database yet: there is nothing to go by",
                 ExitCode::bad_data};
  }
  for (const store::PageRow& page : *pages) {
    const double rate = page.progress.change_rate_per_day.value_or(0) / a_day;
    if (!(rate > 0)) {
      ++result.without_rate;
      continue;
    }
    result.list.pages.push_back(
        {.rate = rate,
         .importance = page.spec.importance,
         .min_interval = static_cast<double>(page.spec.min_interval_ms) / 1e3,
         .max_interval = static_cast<double>(page.spec.max_interval_ms) / 1e3});
    result.urls.push_back(page.spec.url);
  }
  if (result.list.pages.empty()) {
    return Error{
        "no rate is known of any page: let the daemon poll for a while, with a policy that "
        "estimates rates (learner.policy: htraa)",
        ExitCode::bad_data};
  }
  return result;
}

struct Advice {
  std::vector<lab::Outlook> budgets;  // as `factors`
  lab::Droppable droppable;
  std::vector<lab::IntervalCost> intervals;
};

Advice advise(const Watched& watched) {
  Advice advice;
  for (const double factor : factors) {
    advice.budgets.push_back(lab::outlook(watched.list, factor * watched.list.budget));
  }
  const lab::Outlook& now = advice.budgets[1];
  advice.droppable = lab::droppable(watched.list, now);
  advice.intervals = lab::interval_costs(watched.list, now, intervals_shown);
  return advice;
}

double changes_of(const Watched& watched) {
  double sum = 0;
  for (const lab::AdvicePage& page : watched.list.pages) sum += page.rate * a_day;
  return sum;
}

double polls_of(const Advice& advice, std::uint32_t page) {
  return advice.budgets[1].frequencies[page] * a_day;
}

double found_of(const Watched& watched, const Advice& advice, std::uint32_t page) {
  const double frequency = advice.budgets[1].frequencies[page];
  return frequency * -std::expm1(-watched.list.pages[page].rate / frequency) * a_day;
}

boost::json::object to_json(const Watched& watched, const Advice& advice, std::size_t limit) {
  boost::json::array budgets, pages, intervals;
  for (std::size_t i = 0; i < std::size(factors); ++i) {
    const lab::Outlook& o = advice.budgets[i];
    budgets.push_back({{"factor", factors[i]},
                       {"budget", o.budget},
                       {"polls_per_day", o.polls * a_day},
                       {"changes_per_day", o.found * a_day},
                       {"share", o.share},
                       {"mean_delay_s", o.mean_delay}});
  }
  for (std::size_t i = 0; i < std::min(limit, advice.droppable.pages.size()); ++i) {
    const std::uint32_t page = advice.droppable.pages[i];
    pages.push_back({{"url", watched.urls[page]},
                     {"polls_per_day", polls_of(advice, page)},
                     {"changes_per_day", found_of(watched, advice, page)}});
  }
  for (const lab::IntervalCost& cost : advice.intervals) {
    intervals.push_back({{"max_interval_ms", std::llround(cost.max_interval * 1e3)},
                         {"pages", cost.pages},
                         {"extra_polls_per_day", cost.extra_polls * a_day},
                         {"lost_changes_per_day", cost.lost * a_day}});
  }
  return {{"pages", watched.list.pages.size()},
          {"pages_without_rate", watched.without_rate},
          {"policy", watched.policy},
          {"objective", watched.objective},
          {"budget", watched.list.budget},
          {"changes_per_day", changes_of(watched)},
          {"budgets", std::move(budgets)},
          {"droppable",
           {{"pages", advice.droppable.pages.size()},
            {"polls_per_day", advice.droppable.polls * a_day},
            {"changes_per_day", advice.droppable.found * a_day},
            {"gain_per_day", advice.droppable.gain * a_day},
            {"list", std::move(pages)}}},
          {"max_intervals", std::move(intervals)}};
}

std::string number(double value) {
  return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string lasting(double seconds) {
  const double unit = seconds < 120 ? 1 : seconds < 7200 ? 60 : seconds < 172800 ? 3600 : a_day;
  const char* name = unit == 1 ? "s" : unit == 60 ? "min" : unit == 3600 ? "h" : "d";
  return fmt::format("{:.3g} {}", seconds / unit, name);
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

void print_droppable(const Watched& watched, const Advice& advice, std::size_t limit) {
  const lab::Droppable& some = advice.droppable;
  if (some.pages.empty()) {
    print("\nNo page could be dropped for nothing.\n");
    return;
  }
  print(
      fmt::format("\nPages that could be dropped for nothing: {}\n"
                  "{} polls a day that find {} changes would find {} elsewhere.\n\n",
                  some.pages.size(), number(some.polls * a_day), number(some.found * a_day),
                  number(some.gain * a_day)));
  Table table({{"POLLS/DAY", Align::right},
               {"CHANGES/DAY", Align::right},
               {"URL", Align::left, report::Fit::shortened}});
  for (std::size_t i = 0; i < std::min(limit, some.pages.size()); ++i) {
    const std::uint32_t page = some.pages[i];
    table.add({number(polls_of(advice, page)), number(found_of(watched, advice, page)),
               watched.urls[page]});
  }
  table.print(stdout);
  if (some.pages.size() > limit) {
    print(fmt::format("and {} more (--limit)\n", some.pages.size() - limit));
  }
}

void print_intervals(const Advice& advice) {
  if (advice.intervals.empty()) {
    print("\nNo max_interval costs anything.\n");
    return;
  }
  print("\nWhat max_intervals cost, the dearest first:\n\n");
  Table table({{"MAX_INTERVAL", Align::right},
               {"PAGES", Align::right},
               {"EXTRA POLLS/DAY", Align::right},
               {"CHANGES LOST/DAY", Align::right}});
  for (const lab::IntervalCost& cost : advice.intervals) {
    table.add({lasting(cost.max_interval), std::to_string(cost.pages),
               number(cost.extra_polls * a_day), number(cost.lost * a_day)});
  }
  table.print(stdout);
}

void print_text(const Watched& watched, const Advice& advice, std::size_t limit) {
  print(fmt::format("{} pages change {} times a day, by the rates learnt. Budget {} polls/s.\n",
                    watched.list.pages.size(), number(changes_of(watched)),
                    number(watched.list.budget)));
  if (watched.without_rate > 0) {
    print(fmt::format("{} pages without a rate so far are left out.\n", watched.without_rate));
  }
  if (watched.objective != "changes" && !watched.objective.empty()) {
    print(fmt::format("The objective is {}; this is about finding changes.\n",
                      printable(watched.objective, 20)));
  }
  print("\n");
  Table table({{"BUDGET", Align::right},
               {"POLLS/DAY", Align::right},
               {"CHANGES/DAY", Align::right},
               {"CAUGHT", Align::right},
               {"MEAN DELAY", Align::right}});
  for (std::size_t i = 0; i < std::size(factors); ++i) {
    const lab::Outlook& o = advice.budgets[i];
    table.add({fmt::format("× {}", factors[i]), number(o.polls * a_day), number(o.found * a_day),
               fmt::format("{:.1f} %", 100 * o.share), lasting(o.mean_delay)});
  }
  table.print(stdout);
  print_droppable(watched, advice, limit);
  print_intervals(advice);
}

int run_advise(const AdviseOptions& options) {
  auto reader = store::Reader::open(options.database);
  if (!reader) return report(reader.error());
  const Result<Watched> list = watched(**reader);
  if (!list) return report(list.error());
  const Advice advice = advise(*list);
  if (options.json) {
    show_json(to_json(*list, advice, options.limit));
  } else {
    print_text(*list, advice, options.limit);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_lab_advise(CommandLine& line) {
  auto o = std::make_shared<AdviseOptions>();
  line.option("--database", o->database, "A daemon's database, in use or not").required();
  line.option("--limit", o->limit, "Pages that could be dropped: so many are listed")
      .show_default();
  line.flag("--json", o->json, "Print JSON");
  line.footer(
      "Computed from the rates learnt, as if pages had no memory; host limits are left out.");
  return [o] { return run_advise(*o); };
}

}  // namespace pollux::cli
