// The subcommands of `pollux lab`, one file each.
#pragma once

#include "pollux/base/result.hpp"

#include <functional>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace CLI {
class App;
}

namespace pollux::cli {

std::function<int()> setup_lab_zipf(CLI::App& app);
std::function<int()> setup_lab_replay(CLI::App& app);
std::function<int()> setup_lab_cost(CLI::App& app);
std::function<int()> setup_lab_figure(CLI::App& app);
std::function<int()> setup_lab_ages(CLI::App& app);
std::function<int()> setup_lab_record(CLI::App& app);
std::function<int()> setup_lab_robots(CLI::App& app);

// Policies are named in a list, "htraa,uniform"; "all" means every one.
std::vector<std::string> parse_policies(const std::string& names);
// Complains about the first name that is no policy; 0 when all are known.
int check_policies(const std::vector<std::string>& names);
int fail(const Error& error);
void print_json(const boost::json::value& value);

}  // namespace pollux::cli
