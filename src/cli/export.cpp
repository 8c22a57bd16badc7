// `pollux export`: the list of pages as YAML, with what was added and set while the daemon ran.
#include "pollux/config/export.hpp"

#include "cli/atomic_file.hpp"
#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/live_entries.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/daemon_figures.hpp"
#include "pollux/store/reader.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct ExportOptions {
  DatabaseOption database;
  std::string out;
  bool json = false;
};

struct Sources {
  std::string config;
  std::vector<config::LiveEntry> live;
};

// Where no daemon has run yet there is no database: then the files say all there is.
Result<Sources> find_sources(const ExportOptions& options) {
  Sources sources{options.database.config, {}};
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) {
    const bool none = database.error().exit_code == ExitCode::missing_input;
    if (none && !sources.config.empty()) return sources;
    return database.error();
  }
  const auto meta = database->reader->meta();
  if (!meta) return meta.error();
  if (sources.config.empty()) sources.config = report::figures_of(*meta).config_file;
  if (sources.config.empty())
    return Error{"no configuration is known; name it with --config FILE", ExitCode::usage};
  Result<std::vector<config::LiveEntry>> live = live_entries(*database->reader);
  if (!live) return live.error();
  sources.live = std::move(*live);
  return sources;
}

int export_list(const ExportOptions& options) {
  const Result<Sources> sources = find_sources(options);
  if (!sources) return report(sources.error());
  const Result<config::Exported> list = config::export_pages(sources->config, sources->live);
  if (!list) return report(list.error());
  for (const std::string& header : list->left_out)
    std::fprintf(stderr, "left out, because it looks like a secret: %s; write { file: PATH }\n",
                 header.c_str());
  if (options.out.empty()) {
    std::fwrite(list->yaml.data(), 1, list->yaml.size(), stdout);
    return 0;
  }
  if (const Status written = write_atomically(options.out, list->yaml); !written)
    return report(written.error());
  if (options.json) {
    boost::json::array left_out(list->left_out.begin(), list->left_out.end());
    show_json(boost::json::object{
        {"file", options.out}, {"pages", list->pages}, {"left_out", std::move(left_out)}});
  } else {
    std::puts(fmt::format("{} written to {}",
                          count_of(static_cast<std::int64_t>(list->pages), "page"),
                          printable(options.out))
                  .c_str());
  }
  return 0;
}

}  // namespace

std::function<int()> setup_export(CommandLine& line) {
  auto options = std::make_shared<ExportOptions>();
  add_database_options(line, options->database);
  line.option("--out", options->out, "Write to this file (default: standard output)")
      .called("FILE");
  line.flag("--json", options->json, "With --out: say as JSON what was written");
  line.footer(
      "Named as pages_file: of the same configuration, in place of its own pages, it is\n"
      "the same list, with what was set live. Files with secrets are named as they are;\n"
      "secrets that stand in the configuration itself are left out.");
  return [options] { return export_list(*options); };
}

}  // namespace pollux::cli
