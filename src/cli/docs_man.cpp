#include "cli/docs.hpp"
#include "config/keys.hpp"
#include "pollux/cli/command.hpp"
#include "pollux/cli/command_line.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

// Text as man reads it: no command hides in it, and a dash stays one that can be copied.
std::string man_text(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string words_of_rule(const Option& option) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : "|") + word; };
  if (const auto* one_of = std::get_if<OneOf>(&option.rule)) {
    for (const std::string& word : one_of->words) add(word);
  } else if (const auto* named = std::get_if<NamedNumbers>(&option.rule)) {
    for (const auto& [word, number] : named->numbers) add(word);
  }
  return words;
}

std::string value_of(const Option& option) {
  if (std::holds_alternative<bool*>(option.target)) return "";
  if (!option.value_name.empty()) return option.value_name;
  if (const std::string words = words_of_rule(option); !words.empty() && words.size() <= 60)
    return words;
  if (std::holds_alternative<std::string*>(option.target) ||
      std::holds_alternative<std::vector<std::string>*>(option.target))
    return "TEXT";
  return std::holds_alternative<std::function<void(int)>>(option.target) ? "WORD" : "NUMBER";
}

void append_option(std::string& out, const Option& option) {
  const bool dashed = option.name.starts_with('-');
  const std::string value = dashed ? value_of(option) : "";
  out += ".TP\n\\fB" + man_text(option.name) + "\\fR";
  if (!value.empty())
    out += option.alone.empty() ? " \\fI" + man_text(value) + "\\fR"
                                : " [\\fI" + man_text(value) + "\\fR]";
  out += "\n" + man_text(option.help);
  if (option.is_required) out += ".";
  if (const std::string words = words_of_rule(option); !words.empty() && value != words)
    out += "\nOne of: " + man_text(words) + ".";
  if (option.is_required) out += "\nMust be given.";
  out += "\n";
}

void append_command(std::string& out, const Command& command, const std::string& parent) {
  const std::string name = parent + std::string(command.name);
  CommandLine line;
  static_cast<void>(command.setup(line));
  out += ".SS pollux " + man_text(name) + "\n" + man_text(command.summary) +
         (command.summary.ends_with('?') ? "\n" : ".\n");
  for (const Option& option : line.options()) append_option(out, option);
  if (!line.footer().empty()) out += ".PP\n.nf\n" + man_text(line.footer()) + "\n.fi\n";
  for (const Command& inner : line.subcommands()) append_command(out, inner, name + " ");
}

std::string title_of(std::string_view name, int section) {
  return fmt::format(".\\\" Made by `pollux docs`.\n.TH {} {} \"\" \"pollux {}\" \"Pollux\"\n",
                     man_text(upper(name)), section, POLLUX_VERSION);
}

}  // namespace

std::string manual_of_commands() {
  std::string out = title_of("pollux", 1);
  out +=
      ".SH NAME\npollux \\- watch live URLs under one budget of requests per second\n"
      ".SH SYNOPSIS\n.B pollux\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n.br\n.B pollux\n"
      "\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n"
      ".SH DESCRIPTION\nPollux watches a list of pages without ever exceeding a budget of requests "
      "per second, and learns which pages are worth them.\nIt records every change it finds, and "
      "keeps all it knows in an SQLite database.\n"
      ".PP\nBegin with \\fBpollux demo\\fR: a built\\-in site, watched until Ctrl\\-C (for a "
      "minute where there is no terminal).\n"
      "\\fBpollux run \\-\\-config pollux.yaml\\fR is the daemon; pollux.yaml(5) says what may "
      "stand there.\nEach command explains itself: \\fBpollux\\fR \\fICOMMAND\\fR "
      "\\fB\\-\\-help\\fR.\n";
  for (const Group group : {Group::watch, Group::look, Group::steer, Group::lab}) {
    out += ".SH COMMANDS: " + man_text(upper(heading_of(group))) + "\n";
    for (const Command& command : commands()) {
      if (command.group == group) append_command(out, command, "");
    }
  }
  out +=
      ".SH EXIT STATUS\n0 done, 64 usage, 65 bad data, 66 missing input, 69 no healthy daemon "
      "(or a sample not delivered), 70 a defect, 73 cannot create, 74 input or output, 75 try "
      "later, 78 configuration.\n"
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNo colours, whatever the terminal can do.\n"
      ".SH FILES\n.TP\n/etc/pollux/pollux.yaml\nThe configuration of the service.\n"
      ".TP\n/var/lib/pollux/pollux.db\nIts database.\n"
      ".SH SEE ALSO\npollux.yaml(5), sqlite3(1), systemctl(1)\n";
  return out;
}

std::string manual_of_keys() {
  std::string out = title_of("pollux.yaml", 5);
  out +=
      ".SH NAME\npollux.yaml \\- the configuration of pollux\n"
      ".SH DESCRIPTION\nYAML. What is not known is refused, with the line it stands in; "
      "\\fBpollux check \\-\\-config\\fR \\fIFILE\\fR tells whether all is well.\n"
      "A dot leads into a section: \\fBhosts.delay\\fR is the key \\fBdelay\\fR below "
      "\\fBhosts:\\fR.\n\\fB[]\\fR stands for each entry of a list, \\fB*\\fR for any key of a "
      "mapping.\n.PP\nThe smallest configuration:\n.PP\n.nf\n.RS\nbudget: 1\npages:\n"
      "  \\- https://example.org/\n.RE\n.fi\n.SH KEYS\n";
  for (const config::Key& key : config::keys()) {
    out += ".TP\n\\fB" + man_text(key.path) + "\\fR (" + man_text(key.type);
    if (!key.fallback.empty()) out += "; default " + man_text(key.fallback);
    out += ")\n" + man_text(key.help) + "\n";
  }
  out +=
      ".SH FILES\n.TP\n/usr/share/doc/pollux, /etc/pollux/pollux.yaml\nAn annotated configuration "
      "with every key.\n.SH SEE ALSO\npollux(1)\n";
  return out;
}

}  // namespace pollux::cli
