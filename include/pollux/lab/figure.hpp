// `pollux lab figure`: the figures of the papers, measured with our classes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::lab {

// Colour and dash, each a number; equal colours say "the same thing under another condition".
struct Pen {
  std::size_t colour = 0, dash = 0;
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::optional<Pen> pen = {};  // none: one that no other series of the plot has
};

struct Plot {
  std::string id, title, x_label, y_label;
  std::vector<Series> series;
};

struct FigureInfo {
  std::string_view id;  // the document's number and the figure's: 000-5, 001-7.5
  std::string_view title;
};
std::span<const FigureInfo> figures();

// Runs on `threads` threads (0: all cores); id must be known.
Plot make_figure(std::string_view id, unsigned threads);

std::string to_csv(const Plot& plot);
std::string to_svg(const Plot& plot);

}  // namespace pollux::lab
