#include "pollux/lab/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pollux::lab {

namespace {

constexpr double plot_width = 580, plot_height = 380, left = 70, top = 44, bottom = 56;
constexpr double legend_row = 18, legend_gap = 22, legend_pen = 30, character = 7.2;
// Eight hues that stay apart for colour-blind readers; then the same dashed, dotted and both.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
constexpr std::array dashes{"", "6 3", "2 2.5", "9 3 2 3"};
constexpr std::size_t few = 20;  // points of a series: each of them is marked

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
      csv += '"' + series.name + '"' + format(",%.10g,%.6f\n", x, y);
    }
  }
  return csv;
}

namespace {

struct Frame {
  Axis x, y;
  double width, height;  // of the drawing

  double px(double value) const { return left + (value - x.low) / (x.high - x.low) * plot_width; }
  double py(double value) const {
    return top + plot_height - (value - y.low) / (y.high - y.low) * plot_height;
  }
};

// The drawing grows with its legend.
Frame frame_of(const Plot& plot) {
  double x_low = 1e300, x_high = -1e300, y_high = -1e300;
  std::size_t longest = 0;
  for (const Series& series : plot.series) {
    longest = std::max(longest, series.name.size());
    for (const auto& [x, y] : series.points) {
      x_low = std::min(x_low, x);
      x_high = std::max(x_high, x);
      y_high = std::max(y_high, y);
    }
  }
  const double legend = legend_gap + legend_pen + 12 + character * static_cast<double>(longest);
  const double rows = legend_row * static_cast<double>(plot.series.size());
  return {axis(x_low, x_high), axis(0, y_high), left + plot_width + std::max(legend, 210.0),
          top + std::max(plot_height + bottom, rows + 24)};
}

std::string grid(const Frame& frame) {
  std::string svg;
  const double floor = top + plot_height;
  for (double x = frame.x.low; x <= frame.x.high + frame.x.step / 2; x += frame.x.step) {
    svg += format("<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>", frame.px(x), top, floor);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", frame.px(x), floor + 18) +
           number(x) + "</text>\n";
  }
  for (double y = frame.y.low; y <= frame.y.high + frame.y.step / 2; y += frame.y.step) {
    svg += format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>", left, frame.py(y),
                  left + plot_width);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 6, frame.py(y) + 4) +
           number(y) + "</text>\n";
  }
  return svg;
}

std::string labels(const Plot& plot, const Frame& frame) {
  const double floor = top + plot_height;
  std::string svg =
      format("<text x=\"%g\" y=\"24\" font-size=\"15\">", left) + escaped(plot.title) + "</text>\n";
  svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", left + plot_width / 2,
                floor + 42) +
         escaped(plot.x_label) + "</text>\n";
  svg += format("<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                top + plot_height / 2) +
         escaped(plot.y_label) + "</text>\n";
  svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" font-size=\"10\" fill=\"#777\">",
                frame.width - 8, frame.height - 8) +
         "pollux lab figure " + escaped(plot.id) + "</text>\n";
  return svg;
}

struct Pens {
  std::string point, line;  // a point is too small for dashes
};

Pens pens_of(const Series& series, std::size_t at) {
  const Pen pen = series.pen.value_or(Pen{at % colours.size(), at / colours.size()});
  const std::string dash = dashes[pen.dash % dashes.size()];
  const std::string point =
      format("stroke=\"%s\" stroke-width=\"1.8\"", colours[pen.colour % colours.size()]);
  return {point, point + (dash.empty() ? "" : " stroke-dasharray=\"" + dash + '"')};
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const Frame frame = frame_of(plot);
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
      frame.width, frame.height, frame.width, frame.height);
  svg += grid(frame) + labels(plot, frame);
  const double legend_x = left + plot_width + legend_gap;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const auto [point, pen] = pens_of(series, i);
    svg += "<polyline fill=\"none\" " + pen + " points=\"";
    for (const auto& [x, y] : series.points) svg += format("%.1f,%.1f ", frame.px(x), frame.py(y));
    svg += "\"/>\n";
    for (const auto& [x, y] : series.points) {
      if (series.points.size() > few) break;
      svg += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"white\" ", frame.px(x),
                    frame.py(y)) +
             point + "/>\n";
    }
    const double y = top + 10 + legend_row * static_cast<double>(i);
    svg += format("<path d=\"M%.1f %.1fh24\" ", legend_x, y) + pen + "/>";
    svg += format("<text x=\"%.1f\" y=\"%.1f\">", legend_x + legend_pen, y + 4) +
           escaped(series.name) + "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace pollux::lab
