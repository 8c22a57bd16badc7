// Promises about the files of the project themselves.
#include "unit/tree/tree.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::tree {
namespace {

namespace fs = std::filesystem;

TEST(Repository, no_source_file_is_longer_than_600_lines) {
  for (const char* folder : {"src", "include", "tests"}) {
    for (const fs::path& file : files(folder, {".cpp", ".hpp"})) {
      EXPECT_LE(lines(file).size(), 600u) << file << " wants to be split";
    }
  }
}

// The targets of [text](target) outside code blocks.
std::vector<std::string> links(const fs::path& markdown) {
  std::vector<std::string> targets;
  bool code = false;
  for (const std::string& line : lines(markdown)) {
    if (line.starts_with("```")) code = !code;
    if (code) continue;
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 2)) {
      const std::string target = line.substr(at + 2, line.find(')', at) - at - 2);
      targets.push_back(target.substr(0, target.find_first_of("# ")));
    }
  }
  return targets;
}

TEST(Repository, the_readme_quotes_every_query_that_the_store_tests) {
  const std::string readme = read("README.md");
  int queries = 0;
  for (const std::string& line : lines("src/store/queries.sql")) {
    EXPECT_NE(readme.find(line), std::string::npos) << line;
    if (!line.starts_with("--")) ++queries;
  }
  EXPECT_GE(queries, 10);
}

TEST(Repository, documents_link_to_files_that_exist) {
  for (const fs::path& document : files(".", {".md"})) {
    for (const std::string& target : links(document)) {
      if (target.empty() || target.find("://") != std::string::npos ||
          target.starts_with("mailto:")) {
        continue;
      }
      EXPECT_TRUE(fs::exists(root / document.parent_path() / target))
          << document << " links to " << target;
    }
  }
}

TEST(Repository, the_changelog_knows_the_present_version) {
  EXPECT_NE(read("CHANGELOG.md").find(POLLUX_VERSION), std::string::npos);
}

TEST(Repository, dev_explains_each_of_its_commands) {
  const Finished help = run("'" + (root / "dev").string() + "' help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"run", "test", "bench", "check", "package", "setup", "help"}) {
    EXPECT_NE(help.output.find(std::string("\n  ") + command + " "), std::string::npos) << command;
  }
}

TEST(Repository, a_benchmark_names_what_has_to_be_built_for_it) {
  const std::string bench = "'" + (root / "tests/bench/run").string() + "' --targets ";
  EXPECT_EQ(run(bench + "decisions").output, "bench_decisions\n");
  EXPECT_EQ(run(bench + "demo scale").output, "pollux\n");
  EXPECT_EQ(run(bench + "build").output, "");
}

TEST(Repository, dev_refuses_what_it_does_not_know) {
  const std::string dev = "'" + (root / "dev").string() + "'";
  EXPECT_EQ(run(dev + " frobnicate").exit_code, 64);
}

}  // namespace
}  // namespace pollux::tree
