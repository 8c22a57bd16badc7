#include "cli/output.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/exit_code.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command.hpp"
#include "pollux/cli/command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

namespace pollux::cli {
namespace {

constexpr const char* description =
    "Pollux watches a list of live URLs under one budget of requests per second, and learns "
    "which pages are worth them.";
constexpr const char* starting =
    "Start here:\n"
    "  pollux demo                        a built-in site, watched until Ctrl-C\n"
    "  pollux check --config pollux.yaml  is it valid, and can it be met?\n"
    "  pollux run --config pollux.yaml    the daemon\n";
constexpr const char* first_steps =
    "\n"
    "The smallest configuration:\n"
    "  budget: 1                          # requests per second; also 300/min, 5000/h\n"
    "  pages:\n"
    "    - https://example.org/\n"
    "\n"
    "Exit codes: 0 done, 64 usage, 65 bad data, 66 missing input, 69 no healthy daemon "
    "(or a sample not delivered), 70 a defect, 73 cannot create, 74 input or output, 75 try later, "
    "78 configuration";

// "pollux check: --config is required", and where help is.
std::string complaint(const CLI::App* app, const CLI::Error& error) {
  std::string command = "pollux";
  for (const CLI::App* chosen : app->get_subcommands()) command += ' ' + chosen->get_name();
  return command + ": " + error.what() + "\nHelp: " + command + " --help\n";
}

std::size_t width_of_help() {
  constexpr std::size_t usual = 80, least = 60, most = 100;
  return std::clamp(terminal_width(stdout).value_or(usual), least, most);
}

// All commands at a glance: what fits a small terminal.
std::string overview() {
  std::string text;
  for (const Group group : {Group::watch, Group::look, Group::steer, Group::lab}) {
    std::string names = std::string(heading_of(group)) + ":";
    for (const Command& command : commands()) {
      if (command.group == group) names += ' ' + std::string(command.name);
    }
    text += names + "\n";
  }
  text += "\n";
  text += starting;
  text +=
      "\nWhat each of them does: pollux --help\n"
      "What it accepts:         pollux COMMAND --help\n";
  const std::size_t width = width_of_help();
  return word_wrapped(description, width) + "\n\n" + word_wrapped(text, width, 2) + "\n";
}

bool is_command(std::string_view word) {
  const std::span<const Command> table = commands();
  return std::any_of(table.begin(), table.end(),
                     [&](const Command& command) { return command.name == word; });
}

// Tells CLI11 about the target of an option, whatever its type is.
struct Declared {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* flag) const {
    return app.add_flag(option.name, *flag, option.help);
  }
  CLI::Option* operator()(std::vector<std::uint64_t>* list) const {
    return app.add_option(option.name, *list, option.help)->delimiter(',');
  }
  CLI::Option* operator()(std::vector<std::string>* list) const {
    CLI::Option* declared = app.add_option(option.name, *list, option.help);
    // Of an option one value each time, so that an argument may follow.
    return option.name.starts_with('-') ? declared->allow_extra_args(false) : declared;
  }
  CLI::Option* operator()(const std::function<void(int)>& take) const {
    return app.add_option_function<int>(option.name, take, option.help)->type_name("ENUM");
  }
  template <typename Value>
  CLI::Option* operator()(Value* value) const {
    return app.add_option(option.name, *value, option.help);
  }
};

// Tells CLI11 what the values must satisfy.
struct Ruled {
  CLI::Option* option;

  void operator()(std::monostate) const {}
  void operator()(const WholeRange& range) const {
    option->check(CLI::Range(range.min, range.max));
  }
  void operator()(const RealRange& range) const { option->check(CLI::Range(range.min, range.max)); }
  void operator()(Positive) const { option->check(CLI::PositiveNumber); }
  void operator()(Check check) const { option->check(check); }
  void operator()(const OneOf& one_of) const {
    CLI::Validator member = CLI::IsMember(one_of.words);
    if (!one_of.title.empty()) member.description(one_of.title);
    option->check(member);
  }
  void operator()(const NamedNumbers& names) const {
    const auto to_number = [all = names.numbers](std::string& word) -> std::string {
      std::string known;
      for (const auto& [name, number] : all) {
        if (name == word) return word = std::to_string(number), "";
        known += (known.empty() ? "" : ", ") + name;
      }
      return "'" + printable(word, 60) + "' is not known; write one of " + known;
    };
    option->transform(CLI::Validator(to_number, names.title));
  }
};

// Help whose lines end between words.
class WrappedHelp : public CLI::Formatter {
 public:
  explicit WrappedHelp(std::size_t width) : width_(width) {}

  std::string make_option_desc(const CLI::Option* option) const override {
    return behind_name(option->get_description());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    std::stringstream out;
    CLI::detail::format_help(
        out, sub->get_display_name(true),
        word_wrapped(sub->get_description(), width_ - std::min(width_, command_width)),
        command_width);
    return out.str();
  }
  std::string make_description(const CLI::App* app) const override {
    return word_wrapped(CLI::Formatter::make_description(app), width_);
  }
  std::string make_footer(const CLI::App* app) const override {
    return word_wrapped(CLI::Formatter::make_footer(app), width_);
  }

 private:
  // CLI11 indents what follows a line feed.
  std::string behind_name(const std::string& text) const {
    return word_wrapped(text, width_ - std::min(width_, column_width_));
  }
  static constexpr std::size_t command_width = 18;  // so that a command takes one line
  std::size_t width_;
};

void declare(CLI::App& app, const Option& option) {
  CLI::Option* declared = std::visit(Declared{app, option}, option.target);
  std::visit(Ruled{declared}, option.rule);
  if (option.is_required) declared->required();
  if (!option.alone.empty()) declared->expected(0, 1)->default_str(option.alone);
  if (option.help_has_default) declared->capture_default_str();
  if (!option.value_name.empty()) declared->type_name(option.value_name);
  if (!option.rival.empty()) declared->excludes(app.get_option(option.rival));
}

// The command and its subcommands; the one that the user names is left in `chosen`.
void declare(CLI::App& app, const Command& command, std::function<int()>& chosen) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
  if (app.get_parent() == nullptr) sub->group(std::string(heading_of(command.group)));
  CommandLine line;
  std::function<int()> body = command.setup(line);
  for (const Option& option : line.options()) declare(*sub, option);
  sub->footer(line.footer());  // also an empty one: it has its parent's otherwise
  for (const Command& inner : line.subcommands()) declare(*sub, inner, chosen);
  if (!line.subcommands().empty()) sub->require_subcommand(1);
  if (body) sub->callback([body = std::move(body), &chosen] { chosen = body; });
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app(description, "pollux");
  app.set_version_flag("--version", std::string("pollux ") + POLLUX_VERSION);
  app.require_subcommand(1);
  app.footer(std::string(starting) + first_steps);
  app.failure_message(&complaint);
  app.formatter(std::make_shared<WrappedHelp>(width_of_help()));

  std::function<int()> chosen;
  for (const Command& command : commands()) declare(app, command, chosen);
  if (argc < 2) {
    std::fputs(overview().c_str(), stderr);
    return static_cast<int>(ExitCode::usage);
  }
  if (argv[1][0] != '-' && !is_command(argv[1])) {
    std::fprintf(stderr, "pollux: there is no command '%s'\nHelp: pollux --help\n",
                 printable(argv[1], 60).c_str());
    return static_cast<int>(ExitCode::usage);
  }
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the complaint
    return static_cast<int>(code == 0 ? ExitCode::ok : ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pollux: %s\n", error.what());
    return static_cast<int>(ExitCode::software);
  }
}

}  // namespace pollux::cli
