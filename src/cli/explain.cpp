#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/config/config.hpp"
#include "pollux/extract/significance.hpp"
#include "pollux/report/explanation.hpp"
#include "pollux/report/page.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/facts.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace pollux::cli {
namespace {

struct ExplainOptions {
  DatabaseOption database;
  std::string url;
  bool json = false;
};

bool same_file(const std::string& a, const std::string& b) {
  std::error_code problem;
  return std::filesystem::equivalent(a, b, problem) && !problem;
}

// From --config, or from the file that the daemon named, if it is of this database.
std::optional<report::ContentRules> content_rules(const DatabaseOption& option,
                                                  const OpenDatabase& database,
                                                  const report::DaemonFigures& figures,
                                                  const std::string& url) {
  const std::string& file = option.config.empty() ? figures.config_file : option.config;
  const Result<std::string> named = config::database_of(file);
  if (file.empty() || !named || !same_file(*named, database.path)) return std::nullopt;
  Result<config::Loaded> loaded = config::load(file, {.told = url});
  report::ContentRules rules;
  if (!loaded) {
    rules.problem = loaded.error().message;
    return rules;
  }
  const config::Config& config = loaded->config;
  for (const config::Page& page : config.pages) {
    if (page.url != url) continue;
    const std::uint32_t content = config.settings[page.settings].content;
    const std::optional<std::string> kept = web::kept_text(database.path, url);
    if (kept && content < config.contents.size())
      rules.conditions = extract::conditions(*config.contents[content], std::nullopt, *kept);
  }
  // What compares with a version before says nothing of one alone.
  std::erase_if(rules.conditions, [](const extract::Condition& one) {
    return one.rule == "min_change" || one.wanted.starts_with("changes by");
  });
  for (config::ContentSource& source : loaded->content_sources)
    rules.rules.push_back({std::move(source.rule), std::move(source.where)});
  return rules;
}

Result<report::PageFacts> gather(const ExplainOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return database.error();
  store::Reader& reader = *database->reader;
  Result<store::PageRow> page = choose_page(reader, options.url);
  if (!page) return page.error();
  Result<report::PageFacts> facts =
      web::page_facts(reader, database->path, std::move(*page), SystemClock().wall());
  if (!facts) return facts.error();
  facts->content = content_rules(options.database, *database, facts->figures, facts->page.spec.url);
  return facts;
}

void print_text(const report::PageFacts& facts) {
  constexpr std::size_t column = 16;
  std::puts(word_wrapped(report::page_heading(facts.page.spec), terminal_width(stdout), 2).c_str());
  std::vector<report::Line> lines = report::explanation_of(facts);
  for (report::Line& line : lines) line = {"  " + line.topic, printable(line.text, 8'000)};
  print_lines(lines, column, stdout);
}

int explain(const ExplainOptions& options) {
  const Result<report::PageFacts> facts = gather(options);
  if (!facts) return report(facts.error());
  if (options.json) {
    show_json(report::explanation_json(*facts));
  } else {
    print_text(*facts);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_explain(CommandLine& line) {
  auto options = std::make_shared<ExplainOptions>();
  line.option("URL", options->url, std::string("The page: ") + page_words).required();
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return explain(*options); };
}

}  // namespace pollux::cli
