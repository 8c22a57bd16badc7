#include "pollux/base/exit_code.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace pollux::cli {
namespace {

constexpr const char* description =
    "Pollux watches a list of live URLs under one budget of polls per second, and learns which\n"
    "pages are worth them.";
constexpr const char* first_steps =
    "Start here:\n"
    "  pollux demo                        a built-in site, watched for a minute\n"
    "  pollux check --config pollux.yaml  is the configuration right, can it be met?\n"
    "  pollux run --config pollux.yaml    the daemon\n"
    "\n"
    "The smallest configuration:\n"
    "  budget: 1                          # polls per second; also 300/min, 5000/h\n"
    "  pages:\n"
    "    - https://example.org/\n"
    "\n"
    "Each command explains itself: pollux COMMAND --help\n"
    "Exit codes: 0 done, 64 usage, 65 bad data, 66 missing input, 70 a defect, 73 cannot create,\n"
    "74 input or output, 75 try later (another daemon holds the database), 78 configuration";

// "pollux check: --config is required", and where help is.
std::string complaint(const CLI::App* app, const CLI::Error& error) {
  std::string command = "pollux";
  for (const CLI::App* chosen : app->get_subcommands()) command += ' ' + chosen->get_name();
  return command + ": " + error.what() + "\nHelp: " + command + " --help\n";
}

bool is_command(std::string_view word) {
  const std::span<const Command> table = commands();
  return std::any_of(table.begin(), table.end(),
                     [&](const Command& command) { return command.name == word; });
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app(description, "pollux");
  app.set_version_flag("--version", std::string("pollux ") + POLLUX_VERSION);
  app.require_subcommand(1);
  app.footer(first_steps);
  app.failure_message(&complaint);

  int exit_code = static_cast<int>(ExitCode::ok);
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->callback([body = command.setup(*sub), &exit_code] { exit_code = body(); });
  }
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(ExitCode::usage);
  }
  if (argv[1][0] != '-' && !is_command(argv[1])) {
    std::fprintf(stderr, "pollux: there is no command '%s'\nHelp: pollux --help\n",
                 printable(argv[1], 60).c_str());
    return static_cast<int>(ExitCode::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the complaint
    return static_cast<int>(code == 0 ? ExitCode::ok : ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pollux: %s\n", error.what());
    return static_cast<int>(ExitCode::software);
  }
  return exit_code;
}

}  // namespace pollux::cli
