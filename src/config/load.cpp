#include "config/access_points.hpp"
#include "config/agent_readers.hpp"
#include "config/foreign_file.hpp"
#include "config/message.hpp"
#include "config/problems.hpp"
#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/settings.hpp"
#include "config/text_file.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/plan.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

void warn_of_unused_overrides(const Config& config, std::vector<Warning>& warnings) {
  if (config.host_overrides.empty()) return;
  std::unordered_set<std::string_view> used;
  for (const Page& page : config.pages) {
    used.insert(page.host);
    used.insert(std::string_view(page.host).substr(0, page.host.rfind(':')));
  }
  for (const auto& [host, politeness] : config.host_overrides) {
    if (used.contains(host)) continue;
    warnings.push_back({fmt::format("{}: hosts.overrides: no page is on '{}'; is it misspelt?",
                                    printable(config.file), printable(host))});
  }
}

// Whoever finds us in a log should be able to reach us, too.
void introduce(Config& config) {
  if (config.contact.empty()) return;
  for (PageSettings& settings : config.settings) {
    if (settings.user_agent.find(config.contact) == std::string::npos) {
      settings.user_agent += " (+" + config.contact + ")";
    }
  }
}

// What is not listed gets what the rules and its host say.
void add_also(LoadContext& reading, const std::string& url, const Node& root) {
  const auto listed = [&](const Page& page) { return page.url == url; };
  const std::vector<Page>& pages = reading.config.pages;
  if (url.empty() || std::any_of(pages.begin(), pages.end(), listed)) return;
  reading.pages.start_file(reading.file, reading.code, pages.size() + 1);
  if (const Status added = reading.pages.add(url, root.line()); !added)
    reading.problems.add(added.error());
}

bool has_key(const Node& root, std::string_view wanted) {
  if (root.kind() != Kind::mapping) return false;
  for (auto at = root.begin(); at != root.end(); ++at) {
    if ((*at).text() == wanted) return true;
    ++at;
  }
  return false;
}

// What must be written and is not. A misspelt key has been told already.
void require_keys(LoadContext& reading, const Node& root) {
  const auto missing = [&](std::string_view message) {
    reading.problems.add(reading.error(root, message), Problems::Order::last);
  };
  const auto written = [&](std::string_view key) {
    return has_key(root, key) || reading.meant.contains(key);
  };
  // Pages that are wrong have been told, too.
  if (reading.options.purpose == Purpose::agent) return;
  const bool told = reading.problems.any() && (written("pages") || written("pages_file"));
  if (!written("budget")) {
    missing("there is no budget; write 'budget: 1' for one request per second, or 300/min, 5000/h");
  }
  if (reading.config.pages.empty() && !told) {
    missing(
        "there are no pages; list URLs under 'pages:', or name a file with them in 'pages_file:'");
  }
}

Result<Loaded> load_checked(std::string text, const std::string& file, const LoadOptions& options,
                            Problems& problems) {
  constexpr ExitCode code = ExitCode::configuration;
  if (Status status = accept_text(text, file, Tabs::refuse_in_indentation, code); !status) {
    return status.error();
  }
  const std::optional<std::string> foreign = foreign_file(text, file);
  const Result<Document> document = Document::parse(std::move(text), file, code, &problems);
  if (!document) return document.error();
  const Node root = document->root();
  if (foreign) return Error{at(file, root.line(), *foreign), code};

  Loaded loaded;
  Config& config = loaded.config;
  config.file = file;
  config.settings.emplace_back();
  config.labels.emplace_back();
  LoadContext reading{.config = config,
                      .warnings = loaded.warnings,
                      .problems = problems,
                      .options = options,
                      .pages = PageList(config, loaded.warnings, problems),
                      .file = file,
                      .code = code,
                      .page = nullptr,
                      .host = nullptr,
                      .page_url = {}};
  config.database = reading.resolve(config.database);
  reading.pages.contents().tell_of(options.told);
  reading.pages.tell_places(options.places);
  read_configuration(reading, root);
  require_keys(reading, root);
  check_agents(reading, root);
  add_also(reading, options.also, root);
  reading.pages.finish();
  loaded.content_sources = reading.pages.contents().sources();
  if (problems.any()) return problems.summary();
  introduce(config);
  config.book = reading.pages.book();
  config.in_force = std::make_shared<const Settings>(settings_of(root));
  if (options.purpose == Purpose::daemon) warn_of_unused_overrides(config, loaded.warnings);
  warn_of_open_credentials(config, loaded.warnings);
  const Plan plan = make_plan(config);
  warn_of_small_capacities(config, plan.hosts.size(), loaded.warnings);
  std::vector<Warning> unmet = judge(config, plan);
  std::move(unmet.begin(), unmet.end(), std::back_inserter(loaded.warnings));
  loaded.notes = remarks(config, plan);
  return loaded;
}

Result<Loaded> load_owned(std::string text, const std::string& file, const LoadOptions& options) {
  Problems problems;
  Result<Loaded> loaded = load_checked(std::move(text), file, options, problems);
  if (!loaded && options.errors != nullptr) {
    // What ends the reading at once is not among those that were gathered.
    if (!problems.any()) problems.add(loaded.error());
    *options.errors = problems.lines();
  }
  return loaded;
}

}  // namespace

Result<Loaded> load(const std::string& file, const LoadOptions& options) {
  Result<std::string> text = read_file(file, "configuration file");
  if (!text) return text.error();
  return load_owned(std::move(*text), file, options);
}

Result<Loaded> load_text(const std::string& text, const std::string& file,
                         const LoadOptions& options) {
  return load_owned(text, file, options);
}

}  // namespace pollux::config
