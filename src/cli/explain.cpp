#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/explanation.hpp"
#include "cli/output.hpp"
#include "cli/politeness_text.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::cli {
namespace {

struct ExplainOptions {
  DatabaseOption database;
  std::string url;
  bool json = false;
};

Result<PageFacts> gather(const ExplainOptions& options) {
  const Result<Url> url = parse_url(options.url);
  if (!url) return Error{url.error().message, ExitCode::usage};
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return database.error();
  store::Reader& reader = *database->reader;
  Result<store::PageRow> page = reader.page(url->text);
  if (!page) return page.error();
  Result<store::HostRow> host = reader.host(page->spec.host);
  if (!host) return host.error();
  Result<std::optional<store::RobotsRow>> robots = reader.robots(page->spec.host);
  if (!robots) return robots.error();
  const Result<store::Reader::Rank> rank = reader.share_rank(page->id);
  if (!rank) return rank.error();
  Result<Meta> meta = reader.meta();
  if (!meta) return meta.error();
  const WallTime now = SystemClock().wall();
  PageFacts facts{.page = std::move(*page),
                  .host = std::move(*host),
                  .robots = std::move(*robots),
                  .rank = *rank,
                  .meta = std::move(*meta),
                  .health = {},
                  .now = now};
  facts.health = health_of(database->path, facts.meta, now);
  return facts;
}

void print_text(const PageFacts& facts) {
  std::puts(printable_url(facts.page.spec.url).c_str());
  for (const Reason& reason : explanation_of(facts)) {
    const std::string indent(14 - std::min<std::size_t>(13, reason.topic.size()), ' ');
    std::puts(("  " + reason.topic + indent + printable(reason.text, 2'000)).c_str());
  }
}

void print_as_json(const PageFacts& facts) {
  const Pace pace = pace_of(facts.page, facts.meta);
  boost::json::object out = page_json(facts.page, facts.meta, facts.now);
  const std::optional<double> budget = meta_number(facts.meta, "budget");
  out["budget"] = nullptr;
  if (budget) out["budget"] = json_number(*budget);
  out["rank"] = facts.rank.place;
  out["active_pages"] = facts.rank.active;
  out["binding_limit"] = nullptr;
  if (pace.binding == Pace::Limit::min_interval) out["binding_limit"] = "min_interval";
  if (pace.binding == Pace::Limit::max_interval) out["binding_limit"] = "max_interval";
  out["host_blocked_until"] = json_time(facts.host.blocked_until);
  out["host_requests"] = facts.host.requests;
  out["host_errors"] = facts.host.errors;
  add_politeness(facts, out);
  out["daemon_running"] = facts.health.running;
  boost::json::array reasons;
  for (const Reason& reason : explanation_of(facts)) {
    reasons.push_back({{"topic", reason.topic}, {"text", reason.text}});
  }
  out["explanation"] = reasons;
  show_json(out);
}

int explain(const ExplainOptions& options) {
  const Result<PageFacts> facts = gather(options);
  if (!facts) return report(facts.error());
  if (options.json) {
    print_as_json(*facts);
  } else {
    print_text(*facts);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_explain(CommandLine& line) {
  auto options = std::make_shared<ExplainOptions>();
  line.option("URL", options->url, "The page").required();
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return explain(*options); };
}

}  // namespace pollux::cli
