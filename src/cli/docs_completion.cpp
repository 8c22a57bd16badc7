#include "cli/database_option.hpp"
#include "cli/docs.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/text.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace pollux::cli {
namespace {

constexpr std::int64_t most_pages = 100;  // that are offered

// A command as far as the words before the last one chose it.
struct Chosen {
  CommandLine line;
  bool top = true;  // no command yet
  std::vector<std::string> used = {};
  const Option* waits = nullptr;  // an option that wants a value next
  DatabaseOption database = {};
};

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

const Option* option_named(const CommandLine& line, std::string_view name) {
  const auto found = std::ranges::find(line.options(), name, &Option::name);
  return found == line.options().end() ? nullptr : &*found;
}

const Command* command_named(std::span<const Command> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Command::name);
  return found == table.end() ? nullptr : &*found;
}

void note_database(Chosen& chosen, const std::string& name, const std::string& value) {
  if (name == "--database") chosen.database.database = value;
  if (name == "--config") chosen.database.config = value;
}

// Nothing: the words make no sense.
bool walk(Chosen& chosen, std::span<const std::string> words, std::vector<CommandLine>& lines) {
  std::span<const Command> table = commands();
  for (const std::string& word : words) {
    if (chosen.waits != nullptr) {
      note_database(chosen, chosen.waits->name, word);
      chosen.waits = nullptr;
    } else if (word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      chosen.used.push_back(name);
      if (lines.empty()) continue;
      const Option* option = option_named(lines.back(), name);
      if (option == nullptr || is_flag(*option)) continue;
      if (equals != std::string::npos) {
        note_database(chosen, name, word.substr(equals + 1));
      } else {
        chosen.waits = option;
      }
    } else if (const Command* command = command_named(table, word)) {
      lines.emplace_back();
      static_cast<void>(command->setup(lines.back()));
      table = lines.back().subcommands();
      chosen.top = false;
    } else if (chosen.top) {
      return false;
    }
  }
  return true;
}

std::string described(std::string_view word, std::string_view what) {
  std::string line = std::string(word) + "\t" + std::string(what.substr(0, what.find('\n')));
  return line;
}

void offer(std::vector<std::string>& out, std::string_view word, std::string_view what,
           std::string_view begun) {
  if (word.starts_with(begun))
    out.push_back(what.empty() ? std::string(word) : described(word, what));
}

// URLs that contain what was begun, and names that begin with it.
void offer_pages(std::vector<std::string>& out, const Chosen& chosen, const std::string& begun) {
  const Result<OpenDatabase> database = open_database(chosen.database);
  if (!database) return;
  const auto pages = database->reader->pages(
      {.order = store::PageOrder::url, .contains = begun, .limit = most_pages});
  if (!pages) return;
  for (const store::PageRow& page : *pages) {
    if (printable(page.spec.url, page.spec.url.size() + 1) != page.spec.url) continue;
    out.push_back(page.spec.name.empty() ? page.spec.url
                                         : described(page.spec.url, printable(page.spec.name, 60)));
  }
}

void offer_tags(std::vector<std::string>& out, const Chosen& chosen, const std::string& begun) {
  constexpr std::int64_t looked_at = 2000;
  const Result<OpenDatabase> database = open_database(chosen.database);
  if (!database) return;
  const auto pages = database->reader->pages({.limit = looked_at});
  if (!pages) return;
  std::set<std::string> tags;
  for (const store::PageRow& page : *pages) {
    std::string list = page.spec.tags.empty() ? "" : report::tags_text(page.spec.tags) + ", ";
    for (std::size_t end = 0; (end = list.find(", ")) != std::string::npos; list.erase(0, end + 2))
      tags.insert(list.substr(0, end));
  }
  for (const std::string& tag : tags) offer(out, printable(tag), "", begun);
}

bool names_a_file(const Option& option) {
  static const std::set<std::string> paths = {"--database", "--config", "--out",   "--file",
                                              "--trace",    "--csv",    "--record"};
  return paths.contains(option.name) || option.value_name == "FILE" || option.name == "FILE" ||
         option.value_name == "PATH";
}

