#include "cli/atomic_file.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/lab/figure.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::cli {

namespace {

namespace fs = std::filesystem;

struct FigureOptions {
  std::string id;
  bool all = false;
  std::string folder = ".";
  unsigned threads = 0;
  bool json = false;
};

int run_figure(const FigureOptions& options) {
  std::vector<std::string> ids;
  std::string known;
  for (const lab::FigureInfo& info : lab::figures()) {
    if (options.all || info.id == options.id) ids.emplace_back(info.id);
    known += "\n  " + std::string(info.id) + "  " + std::string(info.title);
  }
  if (ids.empty()) {
    return report({"name a figure, or give --all; there are:" + known, ExitCode::usage});
  }
  std::error_code error;
  fs::create_directories(options.folder, error);
  boost::json::array made;
  for (const std::string& id : ids) {
    const lab::Plot plot = lab::make_figure(id, options.threads);
    const fs::path base = fs::path(options.folder) / ("figure-" + id);
    for (const auto& [ending, content] :
         {std::pair{".csv", lab::to_csv(plot)}, std::pair{".svg", lab::to_svg(plot)}}) {
      const Status written = write_atomically(base.string() + ending, content);
      if (!written) return report(written.error());
      if (!options.json) std::printf("%s%s\n", base.string().c_str(), ending);
    }
    std::fflush(stdout);
    made.push_back({{"id", id}, {"csv", base.string() + ".csv"}, {"svg", base.string() + ".svg"}});
  }
  if (options.json) show_json(made);
  return 0;
}

}  // namespace

std::function<int()> setup_lab_figure(CommandLine& line) {
  auto o = std::make_shared<FigureOptions>();
  line.option("id", o->id, "The document's number and the figure's, as 000-5 or 001-7.5");
  line.flag("--all", o->all, "Every figure");
  line.option("--out", o->folder, "Folder for the CSV and SVG files").show_default();
  line.option("--threads", o->threads, "0: all cores");
  line.flag("--json", o->json, "Print the names of the files as JSON");
  return [o] { return run_figure(*o); };
}

}  // namespace pollux::cli
