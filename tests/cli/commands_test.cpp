// Every command teaches itself, and the README knows it.
#include "pollux/cli/command.hpp"
#include "pollux/cli/command_line.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

class Commands : public testing::Test {
 protected:
  test::Finished run(std::vector<std::string> arguments) {
    return test::Program(POLLUX_BINARY, folder_, std::move(arguments)).wait();
  }
  test::TempFolder folder_;
};

TEST_F(Commands, each_has_help_and_stands_in_the_readme) {
  std::ifstream file(std::string(POLLUX_SOURCE_DIR) + "/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  for (const Command& command : commands()) {
    const test::Finished help = run({std::string(command.name), "--help"});
    EXPECT_EQ(help.exit_code, 0) << command.name;
    EXPECT_GT(help.out.size(), 100u) << command.name;
    EXPECT_NE(readme.str().find("pollux " + std::string(command.name)), std::string::npos)
        << "README.md does not mention pollux " << command.name;
  }
}

// The lines of the example behind this one, without their common indentation.
std::string example_behind(const std::string& text, const std::string& mark,
                           const std::string& indent, const std::string& end) {
  std::size_t start = text.find(mark);
  EXPECT_NE(start, std::string::npos) << mark;
  if (start == std::string::npos) return "";
  start = text.find('\n', start) + 1;
  std::istringstream lines(text.substr(start, text.find(end, start) - start));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    out += line.starts_with(indent) ? line.substr(indent.size()) + "\n" : line + "\n";
  }
  return out;
}

TEST_F(Commands, the_smallest_configurations_pass_the_check_without_a_warning) {
  std::ifstream file(std::string(POLLUX_SOURCE_DIR) + "/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  for (const std::string& text :
       {example_behind(readme.str(), "```yaml\n# pollux.yaml", "", "```"),
        example_behind(run({"--help"}).out, "The smallest configuration:", "  ", "\n\n")}) {
    ASSERT_NE(text.find("budget: "), std::string::npos) << text;
    std::ofstream(folder_ / "pollux.yaml") << text;
    const test::Finished checked = run({"check", "--config", "pollux.yaml"});
    EXPECT_EQ(checked.exit_code, 0) << text << checked.err;
    EXPECT_NE(checked.out.find("ok: everything can be met"), std::string::npos)
        << text << checked.out;
  }
}

TEST_F(Commands, help_is_short_and_fits_a_terminal) {
  for (const Command& command : commands()) {
    CommandLine line;
    static_cast<void>(command.setup(line));
    const std::string& footer = line.footer();
    EXPECT_LE(std::count(footer.begin(), footer.end(), '\n'), 2) << command.name;
    std::istringstream lines(footer);
    // 80 columns; "…" has three bytes.
    for (std::string text; std::getline(lines, text);) EXPECT_LE(text.size(), 82u) << text;
  }
  const std::string help = run({"--help"}).out;
  std::istringstream footer(help.substr(help.find("Start here:")));
  int count = 0;
  for (std::string text; std::getline(footer, text); ++count) EXPECT_LE(text.size(), 90u) << text;
  EXPECT_LE(count, 14);
}

// In columns, not bytes: "…" has three of these.
std::size_t terminal_columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

TEST_F(Commands, at_a_glance_all_fit_a_small_terminal) {
  const test::Finished overview = run({});
  EXPECT_EQ(overview.exit_code, 64);
  std::istringstream lines(overview.err);
  int count = 0;
  for (std::string text; std::getline(lines, text); ++count)
    EXPECT_LE(terminal_columns(text), 80u) << text;
  EXPECT_LE(count, 23) << "and the prompt below it";
  for (const Command& command : commands()) {
    EXPECT_NE(overview.err.find(" " + std::string(command.name)), std::string::npos)
        << command.name;
  }
}

TEST_F(Commands, help_has_them_in_groups_with_a_line_each) {
  const std::string help = run({"--help"}).out;
  std::istringstream lines(help);
  for (std::string text; std::getline(lines, text);) EXPECT_LE(terminal_columns(text), 80u) << text;
  std::size_t at = 0;
  std::string_view group;
  for (const Command& command : commands()) {
    if (heading_of(command.group) != group) {
      group = heading_of(command.group);
      at = help.find(std::string(group) + ":\n", at);
      ASSERT_NE(at, std::string::npos) << group << ": one group, in the order of the table";
    }
    std::string line = "\n  " + std::string(command.name);
    line.resize(19, ' ');
    at = help.find(line + std::string(command.summary) + "\n", at);
    ASSERT_NE(at, std::string::npos) << command.name << ": its summary has to fit its line";
  }
}

TEST_F(Commands, wrong_words_are_usage_errors) {
  EXPECT_EQ(run({"fly"}).exit_code, 64);
  EXPECT_EQ(run({"run"}).exit_code, 64);
  EXPECT_EQ(run({"run", "--config"}).exit_code, 64);
  EXPECT_EQ(run({"pages", "--order", "sideways"}).exit_code, 64);
}

TEST_F(Commands, run_says_what_is_wrong_with_its_files_by_exit_code) {
  EXPECT_EQ(run({"run", "--config", "missing.yaml"}).exit_code, 66);
  std::ofstream(folder_ / "bad.yaml") << "budget: 0\npages: [http://example.org/]\n";
  const test::Finished bad = run({"run", "--config", "bad.yaml"});
  EXPECT_EQ(bad.exit_code, 78);
  EXPECT_NE(bad.err.find("bad.yaml:1:"), std::string::npos) << bad.err;
  std::ofstream(folder_ / "garbage.db")
      << "this is not a database, not at all, and long enough to look at";
  std::ofstream(folder_ / "garbage.yaml")
      << "budget: 1\ndatabase: garbage.db\npages: [http://example.org/]\n";
  EXPECT_EQ(run({"run", "--config", "garbage.yaml"}).exit_code, 65);
  std::ofstream(folder_ / "nowhere.yaml")
      << "budget: 1\ndatabase: no/such/folder/x.db\npages: [http://example.org/]\n";
  EXPECT_EQ(run({"run", "--config", "nowhere.yaml"}).exit_code, 73);
  EXPECT_EQ(run({"pages", "--database", "missing.db"}).exit_code, 66);
}

}  // namespace
}  // namespace pollux::cli
