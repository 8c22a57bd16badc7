#include "lab/access_figure.hpp"

#include "pollux/lab/access.hpp"
#include "pollux/lab/parallel.hpp"

#include <functional>
#include <iterator>
#include <string>

namespace pollux::lab {
namespace {

constexpr int runs = 8;  // as in the document

struct AccessLine {
  std::string name;
  AccessWorld world;
  std::function<AccessCurve(const AccessWorld&)> run;
  std::optional<Pen> pen = {};
};

enum class AccessAxis { rounds, polls };

Plot draw(const FigureInfo& figure, const std::vector<AccessLine>& lines, AccessAxis axis,
          unsigned threads) {
  std::vector<std::vector<AccessCurve>> curves(lines.size(), std::vector<AccessCurve>(runs));
  run_parallel(lines.size() * runs, threads, "figure " + std::string(figure.id),
               [&](std::size_t i) {
                 AccessWorld world = lines[i / runs].world;
                 world.seed = 1 + i % runs;
                 curves[i / runs][i % runs] = lines[i / runs].run(world);
               });
  Plot plot{std::string(figure.id),
            std::string(figure.title),
            axis == AccessAxis::rounds ? "rounds over all sites" : "polls",
            "download time / least possible",
            {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Series series{lines[i].name, {}, lines[i].pen};
    double x = 0;
    for (const double y : mean(curves[i])) {
      x += axis == AccessAxis::rounds ? 1 : static_cast<double>(lines[i].world.sites);
      series.points.emplace_back(x, y);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

using placement::Exchange;
constexpr Exchange exchanges[] = {Exchange::action_5, Exchange::classic, Exchange::eager};

std::string name_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::action_5:
      return "Action 5";
    case Exchange::classic:
      return "classic OMA";
    case Exchange::eager:
      break;
  }
  return "eager";
}

AccessLine published(const std::string& name, const AccessWorld& world, const PublishedRules& rules,
                     int rounds) {
  return {name_of(rules.exchange) + ", " + name,
          world,
          [rules, rounds](const AccessWorld& w) { return run_published(w, rules, rounds); },
          {}};
}

AccessLine ours(std::string name, const AccessWorld& world, Capacities capacities, int rounds) {
  return {
      std::move(name),
      world,
      [capacities, rounds](const AccessWorld& w) { return run_placement(w, capacities, rounds); },
      {}};
}

// One colour per world, one dash per rule.
void mark(std::vector<AccessLine>& lines, std::size_t rules) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].pen = Pen{i / rules, i % rules};
}

AccessWorld world_of(std::size_t sites, std::size_t arms = 3, double kin = 0.5) {
  AccessWorld world;
  world.sites = sites;
  world.arms = arms;
  world.kin = kin;
  return world;
}

}  // namespace

Plot access_learning(const FigureInfo& figure, unsigned threads) {
  constexpr int rounds = 100;
  std::vector<AccessLine> lines;
  for (const auto& [kin, name] :
       {std::pair{1.0, "pairs of kin"}, {0.5, "half kin"}, {0.0, "random pairs"}}) {
    for (const Exchange exchange : exchanges) {
      lines.push_back(published(name, world_of(90, 3, kin), {.exchange = exchange}, rounds));
    }
  }
  mark(lines, std::size(exchanges));
  lines.push_back(ours("pollux", world_of(90), Capacities::none, rounds));
  lines.push_back(ours("pollux, capacity 30", world_of(90), Capacities::equal, rounds));
  lines[9].pen = Pen{3, 3};
  lines[10].pen = Pen{4, 3};
  return draw(figure, lines, AccessAxis::rounds, threads);
}

Plot access_jumps(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const unsigned jump : {1u, 2u, 3u, 4u}) {
    for (const Exchange exchange : exchanges) {
      lines.push_back(published(std::to_string(jump) + (jump == 1 ? " state" : " states"),
                                world_of(90), {.jump = jump, .exchange = exchange}, 150));
    }
  }
  mark(lines, std::size(exchanges));
  return draw(figure, lines, AccessAxis::rounds, threads);
}

Plot access_sites(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const std::size_t sites : {90ul, 180ul, 360ul, 720ul}) {
    const int rounds = static_cast<int>(36000 / sites);
    const std::string name = std::to_string(sites) + " sites";
    for (const Exchange exchange : exchanges) {
      lines.push_back(published(name, world_of(sites), {.exchange = exchange}, rounds));
    }
    lines.push_back(ours("pollux, " + name, world_of(sites), Capacities::none, rounds));
  }
  mark(lines, std::size(exchanges) + 1);
  return draw(figure, lines, AccessAxis::polls, threads);
}

Plot access_arms(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const std::size_t arms : {2ul, 3ul, 6ul, 9ul}) {
    const std::string name = std::to_string(arms) + " arms";
    for (const Exchange exchange : exchanges) {
      lines.push_back(published(name, world_of(360, arms), {.exchange = exchange}, 150));
    }
    lines.push_back(ours("pollux, " + name, world_of(360, arms), Capacities::none, 150));
  }
  mark(lines, std::size(exchanges) + 1);
  return draw(figure, lines, AccessAxis::rounds, threads);
}

Plot access_changes(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const auto& [kin, name] : {std::pair{1.0, "pairs of kin"}, {0.5, "half kin"}}) {
    AccessWorld world = world_of(90, 3, kin);
    world.change_every = 100;
    for (const Exchange exchange : exchanges) {
      lines.push_back(published(name, world, {.exchange = exchange}, 400));
    }
  }
  mark(lines, std::size(exchanges));
  AccessWorld world = world_of(90);
  world.change_every = 100;
  lines.push_back(ours("pollux", world, Capacities::none, 400));
  lines.push_back(ours("pollux, capacity 30", world, Capacities::equal, 400));
  lines[6].pen = Pen{2, 3};
  lines[7].pen = Pen{3, 3};
  return draw(figure, lines, AccessAxis::rounds, threads);
}

}  // namespace pollux::lab
