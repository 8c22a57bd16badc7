#include "lab/access_figure.hpp"

#include "pollux/lab/access.hpp"
#include "pollux/lab/parallel.hpp"

#include <functional>
#include <string>

namespace pollux::lab {
namespace {

constexpr int runs = 8;  // as in the document
constexpr unsigned published_states = 8;

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

AccessLine published(std::string name, const AccessWorld& world, unsigned jump, int rounds) {
  return {std::move(name),
          world,
          [jump, rounds](const AccessWorld& w) {
            return run_published(w, published_states, jump, rounds);
          },
          {}};
}

AccessLine ours(std::string name, const AccessWorld& world, Capacities capacities, int rounds) {
  return {
      std::move(name),
      world,
      [capacities, rounds](const AccessWorld& w) { return run_placement(w, capacities, rounds); },
      {}};
}

// Of two lines the first is the document's and the second ours, in the same world.
void pair_up(std::vector<AccessLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].pen = Pen{i / 2, i % 2};
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
  return draw(figure,
              {published("published, pairs of kin", world_of(90, 3, 1), 2, rounds),
               published("published, half kin", world_of(90, 3, 0.5), 2, rounds),
               published("published, random pairs", world_of(90, 3, 0), 2, rounds),
               ours("pollux", world_of(90), Capacities::none, rounds),
               ours("pollux, capacity 30", world_of(90), Capacities::equal, rounds)},
              AccessAxis::rounds, threads);
}

Plot access_jumps(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const unsigned jump : {1u, 2u, 3u, 4u}) {
    lines.push_back(published(std::to_string(jump) + (jump == 1 ? " state" : " states"),
                              world_of(90), jump, 150));
  }
  return draw(figure, lines, AccessAxis::rounds, threads);
}

Plot access_sites(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const std::size_t sites : {90ul, 180ul, 360ul, 720ul}) {
    const int rounds = static_cast<int>(36000 / sites);
    lines.push_back(
        published("published, " + std::to_string(sites) + " sites", world_of(sites), 2, rounds));
    lines.push_back(ours("pollux, " + std::to_string(sites) + " sites", world_of(sites),
                         Capacities::none, rounds));
  }
  pair_up(lines);
  return draw(figure, lines, AccessAxis::polls, threads);
}

Plot access_arms(const FigureInfo& figure, unsigned threads) {
  std::vector<AccessLine> lines;
  for (const std::size_t arms : {2ul, 3ul, 6ul, 9ul}) {
    lines.push_back(
        published("published, " + std::to_string(arms) + " arms", world_of(360, arms), 2, 150));
    lines.push_back(ours("pollux, " + std::to_string(arms) + " arms", world_of(360, arms),
                         Capacities::none, 150));
  }
  pair_up(lines);
  return draw(figure, lines, AccessAxis::rounds, threads);
}

Plot access_changes(const FigureInfo& figure, unsigned threads) {
  AccessWorld world = world_of(90);
  world.change_every = 100;
  AccessWorld kin = world_of(90, 3, 1);
  kin.change_every = 100;
  return draw(figure,
              {published("published, pairs of kin", kin, 2, 400),
               published("published, half kin", world, 2, 400),
               ours("pollux", world, Capacities::none, 400),
               ours("pollux, capacity 30", world, Capacities::equal, 400)},
              AccessAxis::rounds, threads);
}

}  // namespace pollux::lab
