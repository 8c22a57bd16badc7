#include "cli/table_options.hpp"

#include "cli/wrapped.hpp"
#include "pollux/cli/command_line.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace pollux::cli {
namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

}  // namespace

void add_table_options(CommandLine& line, TableOptions& options, const std::string& example) {
  line.flag("--wide", options.wide, "All columns, nothing shortened, however narrow the terminal");
  line.option("--columns", options.columns, "Only these, in this order: " + example + " …")
      .called("NAMES");
}

int print_table(Table table, const TableOptions& options) {
  const std::optional<std::size_t> width = terminal_width(stdout);
  std::vector<std::string> left;
  if (!options.columns.empty()) {
    if (const Status kept = table.keep(words_of(options.columns)); !kept)
      return report({"--columns: " + kept.error().message, kept.error().exit_code});
  } else if (!options.wide) {
    table.drop_idle();
    if (width) left = table.fit(*width);
  }
  std::fputs(table.text(options.wide ? std::nullopt : width).c_str(), stdout);
  if (left.empty()) return 0;
  std::string names;
  for (const std::string& title : left) names += (names.empty() ? "" : ", ") + title;
  std::puts(word_wrapped("Left out (--wide shows all): " + names, width, 2).c_str());
  return 0;
}

}  // namespace pollux::cli
