#include "lab/fetch_queue_figure.hpp"

#include "pollux/concurrency/fetch_queue_model.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::lab {

Plot switching_curves(const FigureInfo& figure, double starvation_weight) {
  constexpr int fetches = 16;
  const concurrency::FetchQueueModel model{.arrival_rate = 0.1,
                                           .service_rate = 1,
                                           .capacity = 5,
                                           .starvation_weight = starvation_weight};
  const concurrency::SwitchedOptimum best = concurrency::best_switched(model, fetches).value();
  Plot plot{std::string(figure.id),
            fmt::format("{}: cost {:.5f}", figure.title, best.cost),
            "robots out, of 16",
            "switched on while so many pages wait, at most",
            {}};
  for (const auto& [event, name] : {std::pair{concurrency::Event::arrival, "at an arrival"},
                                    {concurrency::Event::departure, "at a departure"}}) {
    Series series{name, {}};
    for (int out = 0; out <= fetches; ++out) {
      const int queue = concurrency::switching_point(best.policy, event, out);
      if (queue >= 0) series.points.emplace_back(out, queue);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

namespace {

using concurrency::FetchQueueModel;

FetchQueueModel queue_of(double ratio, int capacity, double starvation_weight) {
  return {.arrival_rate = 1 / ratio,
          .service_rate = 1,
          .capacity = capacity,
          .starvation_weight = starvation_weight};
}

// The figures are marked "must be modified with the new cost" in the document, and give no values
// to compare with: these are drawn with that cost.
constexpr int longest_queue = 40;
constexpr double weights[] = {0.5, 2};

}  // namespace

Plot fetches_by_weight(const FigureInfo& figure, unsigned) {
  Plot plot{
      std::string(figure.id), std::string(figure.title), "gamma", "best number of robots", {}};
  for (const int capacity : {5, 10}) {
    Series series{fmt::format("K = {}", capacity), {}};
    for (int k = 1; k <= 100; ++k) {
      const double gamma = 0.1 * k;
      series.points.emplace_back(gamma,
                                 concurrency::best_fixed(queue_of(5.7, capacity, gamma)).fetches);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Plot loads_by_queue(const FigureInfo& figure, unsigned) {
  Plot plot{std::string(figure.id), std::string(figure.title), "K", "best load", {}};
  for (const double gamma : weights) {
    Series series{fmt::format("gamma = {}", gamma), {}};
    for (int capacity = 2; capacity <= longest_queue; ++capacity) {
      series.points.emplace_back(capacity, concurrency::best_load(queue_of(10, capacity, gamma)));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Plot fetches_by_queue(const FigureInfo& figure, unsigned) {
  Plot plot{std::string(figure.id), std::string(figure.title), "K", "best number of robots", {}};
  for (const double ratio : {5.7, 6.0}) {
    for (const double gamma : weights) {
      Series series{fmt::format("mu/lambda = {}, gamma = {}", ratio, gamma), {}};
      for (int capacity = 2; capacity <= longest_queue; ++capacity) {
        series.points.emplace_back(
            capacity, concurrency::best_fixed(queue_of(ratio, capacity, gamma)).fetches);
      }
      plot.series.push_back(std::move(series));
    }
  }
  return plot;
}

Plot fetches_for_long_queues(const FigureInfo& figure, unsigned) {
  Plot plot{
      std::string(figure.id), std::string(figure.title), "mu/lambda", "best number of robots", {}};
  constexpr int long_queue = 400;
  for (const double gamma : weights) {
    Series limit{fmt::format("equation 16, gamma = {}", gamma), {}};
    Series exact{fmt::format("K = {}, gamma = {}", long_queue, gamma), {}};
    for (int k = 20; k <= 200; ++k) {
      const double ratio = 0.05 * k;
      const FetchQueueModel model = queue_of(ratio, long_queue, gamma);
      limit.points.emplace_back(ratio, concurrency::best_fixed_for_long_queues(model));
      exact.points.emplace_back(ratio, concurrency::best_fixed(model).fetches);
    }
    plot.series.push_back(std::move(limit));
    plot.series.push_back(std::move(exact));
  }
  return plot;
}

}  // namespace pollux::lab
