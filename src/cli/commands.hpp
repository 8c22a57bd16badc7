// One line for each command's file; the table that joins them is in commands.cpp.
#pragma once

#include "pollux/cli/command.hpp"

namespace pollux::cli {

std::function<int()> setup_run(CommandLine& line);
std::function<int()> setup_export(CommandLine& line);
std::function<int()> setup_shard(CommandLine& line);
std::function<int()> setup_check(CommandLine& line);
std::function<int()> setup_import(CommandLine& line);
std::function<int()> setup_demo(CommandLine& line);
std::function<int()> setup_lab(CommandLine& line);
std::function<int()> setup_pages(CommandLine& line);
std::function<int()> setup_changes(CommandLine& line);
std::function<int()> setup_status(CommandLine& line);
std::function<int()> setup_agent(CommandLine& line);
std::function<int()> setup_access_points(CommandLine& line);
std::function<int()> setup_tree(CommandLine& line);
std::function<int()> setup_explain(CommandLine& line);
std::function<int()> setup_diff(CommandLine& line);
std::function<int()> setup_show(CommandLine& line);
std::function<int()> setup_history(CommandLine& line);
std::function<int()> setup_mask(CommandLine& line);
std::function<int()> setup_notify(CommandLine& line);
std::function<int()> setup_try(CommandLine& line);
std::function<int()> setup_add(CommandLine& line);
std::function<int()> setup_remove(CommandLine& line);
std::function<int()> setup_pause(CommandLine& line);
std::function<int()> setup_resume(CommandLine& line);
std::function<int()> setup_poll(CommandLine& line);
std::function<int()> setup_set(CommandLine& line);
std::function<int()> setup_reload(CommandLine& line);
std::function<int()> setup_tail(CommandLine& line);
std::function<int()> setup_read(CommandLine& line);
std::function<int()> setup_top(CommandLine& line);
std::function<int()> setup_docs(CommandLine& line);

}  // namespace pollux::cli
