#include "pollux/lab/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pollux::lab {

namespace {

constexpr double width = 860, height = 480, left = 70, right = 210, top = 44, bottom = 56;
// Eight hues that stay apart for colour-blind readers, then the same dashed.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};

template <typename... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

struct Axis {
  double low, high, step;
};

// Round ticks, about six of them.
Axis axis(double low, double high) {
  if (high <= low) high = low + 1;
  const double raw = (high - low) / 6;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  }
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

std::string number(double value) {
  if (std::abs(value) >= 1e6) return format("%gM", value / 1e6);
  if (std::abs(value) >= 1e4) return format("%gk", value / 1e3);
  return format("%.6g", value);
}

}  // namespace

std::string to_csv(const Plot& plot) {
  std::string csv = "series,x,y\n";
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      csv += series.name + format(",%.10g,%.6f\n", x, y);
    }
  }
  return csv;
}

std::string to_svg(const Plot& plot) {
  double x_low = 1e300, x_high = -1e300, y_high = -1e300;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      x_low = std::min(x_low, x);
      x_high = std::max(x_high, x);
      y_high = std::max(y_high, y);
    }
  }
  const Axis xs = axis(x_low, x_high), ys = axis(0, y_high);
  const auto px = [&](double x) {
    return left + (x - xs.low) / (xs.high - xs.low) * (width - left - right);
  };
  const auto py = [&](double y) {
    return height - bottom - (y - ys.low) / (ys.high - ys.low) * (height - top - bottom);
  };
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
      width, height, width, height);
  svg +=
      format("<text x=\"%g\" y=\"24\" font-size=\"15\">", left) + escaped(plot.title) + "</text>\n";
  for (double x = xs.low; x <= xs.high + xs.step / 2; x += xs.step) {
    svg += format("<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>", px(x), top, height - bottom);
    svg +=
        format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", px(x), height - bottom + 18) +
        number(x) + "</text>\n";
  }
  for (double y = ys.low; y <= ys.high + ys.step / 2; y += ys.step) {
    svg += format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>", left, py(y), width - right);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 6, py(y) + 4) +
           number(y) + "</text>\n";
  }
  svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (left + width - right) / 2,
                height - 14) +
         escaped(plot.x_label) + "</text>\n";
  svg += format("<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                height / 2) +
         escaped(plot.y_label) + "</text>\n";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const std::string pen =
        format("stroke=\"%s\" stroke-width=\"1.8\"%s", colours[i % colours.size()],
               i >= colours.size() ? " stroke-dasharray=\"6 3\"" : "");
    svg += "<polyline fill=\"none\" " + pen + " points=\"";
    for (const auto& [x, y] : series.points) svg += format("%.1f,%.1f ", px(x), py(y));
    svg += "\"/>\n";
    const double y = top + 10 + 18 * static_cast<double>(i);
    svg += format("<path d=\"M%.1f %.1fh24\" ", width - right + 12, y) + pen + "/>";
    svg += format("<text x=\"%.1f\" y=\"%.1f\">", width - right + 42, y + 4) +
           escaped(series.name) + "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace pollux::lab
