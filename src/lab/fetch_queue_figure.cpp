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

}  // namespace pollux::lab
