// Completions and manual pages say what the tables say.
#include "cli/docs.hpp"

#include "config/keys.hpp"
#include "pollux/cli/command.hpp"
#include "pollux/cli/command_line.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

std::vector<std::string> offered(std::vector<std::string> words) {
  std::vector<std::string> out;
  for (const std::string& line : completions(words)) out.push_back(line.substr(0, line.find('\t')));
  return out;
}

bool offers(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::count(offered(words), word) == 1;
}

// Without what man needs: "\-" is "-".
std::string plain(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

void check_command(const Command& command, std::vector<std::string> before) {
  before.emplace_back(command.name);
  CommandLine line;
  static_cast<void>(command.setup(line));
  std::string name = "pollux";
  for (const std::string& word : before) name += " " + word;
  const std::string manual = plain(manual_of_commands());
  EXPECT_NE(manual.find("\n.SS " + name + "\n"), std::string::npos) << name;
  const std::size_t start = manual.find("\n.SS " + name + "\n") + 1;
  const std::string section = manual.substr(start, manual.find("\n.S", start) - start);
  std::vector<std::string> dash = before, nothing = before;
  dash.emplace_back("-");
  nothing.emplace_back("");
  for (const Option& option : line.options()) {
    EXPECT_NE(section.find("\\fB" + option.name + "\\fR"), std::string::npos)
        << name << option.name;
    if (option.name.starts_with('-')) {
      EXPECT_TRUE(offers(dash, option.name)) << name << " " << option.name;
    }
  }
  for (const Command& inner : line.subcommands()) {
    EXPECT_TRUE(offers(nothing, std::string(inner.name))) << name << " " << inner.name;
    check_command(inner, before);
  }
}

TEST(Docs, every_command_and_option_is_completed_and_described) {
  for (const Command& command : commands()) {
    EXPECT_TRUE(offers({""}, std::string(command.name))) << command.name;
    check_command(command, {});
  }
  EXPECT_EQ(offered({""}).size(), commands().size());
}

TEST(Docs, every_key_is_described) {
  const std::string manual = plain(manual_of_keys());
  for (const config::Key& key : config::keys())
    EXPECT_NE(manual.find("\\fB" + std::string(key.path) + "\\fR ("), std::string::npos)
        << key.path;
}

TEST(Docs, completions_know_where_they_are) {
  EXPECT_EQ(offered({"stat"}), std::vector<std::string>{"status"});
  EXPECT_EQ(offered({"pages", "--order", "last"}), std::vector<std::string>{"last_changed"});
  EXPECT_EQ(offered({"pages", "--database", ""}), std::vector<std::string>{":file"});
  EXPECT_EQ(offered({"docs", "--into", ""}), std::vector<std::string>{":folder"});
  EXPECT_EQ(offered({"docs", "--completion", "z"}), std::vector<std::string>{"zsh"});
  EXPECT_FALSE(offers({"pages", "--json", "-"}, "--json")) << "it was given already";
  EXPECT_TRUE(offers({"pause", "--tag", "a", "-"}, "--tag")) << "may be given again";
  EXPECT_TRUE(offered({"frobnicate", ""}).empty());
  EXPECT_TRUE(offers({"--v"}, "--version"));
}

TEST(Docs, no_line_of_help_becomes_a_command_of_man) {
  for (const std::string& manual : {manual_of_commands(), manual_of_keys()}) {
    EXPECT_EQ(manual.find("\n\n"), std::string::npos);
    EXPECT_EQ(manual.find("\n'"), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux::cli
