#include "lab/lifetime_figure.hpp"

#include <cmath>
#include <string>

namespace pollux::lab {

double two_stage_density(double t, double motivation, double response) {
  const double apart = response - motivation;
  // The limit where the two rates meet.
  if (std::abs(apart) * t < 1e-9) return motivation * response * t * std::exp(-motivation * t);
  return motivation * response / apart * (std::exp(-motivation * t) - std::exp(-response * t));
}

double two_stage_mode(double motivation, double response) {
  if (motivation == response) return 1 / motivation;
  return std::log(motivation / response) / (motivation - response);
}

Plot lifetimes(const FigureInfo& figure, unsigned) {
  constexpr double motivation = 1, response = 2;
  Plot plot{std::string(figure.id),
            std::string(figure.title),
            "time since the last change",
            "density",
            {}};
  Series first{"motivation, rate 1", {}}, second{"response, rate 2", {}}, sum{"page's life", {}};
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.05 * k;
    first.points.emplace_back(t, motivation * std::exp(-motivation * t));
    second.points.emplace_back(t, response * std::exp(-response * t));
    sum.points.emplace_back(t, two_stage_density(t, motivation, response));
  }
  const double mode = two_stage_mode(motivation, response);
  Series largest{"largest at ln(l1/l2)/(l1 - l2)",
                 {{mode, 0}, {mode, two_stage_density(mode, motivation, response)}}};
  plot.series = {std::move(first), std::move(second), std::move(sum), std::move(largest)};
  return plot;
}

}  // namespace pollux::lab