void offer_values(std::vector<std::string>& out, const Option& option, const Chosen& chosen,
                  const std::string& begun) {
  if (const auto* one_of = std::get_if<OneOf>(&option.rule)) {
    for (const std::string& word : one_of->words) offer(out, word, "", begun);
  } else if (const auto* named = std::get_if<NamedNumbers>(&option.rule)) {
    for (const auto& [word, number] : named->numbers) offer(out, word, "", begun);
  } else if (option.value_name == "FOLDER") {
    out.emplace_back(":folder");
  } else if (names_a_file(option)) {
    out.emplace_back(":file");
  } else if (option.name == "--tag") {
    offer_tags(out, chosen, begun);
  } else if (option.name == "URL") {
    offer_pages(out, chosen, begun);
  }
}

bool repeats(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}

}  // namespace

std::vector<std::string> completions(std::span<const std::string> words) {
  std::vector<std::string> out;
  const std::string begun = words.empty() ? "" : words.back();
  const auto before = words.empty() ? words : words.first(words.size() - 1);
  Chosen chosen;
  std::vector<CommandLine> lines;
  lines.reserve(before.size() + 1);  // options are pointed at
  if (!walk(chosen, before, lines)) return out;
  if (chosen.waits != nullptr) {
    offer_values(out, *chosen.waits, chosen, begun);
    return out;
  }
  if (chosen.top) {
    for (const Command& command : commands()) offer(out, command.name, command.summary, begun);
    if (begun.starts_with('-')) {
      offer(out, "--help", "Print help and end", begun);
      offer(out, "--version", "Print the version and end", begun);
    }
    return out;
  }
  const CommandLine& line = lines.back();
  for (const Command& command : line.subcommands())
    offer(out, command.name, command.summary, begun);
  for (const Option& option : line.options()) {
    const bool dashed = option.name.starts_with('-');
    const bool used = std::ranges::find(chosen.used, option.name) != chosen.used.end();
    if (!dashed && !begun.starts_with('-')) offer_values(out, option, chosen, begun);
    if (dashed && begun.starts_with('-') && (!used || repeats(option)))
      offer(out, option.name, option.help, begun);
  }
  if (begun.starts_with('-')) offer(out, "--help", "Print help and end", begun);
  return out;
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash")
    return R"sh(# Completion of pollux for bash; made by `pollux docs --completion bash`.
_pollux() {
  local text=${COMP_LINE:0:COMP_POINT} line word
  local -a words
  read -ra words <<<"$text"
  [[ $text == *[[:space:]] ]] && words+=("")
  local begun=${words[-1]} cut=""
  # bash replaces what stands behind the last of these alone.
  [[ $begun == *[:=]* ]] && cut=${begun%"${begun##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$begun") ;;
      :folder) compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$begun") ;;
      *)
        word=${line%%$'\t'*}
        [[ $word == "$cut"* ]] && COMPREPLY+=("$(printf '%q' "${word#"$cut"}")")
        ;;
    esac
  done < <("${words[0]}" docs --complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _pollux pollux
)sh";
  if (shell == "zsh")
    return R"sh(#compdef pollux
# Completion of pollux for zsh; made by `pollux docs --completion zsh`.
_pollux() {
  local -a lines found
  local line
  lines=("${(@f)$(${(Q)words[1]} docs --complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)words[CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :file) _files ;;
      :folder) _files -/ ;;
      *$'\t'*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      ?*) found+=("${line//:/\\:}") ;;
    esac
  done
  (( $#found )) && _describe -t values pollux found -U -M 'l:|=* r:|=*'
}
if [[ $funcstack[1] == _pollux ]]; then
  _pollux "$@"
else
  compdef _pollux pollux
fi
)sh";
  return R"sh(# Completion of pollux for fish; made by `pollux docs --completion fish`.
function __pollux_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program docs --complete -- $words "$begun" 2>/dev/null)
        switch $line
            case :file
                __fish_complete_path "$begun"
            case :folder
                __fish_complete_directories "$begun"
            case '*'
                echo $line
        end
    end
end
complete -c pollux -f -a '(__pollux_complete)'
)sh";
}

}  // namespace pollux::cli
