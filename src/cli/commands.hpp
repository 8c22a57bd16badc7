// One line for each command's file; the table that joins them is in commands.cpp.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace pollux::cli {

std::function<int()> setup_run(CLI::App& app);
std::function<int()> setup_check(CLI::App& app);
std::function<int()> setup_demo(CLI::App& app);
std::function<int()> setup_lab(CLI::App& app);
std::function<int()> setup_pages(CLI::App& app);
std::function<int()> setup_changes(CLI::App& app);
std::function<int()> setup_status(CLI::App& app);
std::function<int()> setup_access_points(CLI::App& app);
std::function<int()> setup_explain(CLI::App& app);

}  // namespace pollux::cli
