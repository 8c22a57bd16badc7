// The table of subcommands. Each command lives in a file of its own in src/cli and is one row here.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace pollux::cli {

class CommandLine;

// What a command is for: help shows each group by itself.
enum class Group { watch, look, steer, lab };
std::string_view heading_of(Group group);

struct Command {
  std::string_view name;
  std::string_view summary;
  // Declares what the command accepts and returns what runs when it is chosen; the result is the
  // process's exit code. The values live in a shared state captured by the returned function. A
  // command that only has subcommands returns an empty function.
  std::function<int()> (*setup)(CommandLine& line);
  Group group = Group::look;
};
std::span<const Command> commands();

// Parses and runs; used by main and by tests.
int run(int argc, const char* const* argv);

}  // namespace pollux::cli
