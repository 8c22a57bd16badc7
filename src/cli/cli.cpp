#include "pollux/base/exit_code.hpp"
#include "pollux/cli/command.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

namespace pollux::cli {

int run(int argc, const char* const* argv) {
  CLI::App app(
      "Pollux watches a list of live URLs under one budget of polls per second and learns which "
      "pages "
      "are worth them.",
      "pollux");
  app.set_version_flag("--version", std::string("pollux ") + POLLUX_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Start here:\n"
      "  pollux demo                        a built-in site, watched for a minute\n"
      "  pollux check --config pollux.yaml  is the configuration right, can it be met?\n"
      "  pollux run --config pollux.yaml    the daemon\n"
      "Each command explains itself: pollux COMMAND --help");

  int exit_code = static_cast<int>(ExitCode::ok);
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->callback([body = command.setup(*sub), &exit_code] { exit_code = body(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the complaint
    return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pollux: %s\n", error.what());
    return static_cast<int>(ExitCode::software);
  }
  return exit_code;
}

}  // namespace pollux::cli
