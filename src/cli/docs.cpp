#include "cli/docs.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

namespace pollux::cli {
namespace {

struct DocsOptions {
  std::string shell, folder;
  bool complete = false;
  std::vector<std::string> words;
};

int write_docs(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const std::pair<const char*, std::string> files[] = {{"pollux.bash", completion_script("bash")},
                                                       {"_pollux", completion_script("zsh")},
                                                       {"pollux.fish", completion_script("fish")},
                                                       {"pollux.1", manual_of_commands()},
                                                       {"pollux.yaml.5", manual_of_keys()}};
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::ofstream file(path, std::ios::binary);
    if (!(file << text) || !file.flush())
      return report({"cannot write " + printable(path.string()), ExitCode::cannot_create});
  }
  return 0;
}

int make_docs(const DocsOptions& options) {
  if (options.complete) {
    for (const std::string& line : completions(options.words)) std::puts(line.c_str());
    return 0;
  }
  if (!options.shell.empty())
    return std::fputs(completion_script(options.shell).c_str(), stdout), 0;
  if (!options.folder.empty()) return write_docs(options.folder);
  return report({"what? write --completion SHELL, or --into FOLDER", ExitCode::usage});
}

}  // namespace

std::function<int()> setup_docs(CommandLine& line) {
  auto options = std::make_shared<DocsOptions>();
  line.option("--completion", options->shell, "Print the completion of a shell: bash, zsh or fish")
      .one_of({"bash", "zsh", "fish"}, "SHELL");
  line.option("--into", options->folder, "Write completions and manual pages there")
      .called("FOLDER")
      .not_with("--completion");
  line.flag("--complete", options->complete, "What may stand in place of the last word")
      .not_with("--completion");
  line.option("WORD", options->words, "With --complete: the words so far, behind --");
  line.footer(
      "The Debian package installs all of it. Elsewhere, for bash:\n"
      "  source <(pollux docs --completion bash)");
  return [options] { return make_docs(*options); };
}

}  // namespace pollux::cli
