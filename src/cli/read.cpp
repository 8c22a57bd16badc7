#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>

#include <boost/json/array.hpp>

namespace pollux::cli {
namespace {

namespace json = boost::json;

struct ReadOptions {
  SteeringOptions common;
  std::vector<std::uint64_t> changes;
};

int mark_read(const ReadOptions& options) {
  Result<DaemonClient> daemon = DaemonClient::connect(options.common.database);
  if (!daemon) return report(daemon.error());
  json::array changes;
  for (const std::uint64_t id : options.changes)
    changes.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(id, INT64_MAX)));
  const Result<json::object> result =
      daemon->post("/changes/read", {{"changes", std::move(changes)}});
  if (!result) return report(result.error());
  if (options.common.json) return show_json(*result), 0;
  std::printf("%s marked as read.\n", count_of(count_in(*result, "read"), "change").c_str());
  return 0;
}

}  // namespace

std::function<int()> setup_read(CommandLine& line) {
  auto options = std::make_shared<ReadOptions>();
  line.option("CHANGE", options->changes, "Ids of changes: `pollux changes --columns id,url,what`")
      .required();
  line.flag("--json", options->common.json, "Print JSON");
  add_database_options(line, options->common.database);
  line.footer("Changes that were marked before are not counted.");
  return [options] { return mark_read(*options); };
}

}  // namespace pollux::cli
