// The parts that the screens of `pollux top` are made of. Pure.
#pragma once

#include "cli/top_view.hpp"

namespace pollux::cli {

// What runs, since when, and the time; or that there is no daemon.
TopLine title_line(const TopModel& model, std::size_t width, WallTime now);
// Three lines: budget, pages, changes.
std::vector<TopLine> figure_lines(const TopModel& model, std::size_t width);
// The head and a line for each row.
std::vector<std::string> list_lines(const TopList& list, std::size_t width);
std::string empty_text(TopTab tab, bool filtered);
std::vector<TopLine> help_lines();

}  // namespace pollux::cli
