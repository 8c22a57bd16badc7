#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/page_versions.hpp"
#include "cli/when.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/report/diff.hpp"
#include "pollux/report/json.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <boost/json/object.hpp>

namespace pollux::cli {
namespace {

struct ShowOptions {
  DatabaseOption database;
  std::string url;
  std::string at = "-1";
  bool json = false;
};

// No control character of a page reaches a terminal.
std::string for_terminal(std::string_view content) {
  if (report::looks_binary(content)) {
    return "No text, " + format_bytes(content.size()) +
           ". To a file it is written as it is: pollux show … > FILE\n";
  }
  std::string out;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    out += report::visible_line(content.substr(0, end)) + '\n';
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return out;
}

int show_version(const ShowOptions& options) {
  const Result<PageVersions> page = open_versions(options.database, options.url);
  if (!page) return report(page.error());
  const Result<std::size_t> chosen =
      choose_version(page->versions, options.at, SystemClock().wall(), "--at");
  if (!chosen) return report(chosen.error());
  const store::VersionRow& version = page->versions[*chosen];
  const Result<std::string> content = text_of(*page, version);
  if (!content) return report(content.error());
  if (options.json) {
    show_json(boost::json::object{{"url", page->page.spec.url},
                                  {"number", version.number},
                                  {"seen_at", report::json_time(version.seen_at)},
                                  {"hash", version.hash},
                                  {"as", report::json_text_or_null(version.as)},
                                  {"bytes", version.bytes},
                                  {"content", report::json_utf8(*content)}});
    return 0;
  }
  const std::string shown = extract::readable(*content);
  const std::string text = terminal_width(stdout) ? for_terminal(shown) : shown;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return static_cast<int>(written ? ExitCode::ok : ExitCode::io);
}

}  // namespace

std::function<int()> setup_show(CommandLine& line) {
  auto options = std::make_shared<ShowOptions>();
  line.option("URL", options->url, std::string("The page: ") + page_words).required();
  line.option("--at", options->at,
              "Which version: its number, -1 for the last (default), or when it was the newest: " +
                  std::string(when_words))
      .called("WHEN|N");
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.footer(
      "What is kept is what counts, without what the rules leave out; \"…\" stands for\n"
      "what a mask hides. A pipe gets the bytes; --json has them as they were compared.\n"
      "Exit code 66: there is no such page, or nothing of it is kept.");
  return [options] { return show_version(*options); };
}

}  // namespace pollux::cli
