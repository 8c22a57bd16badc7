// Completions in real shells, manual pages as real readers of them see them.
#include "pollux/cli/command.hpp"
#include "pollux/store/store.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

bool has_program(const std::string& path) {
  return std::filesystem::exists(path);
}

class Documents : public testing::Test {
 protected:
  Documents() {
    const test::Finished made =
        test::Program(POLLUX_BINARY, folder_, {"docs", "--into", folder_.file("docs")}).wait();
    EXPECT_EQ(made.exit_code, 0) << made.err;
    // Shells find it by its name.
    std::filesystem::create_directory(folder_ / "bin");
    std::filesystem::create_symlink(test::chosen_program(POLLUX_BINARY), folder_ / "bin/pollux");
  }
  test::Finished shell(const std::string& program, const std::vector<std::string>& words) {
    const char* path = std::getenv("PATH");
    return test::Program(program, folder_, words,
                         {{"PATH", folder_.file("bin") + ":" + (path ? path : "/usr/bin:/bin")},
                          {"HOME", folder_.string()},
                          {"XDG_CONFIG_HOME", folder_.string()},
                          {"XDG_DATA_HOME", folder_.string()},
                          {"XDG_CACHE_HOME", folder_.string()},
                          {"TERM", "xterm"}})
        .wait();
  }
  // What bash would offer for this line, one a line.
  std::string in_bash(const std::string& line) {
    const test::Finished done =
        shell("/bin/bash", {"--norc", "-c",
                            "source docs/pollux.bash; compopt() { :; }; COMP_LINE=$1; "
                            "COMP_POINT=${#COMP_LINE}; _pollux; printf '%s\\n' \"${COMPREPLY[@]}\"",
                            "bash", line});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err, "") << line;
    return "\n" + done.out;
  }
  void watch_pages() {
    auto store = store::Store::open(folder_.file("pollux.db"));
    ASSERT_TRUE(store.ok());
    const std::vector<store::PageSpec> pages = {
        {.url = "https://example.org/news?a=1&b=2",
         .host = "example.org:443",
         .tags = R"(["daily","press"])"},
        {.url = "https://example.org/quiet", .host = "example.org:443"}};
    ASSERT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(490'000))).ok());
  }
  test::TempFolder folder_;
};

TEST_F(Documents, bash_completes_commands_options_and_values) {
  const std::string all = in_bash("pollux ");
  for (const Command& command : commands())
    EXPECT_NE(all.find("\n" + std::string(command.name) + "\n"), std::string::npos) << all;
  EXPECT_EQ(in_bash("pollux stat"), "\nstatus\n");
  EXPECT_EQ(in_bash("pollux pages --ord"), "\n--order\n");
  EXPECT_EQ(in_bash("pollux pages --order last"), "\nlast_changed\n");
  EXPECT_EQ(in_bash("pollux mask acc"), "\naccept\n");
  folder_.write("my config.yaml", "");
  EXPECT_EQ(in_bash("pollux check --config my"), "\nmy config.yaml\n");
}

TEST_F(Documents, bash_completes_pages_and_tags_from_the_database) {
  watch_pages();
  EXPECT_EQ(in_bash("pollux diff https://example.org/q"), "\n//example.org/quiet\n")
      << "what stands before the colon stays";
  EXPECT_EQ(in_bash("pollux diff https://example.org/n"), "\n//example.org/news\\?a=1\\&b=2\n");
  EXPECT_EQ(in_bash("pollux pause --tag d"), "\ndaily\n");
  std::filesystem::rename(folder_ / "pollux.db", folder_ / "other.db");
  EXPECT_EQ(in_bash("pollux diff --database other.db https://example.org/q"),
            "\n//example.org/quiet\n");
  EXPECT_EQ(in_bash("pollux diff https://example.org/q"), "\n\n");
}

TEST_F(Documents, fish_completes) {
  if (!has_program("/usr/bin/fish")) GTEST_SKIP() << "fish is not installed";
  watch_pages();
  const auto in_fish = [&](const std::string& line) {
    return shell("/usr/bin/fish",
                 {"--no-config", "-c", "source docs/pollux.fish; complete -C '" + line + "'"})
        .out;
  };
  const std::string all = "\n" + in_fish("pollux ");
  for (const Command& command : commands())
    EXPECT_NE(all.find("\n" + std::string(command.name) + "\t"), std::string::npos) << all;
  EXPECT_EQ(in_fish("pollux pages --order last"), "last_changed\n");
  EXPECT_EQ(in_fish("pollux diff https://example.org/q"), "https://example.org/quiet\n");
  folder_.write("mine.yaml", "");
  EXPECT_NE(in_fish("pollux check --config mi").find("mine.yaml"), std::string::npos);
}

TEST_F(Documents, zsh_completes) {
  if (!has_program("/usr/bin/zsh")) GTEST_SKIP() << "zsh is not installed";
  watch_pages();
  // Its own functions only work inside of its line editor: they are stood in for here.
  const auto in_zsh = [&](const std::string& words) {
    const test::Finished done = shell(
        "/usr/bin/zsh", {"-f", "-c",
                         "compdef() { :; }; _files() { print -l file$1; }; "
                         "_describe() { local -a all; all=(\"${(@P)4}\"); print -rl -- $all; }; "
                         "source docs/_pollux; words=(" +
                             words + "); CURRENT=$#words; _pollux"});
    EXPECT_EQ(done.err, "") << words;
    return done.out;
  };
  const std::string all = "\n" + in_zsh("pollux ''");
  for (const Command& command : commands())
    EXPECT_NE(all.find("\n" + std::string(command.name) + ":"), std::string::npos) << all;
  EXPECT_EQ(in_zsh("pollux pages --order last"), "last_changed\n");
  EXPECT_EQ(in_zsh("pollux diff https://example.org/q"), "https\\://example.org/quiet\n");
  EXPECT_EQ(in_zsh("pollux check --config ''"), "file\n");
  EXPECT_EQ(in_zsh("pollux docs --into ''"), "file-/\n");
}

TEST_F(Documents, manual_pages_are_right_for_their_readers) {
  for (const char* page : {"docs/pollux.1", "docs/pollux.yaml.5"}) {
    if (has_program("/usr/bin/mandoc")) {
      // They have a version instead of a date.
      std::istringstream lint(shell("/usr/bin/mandoc", {"-Tlint", "-Wwarning", page}).out);
      for (std::string line; std::getline(lint, line);)
        EXPECT_NE(line.find("WARNING: missing date"), std::string::npos) << line;
    }
    if (has_program("/usr/bin/groff")) {
      const test::Finished made =
          shell("/usr/bin/groff", {"-K", "utf8", "-man", "-Tutf8", "-ww", page});
      EXPECT_EQ(made.exit_code, 0);
      EXPECT_EQ(made.err, "") << page;
      EXPECT_GT(made.out.size(), 10'000u);
    }
  }
}

}  // namespace
}  // namespace pollux::cli
