#include "config/access_points.hpp"
#include "config/message.hpp"
#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/text_file.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/plan.hpp"

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

Result<Loaded> load_owned(std::string text, const std::string& file, const LoadOptions& options) {
  constexpr ExitCode code = ExitCode::configuration;
  if (Status status = accept_text(text, file, Tabs::refuse_in_indentation, code); !status) {
    return status.error();
  }
  const Result<Document> document = Document::parse(std::move(text), file, code);
  if (!document) return document.error();

  Loaded loaded;
  Config& config = loaded.config;
  config.file = file;
  config.settings.emplace_back();
  LoadContext reading{.config = config,
                      .warnings = loaded.warnings,
                      .options = options,
                      .pages = PageList(config, loaded.warnings),
                      .file = file,
                      .code = code,
                      .page = nullptr,
                      .host = nullptr,
                      .page_url = {}};
  config.database = reading.resolve(config.database);
  if (Status status = read_configuration(reading, document->root()); !status) return status.error();
  reading.pages.finish();
  introduce(config);
  if (config.pages.empty()) {
    return Error{at(file, document->root().line(),
                    "there are no pages; list URLs under 'pages:', or name a file with them in "
                    "'pages_file:'"),
                 code};
  }
  warn_of_unused_overrides(config, loaded.warnings);
  warn_of_open_credentials(config, loaded.warnings);
  const Plan plan = make_plan(config);
  warn_of_small_capacities(config, plan.hosts.size(), loaded.warnings);
  std::vector<Warning> unmet = judge(config, plan);
  std::move(unmet.begin(), unmet.end(), std::back_inserter(loaded.warnings));
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
