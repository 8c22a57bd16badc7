#include "pollux/lab/figure.hpp"

#include "lab/access_figure.hpp"
#include "lab/fetch_queue_figure.hpp"
#include "lab/lifetime_figure.hpp"
#include "lab/time_slot_figures.hpp"
#include "pollux/lab/bursts.hpp"
#include "pollux/lab/parallel.hpp"
#include "pollux/lab/zipf_experiment.hpp"

#include <stdexcept>

namespace pollux::lab {

namespace {

constexpr int zipf_seeds = 3;

const std::vector<std::string> everybody{"htraa",
                                         "htraa-rp",
                                         "htraa-ri",
                                         "htraa-ip",
                                         "lakg",
                                         "cgla",
                                         "fpa",
                                         "estimator",
                                         "nutch",
                                         "stormcrawler",
                                         "uniform",
                                         "proportional",
                                         "weighted-proportional",
                                         "optimal"};

// One line of a figure on synthetic pages.
struct ZipfLine {
  std::string name;
  ZipfRun run;
  std::optional<Pen> pen = {};
};

Plot curves(const FigureInfo& figure, const std::vector<ZipfLine>& lines, unsigned threads) {
  std::vector<std::vector<ZipfResult>> results(lines.size(), std::vector<ZipfResult>(zipf_seeds));
  run_parallel(lines.size() * zipf_seeds, threads, "figure " + std::string(figure.id),
               [&](std::size_t i) {
                 ZipfRun run = lines[i / zipf_seeds].run;
                 run.world.seed = 1 + i % zipf_seeds;
                 results[i / zipf_seeds][i % zipf_seeds] = run_zipf(run);
               });
  Plot plot{std::string(figure.id),
            std::string(figure.title),
            "polls",
            "changes found / best possible",
            {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Polls are no fluid: the scheduler lets others find more than this oracle, now and then.
    const bool oracle = lines[i].name == "optimal";
    Series series{oracle ? "knows the rates" : lines[i].name, {}, lines[i].pen};
    for (const CurvePoint& point : mean(results[i]).curve) {
      series.points.emplace_back(static_cast<double>(point.polls), point.ratio);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// As document 000 has it: pages in the order of their rank, and no exploring beside the policies'
// own.
ZipfRun ranked(double alpha, double beta, std::uint64_t polls, const std::string& policy) {
  ZipfRun run;
  run.explore = 0;
  run.world.alpha = alpha;
  run.world.beta = beta;
  run.world.order = Order::ranked;
  run.polls = polls;
  run.policy = policy;
  return run;
}

Plot comparison(const FigureInfo& figure, double alpha, double beta, std::uint64_t polls,
                std::uint64_t switch_every, unsigned threads) {
  std::vector<ZipfLine> lines;
  for (const std::string& policy : everybody) {
    lines.push_back({policy, ranked(alpha, beta, polls, policy)});
    lines.back().run.world.switch_every = switch_every;
  }
  return curves(figure, lines, threads);
}

Plot perturbed(const FigureInfo& figure, unsigned threads) {
  std::vector<ZipfLine> lines;
  lines.reserve(everybody.size());
  for (const std::string& policy : everybody) {
    lines.push_back({policy, ranked(0.3, 1.5, 100000, policy)});
  }
  for (const char* policy : {"htraa-rp", "lakg", "htraa"}) {
    for (const auto& [count, swaps] : {std::pair<std::uint64_t, const char*>{1000, "1 000"},
                                       {10000, "10 000"},
                                       {100000, "100 000"},
                                       {1000000, "1 000 000"}}) {
      lines.push_back(
          {std::string(policy) + ", " + swaps + " swaps", ranked(0.3, 1.5, 100000, policy)});
      lines.back().run.world.perturbations = count;
    }
  }
  // §4.3.3: N twice as large on each level as below, so that the upper automata wait for the lower.
  for (const auto& [count, swaps] :
       {std::pair<std::uint64_t, const char*>{0, "no"}, {1000000, "1 000 000"}}) {
    lines.push_back({std::string("htraa-rp, N = 8 and doubling, ") + swaps + " swaps",
                     ranked(0.3, 1.5, 100000, "htraa-rp")});
    lines.back().run.world.perturbations = count;
    lines.back().run.papers = {.states = 8, .doubling = true};
  }
  for (const int polls : {2, 5, 20, 50}) {
    lines.push_back({"estimator, " + std::to_string(polls) + " polls per page",
                     ranked(0.3, 1.5, 100000, "estimator")});
    lines.back().run.papers.estimation = polls;
  }
  return curves(figure, lines, threads);
}

Plot growth(const FigureInfo& figure, const std::string& policy, unsigned threads) {
  std::vector<ZipfLine> lines;
  for (const std::string& name : {policy, std::string("htraa")}) {
    for (const std::size_t pages : {512UL, 2048UL, 8192UL, 32768UL}) {
      lines.push_back({name + ", " + std::to_string(pages) + " pages",
                       ranked(0.3, 1.5, 300000, name), Pen{lines.size() % 4, lines.size() / 4}});
      lines.back().run.world.pages = pages;
      lines.back().run.world.switch_every = 80000;
    }
  }
  return curves(figure, lines, threads);
}

struct Row {
  FigureInfo info;
  Plot (*make)(const FigureInfo&, unsigned threads);
};

Plot learning(const FigureInfo& figure, unsigned threads) {
  std::vector<ZipfLine> lines;
  for (const std::string& policy : everybody) {
    lines.push_back({policy, ranked(0.9, 1.5, 30000, policy)});
    lines.back().run.world.order = Order::shuffled;
    lines.back().run.explore = -1;
  }
  return curves(figure, lines, threads);
}

// Found and median delay, with looks and without, by how often sites are deployed.
Plot following(const FigureInfo& figure, unsigned threads) {
  const std::vector<double> between{0.5, 1, 2, 3, 4, 6, 8, 12, 16};
  constexpr std::size_t seeds = 3;
  std::vector<BurstResult> results(2 * between.size() * seeds);
  run_parallel(results.size(), threads, "figure " + std::string(figure.id), [&](std::size_t i) {
    BurstRun run;
    run.sweeps = 100;
    run.world.sweeps_between = between[i / seeds % between.size()];
    run.world.seed = 1 + i % seeds;
    run.parts.looks = i < results.size() / 2;
    results[i] = run_bursts(run);
  });
  Plot plot{std::string(figure.id),
            std::string(figure.title),
            "polls per page between two bursts of a site",
            "found / found by who is told; median delay in polls per page",
            {{"found, with looks", {}, Pen{0, 0}},
             {"found, without", {}, Pen{1, 0}},
             {"median delay, with looks", {}, Pen{0, 1}},
             {"median delay, without", {}, Pen{1, 1}}}};
  for (std::size_t i = 0; i < results.size(); i += seeds) {
    double found = 0, delay = 0;
    for (std::size_t k = i; k < i + seeds; ++k) {
      found += results[k].found / results[k].oracle / seeds;
      delay += results[k].median_delay / seeds;
    }
    const std::size_t line = i / seeds / between.size();
    const double x = between[i / seeds % between.size()];
    plot.series[line].points.emplace_back(x, found);
    plot.series[line + 2].points.emplace_back(x, delay);
  }
  return plot;
}

constexpr Row table[] = {
    {{"pollux-1", "512 pages in no order, (0.9, 1.5): how fast each policy learns"}, &learning},
    {{"pollux-2", "Sites that change at once: looks at siblings, and without"}, &following},
    {{"000-5", "Three updates: ranked pages, (0.9, 1.5)"},
     [](const FigureInfo& f, unsigned t) { return comparison(f, 0.9, 1.5, 300000, 0, t); }},
    {{"000-6", "Ranked and perturbed pages, (0.3, 1.5)"},
     [](const FigureInfo& f, unsigned t) { return perturbed(f, t); }},
    {{"000-7", "Ranked pages, (0.3, 1.0)"},
     [](const FigureInfo& f, unsigned t) { return comparison(f, 0.3, 1.0, 100000, 0, t); }},
    {{"000-8", "Ranked pages, (0.9, 1.5)"},
     [](const FigureInfo& f, unsigned t) { return comparison(f, 0.9, 1.5, 100000, 0, t); }},
    {{"000-9", "(0.9, 1.5), ranks switch every 80 000 polls"},
     [](const FigureInfo& f, unsigned t) { return comparison(f, 0.9, 1.5, 300000, 80000, t); }},
    {{"000-10", "(0.9, 1.5), ranks switch every 1 000 polls"},
     [](const FigureInfo& f, unsigned t) { return comparison(f, 0.9, 1.5, 300000, 1000, t); }},
    {{"000-11", "LAKG as the list grows, (0.3, 1.5), switching every 80 000 polls"},
     [](const FigureInfo& f, unsigned t) { return growth(f, "lakg", t); }},
    {{"000-12", "H-TRAA as the list grows, (0.3, 1.5), switching every 80 000 polls"},
     [](const FigureInfo& f, unsigned t) { return growth(f, "htraa-rp", t); }},
    {{"001-7.2", "CGLA with different N: importance retrieved, changes overwritten"}, &cgla_states},
    {{"001-7.3", "FPA with N = 8 and 16 and different f: 100 pages, changes overwritten"},
     [](const FigureInfo& f, unsigned t) {
       return partitions(f, {8, 16}, t);
     }},
    {{"001-7.4", "FPA with N = 32 and 64 and different f: 100 pages, changes overwritten"},
     [](const FigureInfo& f, unsigned t) {
       return partitions(f, {32, 64}, t);
     }},
    {{"001-7.5", "Importance retrieved when changes are overwritten"},
     [](const FigureInfo& f, unsigned t) { return by_ratio(f, Updates::overwritten, t); }},
    {{"001-7.6", "Importance retrieved when changes vanish at once"},
     [](const FigureInfo& f, unsigned t) { return by_ratio(f, Updates::vanishing, t); }},
    {{"001-7.7", "Polls asked for, pages reversed every 2 500 slots"}, &polls_asked},
    {{"001-7.8", "Importance retrieved, pages reversed every 2 500 slots"}, &reversed},
    {{"002-1", "A page's life: a motivation, then the response"}, &lifetimes},
    {{"003-10", "90 sites find their access points: 3 arms, 8 states"}, &access_learning},
    {{"003-11", "How many states a clear answer moves: 90 sites, 3 arms"}, &access_jumps},
    {{"003-12", "More sites: 3 arms"}, &access_sites},
    {{"003-13", "More arms: 360 sites"}, &access_arms},
    {{"003-further", "Every site's best arm changes every 100 rounds: 90 sites, 3 arms"},
     &access_changes},
    {{"004-2", "The best number of robots by the weight of starvation, mu/lambda = 5.7"},
     &fetches_by_weight},
    {{"004-3", "The best load by the length of the queue"}, &loads_by_queue},
    {{"004-4", "The best number of robots by the length of the queue"}, &fetches_by_queue},
    {{"004-5", "The best number of robots for long queues: equation 16 and K = 400"},
     &fetches_for_long_queues},
    {{"004-6", "When a robot is switched on, gamma = 1.0"},
     [](const FigureInfo& f, unsigned) { return switching_curves(f, 1.0); }},
    {{"004-7", "When a robot is switched on, gamma = 1.4"},
     [](const FigureInfo& f, unsigned) { return switching_curves(f, 1.4); }},
    {{"004-8", "When a robot is switched on, gamma = 2.0"},
     [](const FigureInfo& f, unsigned) { return switching_curves(f, 2.0); }},
};

}  // namespace

std::span<const FigureInfo> figures() {
  static const std::vector<FigureInfo> infos = [] {
    std::vector<FigureInfo> collected;
    for (const Row& row : table) collected.push_back(row.info);
    return collected;
  }();
  return infos;
}

Plot make_figure(std::string_view id, unsigned threads) {
  for (const Row& row : table) {
    if (row.info.id == id) return row.make(row.info, threads);
  }
  throw std::invalid_argument("no such figure");
}

}  // namespace pollux::lab
