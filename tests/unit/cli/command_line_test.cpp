#include "pollux/cli/command_line.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

enum class Fruit { apple = 3, pear = 5 };

TEST(CommandLine, keeps_what_was_declared) {
  CommandLine line;
  std::uint64_t pages = 7;
  std::string database;
  Option& first = line.option("--pages", pages, "How many").range(2, 100).show_default();
  line.option("--database", database, "Which").required().called("FILE").not_with("--pages");
  EXPECT_EQ(&first, &line.options().front()) << "references stay good";
  ASSERT_EQ(line.options().size(), 2u);

  const Option& number = line.options()[0];
  EXPECT_EQ(number.name, "--pages");
  EXPECT_EQ(std::get<std::uint64_t*>(number.target), &pages);
  EXPECT_EQ(std::get<WholeRange>(number.rule).max, 100);
  EXPECT_TRUE(number.help_has_default);
  EXPECT_FALSE(number.is_required);

  const Option& file = line.options()[1];
  EXPECT_TRUE(file.is_required);
  EXPECT_EQ(file.value_name, "FILE");
  EXPECT_EQ(file.rival, "--pages");
}

TEST(CommandLine, a_choice_sets_the_enumeration) {
  CommandLine line;
  Fruit fruit = Fruit::apple;
  line.choice<Fruit>("--fruit", fruit, {{"apple", Fruit::apple}, {"pear", Fruit::pear}}, "Which");
  const Option& option = line.options().front();
  const NamedNumbers& names = std::get<NamedNumbers>(option.rule);
  ASSERT_EQ(names.numbers.size(), 2u);
  EXPECT_EQ(names.numbers[1].first, "pear");
  std::get<std::function<void(int)>>(option.target)(names.numbers[1].second);
  EXPECT_EQ(fruit, Fruit::pear);
}

// What completions and manual pages will be made of.
void expect_described(const Command& command, const std::string& path) {
  CommandLine line;
  const std::function<int()> body = command.setup(line);
  EXPECT_FALSE(command.summary.empty()) << path;
  EXPECT_EQ(body == nullptr, !line.subcommands().empty()) << path;
  std::set<std::string> names;
  for (const Option& option : line.options()) {
    EXPECT_TRUE(names.insert(option.name).second) << path << ' ' << option.name << " twice";
    EXPECT_FALSE(option.help.empty()) << path << ' ' << option.name;
    if (!option.rival.empty()) {
      EXPECT_TRUE(names.contains(option.rival)) << path << ' ' << option.name;
    }
  }
  for (const Command& inner : line.subcommands())
    expect_described(inner, path + ' ' + std::string(inner.name));
}

TEST(CommandLine, every_command_describes_itself) {
  EXPECT_GE(commands().size(), 9u);
  for (const Command& command : commands()) expect_described(command, std::string(command.name));
}

}  // namespace
}  // namespace pollux::cli
