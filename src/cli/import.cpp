// `pollux import`: lists that people bring along from other programs.
#include "cli/commands.hpp"
#include "cli/import_input.hpp"
#include "cli/import_output.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace pollux::cli {
namespace {

struct ImportOptions {
  std::string file, out;
  import::Format format = import::Format::automatic;
  bool json = false;
};

Status check_name_of_list(const std::string& out) {
  if (out.empty() || out.ends_with(".yaml") || out.ends_with(".yml")) return success();
  return Error{"import: --out " + printable(out) + ": name it .yaml, as pages_file wants it",
               ExitCode::usage};
}

bool print(const std::string& text, std::FILE* stream) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

int import_list(const ImportOptions& options) {
  if (const Status good = check_name_of_list(options.out); !good) return report(good.error());
  auto input = import_input(options.file);
  if (!input) return report(input.error());
  const auto imported = import_with_neighbours(std::move(*input), options.format, options.file);
  if (!imported) return report(imported.error());
  ImportFiles files;
  const bool any = !imported->pages.empty();
  if (any && !options.out.empty()) {
    auto written = write_import(*imported, options.file, options.out);
    if (!written) return report(written.error());
    files = std::move(*written);
  }
  bool shown = true;
  if (options.json) {
    show_json(import_json(*imported, options.file, files));
  } else {
    // The list itself has standard output where it has no file.
    if (any && options.out.empty())
      shown =
          print(import::pages_yaml(*imported, {}, import_heading(*imported, options.file)), stdout);
    const std::string text = import_report(*imported, options.file, files);
    shown = print(text, options.out.empty() ? stderr : stdout) && shown;
  }
  if (!shown) return static_cast<int>(ExitCode::io);
  if (any) return 0;
  return report(
      Error{"import: there is no page in it; --format says what it is", ExitCode::bad_data});
}

}  // namespace

std::function<int()> setup_import(CommandLine& line) {
  const auto options = std::make_shared<ImportOptions>();
  line.option("file", options->file, "A file, - for standard input, or a changedetection.io folder")
      .required()
      .called("FILE");
  using import::Format;
  std::vector<std::pair<std::string, Format>> names;
  for (const Format format :
       {Format::automatic, Format::text, Format::csv, Format::sitemap, Format::opml,
        Format::urlwatch, Format::changedetection, Format::bookmarks}) {
    names.emplace_back(import::name_of(format), format);
  }
  line.choice<Format>("--format", options->format, names,
                      "auto (default), text, csv, sitemap, opml, urlwatch, changedetection or "
                      "bookmarks",
                      "FORMAT");
  line.option("--out", options->out, "Write the list here; without it, to standard output")
      .called("FILE.yaml");
  line.flag("--json", options->json, "Print the report as JSON, and the list only with --out");
  line.footer(
      "Fetches nothing and overwrites nothing. The list is for `pages_file:`; secrets\n"
      "get files of their own beside it, which only you can read. Exit codes: 0 taken,\n"
      "65 nothing could be taken, 66 no such file, 73 the list cannot be created.");
  return [options] { return import_list(*options); };
}

}  // namespace pollux::cli
