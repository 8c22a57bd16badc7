#include "pollux/report/diff.hpp"

#include "cli/commands.hpp"
#include "cli/diff_output.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/page_versions.hpp"
#include "cli/when.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct DiffOptions {
  DatabaseOption database;
  std::string url;
  std::string from, to;
  DiffStyle style = DiffStyle::automatic;
  bool json = false;
};

int show_diff(const DiffOptions& options) {
  const Result<PageVersions> page = open_versions(options.database, options.url);
  if (!page) return report(page.error());
  const Result<web::DiffEnds> ends =
      web::choose_ends(page->versions, options.from, options.to, SystemClock().wall(), "--");
  if (!ends) return report(ends.error());
  if (!ends->note.empty()) std::fprintf(stderr, "pollux: %s\n", ends->note.c_str());
  const store::VersionRow& from = page->versions[ends->from];
  const store::VersionRow& to = page->versions[ends->to];
  const Result<std::string> before = text_of(*page, from), after = text_of(*page, to);
  if (!before) return report(before.error());
  if (!after) return report(after.error());
  const extract::ReadablePair shown = extract::readable_pair(*before, *after);
  const report::DiffFacts facts{.url = page->page.spec.url,
                                .from = {from.number, from.seen_at, from.hash},
                                .to = {to.number, to.seen_at, to.hash},
                                .old_text = shown.old_text,
                                .new_text = shown.new_text,
                                .as = to.as};
  if (options.json) {
    show_json(report::diff_json(facts));
    return 0;
  }
  const Screen screen = screen_of(stdout);
  if (shown.old_text == shown.new_text) {
    // A pipe gets what diff prints for equal files: nothing.
    std::fputs(fmt::format("No difference: version {} and version {} of {}\n", from.number,
                           to.number, printable_url(facts.url))
                   .c_str(),
               screen.width ? stdout : stderr);
    return 0;
  }
  const std::string text = diff_text(facts, options.style, screen);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return static_cast<int>(written ? ExitCode::ok : ExitCode::io);
}

}  // namespace

std::function<int()> setup_diff(CommandLine& line) {
  auto options = std::make_shared<DiffOptions>();
  line.option("URL", options->url, std::string("The page: ") + page_words).required();
  line.option(
          "--from", options->from,
          "The older version: its number, -2 for the last but one, or when it was the newest: " +
              std::string(when_words) + " (default: the one before --to)")
      .called("WHEN|N");
  line.option("--to", options->to, "The newer version, likewise (default: the last)")
      .called("WHEN|N");
  add_style_option(line, options->style);
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON").not_with("--style");
  line.footer(
      "What changed at the last change:  pollux diff example.org/news\n"
      "What changed since yesterday:     pollux diff news --from yesterday\n"
      "`pollux history` lists versions. A pipe gets a patch. \"…\": what a mask hides.");
  return [options] { return show_diff(*options); };
}

}  // namespace pollux::cli
