#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/explanation.hpp"
#include "pollux/store/reader.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct ExplainOptions {
  DatabaseOption database;
  std::string url;
  bool json = false;
};

Result<report::PageFacts> gather(const ExplainOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return database.error();
  store::Reader& reader = *database->reader;
  Result<store::PageRow> page = choose_page(reader, options.url);
  if (!page) return page.error();
  Result<store::HostRow> host = reader.host(page->spec.host);
  if (!host) return host.error();
  Result<std::optional<store::RobotsRow>> robots = reader.robots(page->spec.host);
  if (!robots) return robots.error();
  const Result<store::ShareRank> rank = reader.share_rank(page->id);
  if (!rank) return rank.error();
  Result<store::HostLoads> loads = reader.host_loads({*page});
  if (!loads) return loads.error();
  Result<std::vector<store::MaskView>> masks = reader.masks(page->id);
  if (!masks) return masks.error();
  const auto meta = reader.meta();
  if (!meta) return meta.error();
  const WallTime now = SystemClock().wall();
  report::PageFacts facts{.page = std::move(*page),
                          .host = std::move(*host),
                          .robots = std::move(*robots),
                          .rank = *rank,
                          .masks = std::move(*masks),
                          .loads = std::move(*loads),
                          .figures = report::figures_of(*meta),
                          .health = {},
                          .now = now};
  facts.health = report::health_of(holder_of(database->path), facts.figures, now);
  return facts;
}

void print_text(const report::PageFacts& facts) {
  std::puts(printable_url(facts.page.spec.url).c_str());
  for (const report::Line& line : report::explanation_of(facts)) {
    const std::string indent(14 - std::min<std::size_t>(13, line.topic.size()), ' ');
    std::puts(("  " + line.topic + indent + printable(line.text, 2'000)).c_str());
  }
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
  line.option("URL", options->url, "The page: its URL, or a part of it that no other has")
      .required();
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return explain(*options); };
}

}  // namespace pollux::cli
