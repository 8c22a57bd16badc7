#include "lab/time_slot_figures.hpp"

#include "pollux/lab/parallel.hpp"

#include <string>

namespace pollux::lab {

namespace {

constexpr std::size_t usual_seeds = 3;
const std::vector<std::string> policies{"cgla",    "fpa",   "weighted-proportional",
                                        "uniform", "htraa", "optimal"};
constexpr const char* retrieved = "importance retrieved / expected";

struct TimeSlotLine {
  std::string name;
  TimeSlotRun run;
  std::optional<Pen> pen = {};
};

// Every line with every seed; the results of one line are neighbours.
std::vector<TimeSlotResult> run_lines(const FigureInfo& figure,
                                      const std::vector<TimeSlotLine>& lines, std::size_t seeds,
                                      unsigned threads) {
  std::vector<TimeSlotResult> results(lines.size() * seeds);
  run_parallel(results.size(), threads, "figure " + std::string(figure.id), [&](std::size_t i) {
    TimeSlotRun run = lines[i / seeds].run;
    run.world.seed = 1 + i % seeds;
    results[i] = run_time_slots(run);
  });
  return results;
}

Plot over_time(const FigureInfo& figure, const std::vector<TimeSlotLine>& lines,
               std::vector<double> TimeSlotResult::*curve, const char* y_label, unsigned threads,
               std::size_t seeds = usual_seeds) {
  const std::vector<TimeSlotResult> results = run_lines(figure, lines, seeds, threads);
  Plot plot{std::string(figure.id), std::string(figure.title), "time slots", y_label, {}};
  for (std::size_t line = 0; line < lines.size(); ++line) {
    Series series{lines[line].name, {}, lines[line].pen};
    const std::size_t points = (results[line * seeds].*curve).size();
    const double stretch = static_cast<double>(lines[line].run.slots) / static_cast<double>(points);
    for (std::size_t k = 0; k < points; ++k) {
      double sum = 0;
      for (std::size_t s = 0; s < seeds; ++s) sum += (results[line * seeds + s].*curve)[k];
      series.points.emplace_back(stretch * static_cast<double>(k + 1),
                                 sum / static_cast<double>(seeds));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

TimeSlotRun reversing(const std::string& policy, Updates updates) {
  TimeSlotRun run;
  run.policy = policy;
  run.world.updates = updates;
  run.world.reverse_every = 2500;
  run.slots = 10000;
  run.points = 80;
  return run;
}

// The oracle divides a fluid budget best for changes that stay to be found. Slots are no fluid, so
// it can be beaten, and what can be beaten is not called optimal.
std::string shown_as(const std::string& policy, Updates updates) {
  if (policy != "optimal") return policy;
  return updates == Updates::vanishing ? "knows the rates, as if overwritten" : "knows the rates";
}

}  // namespace

Plot cgla_states(const FigureInfo& figure, unsigned threads) {
  std::vector<TimeSlotLine> lines;
  for (const int states : {16, 32, 64, 128}) {
    TimeSlotRun run;
    run.papers.states = states;
    lines.push_back({"N = " + std::to_string(states), run});
  }
  return over_time(figure, lines, &TimeSlotResult::curve, retrieved, threads);
}

Plot partitions(const FigureInfo& figure, const std::vector<int>& states, unsigned threads) {
  std::vector<TimeSlotLine> lines;
  for (const int n : states) {
    for (const char* part : {"0.1", "0.2", "0.5", "0.8"}) {
      TimeSlotRun run;
      run.policy = "fpa";
      run.papers.states = n;
      run.papers.waiting_part = std::stod(part);
      run.world.pages = 100;
      const Pen pen{lines.size() % 4, lines.size() / 4};
      lines.push_back({"N = " + std::to_string(n) + ", f = " + part, run, pen});
    }
  }
  // A tenth of the pages: single runs differ much, and cost little.
  return over_time(figure, lines, &TimeSlotResult::curve, retrieved, threads, 20);
}

Plot by_ratio(const FigureInfo& figure, Updates updates, unsigned threads) {
  const std::vector<double> ratios{1.5, 2, 2.5, 3, 3.5, 4};
  std::vector<TimeSlotLine> lines;
  for (const std::string& policy : policies) {
    for (const double ratio : ratios) {
      TimeSlotRun run;
      run.policy = policy;
      run.world.updates = updates;
      run.world.change_ratio = ratio;
      lines.push_back({shown_as(policy, updates), run});
    }
  }
  constexpr std::size_t seeds = usual_seeds;
  const std::vector<TimeSlotResult> results = run_lines(figure, lines, seeds, threads);
  Plot plot{std::string(figure.id), std::string(figure.title), "changes per poll", retrieved, {}};
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (line % ratios.size() == 0) plot.series.push_back({lines[line].name, {}});
    double sum = 0;
    for (std::size_t s = 0; s < seeds; ++s) sum += results[line * seeds + s].tail;
    plot.series.back().points.emplace_back(ratios[line % ratios.size()], sum / seeds);
  }
  return plot;
}

Plot polls_asked(const FigureInfo& figure, unsigned threads) {
  Plot plot = over_time(figure,
                        {{"cgla, overwritten", reversing("cgla", Updates::overwritten), Pen{0, 0}},
                         {"cgla, vanishing", reversing("cgla", Updates::vanishing), Pen{1, 1}}},
                        &TimeSlotResult::asked, "polls asked for in a slot", threads);
  // The fixed partition asks for the capacity, always.
  Series capacity{"fpa, both", plot.series.front().points, Pen{2, 2}};
  for (auto& point : capacity.points) point.second = TimeSlotOptions{}.pages / 10.0;
  plot.series.push_back(std::move(capacity));
  return plot;
}

Plot reversed(const FigureInfo& figure, unsigned threads) {
  std::vector<TimeSlotLine> lines;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    lines.push_back({shown_as(policies[i], Updates::overwritten) + ", overwritten",
                     reversing(policies[i], Updates::overwritten), Pen{i, 0}});
    lines.push_back({shown_as(policies[i], Updates::vanishing) + ", vanishing",
                     reversing(policies[i], Updates::vanishing), Pen{i, 1}});
  }
  return over_time(figure, lines, &TimeSlotResult::curve, retrieved, threads);
}

}  // namespace pollux::lab
