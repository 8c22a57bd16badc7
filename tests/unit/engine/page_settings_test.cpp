#include "engine/page_settings.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

config::Config with_header(const std::string& line) {
  config::Config config;
  config.settings.resize(2);
  config.settings[1].headers = 1;
  config.header_sets = {nullptr, std::make_shared<config::HeaderLines>(1, line)};
  return config;
}

TEST(PageSettingsTable, equal_settings_of_two_configurations_have_one_id) {
  PageSettingsTable table;
  const config::Config first = with_header("A: 1"), second = with_header("A: 1");
  EXPECT_EQ(table.add(first, 1), table.add(second, 1));
  EXPECT_NE(table.add(first, 0), table.add(first, 1));
  EXPECT_EQ(table.size(), 2u);
}

TEST(PageSettingsTable, a_new_configuration_changes_nothing_that_is_in_use) {
  PageSettingsTable table;
  const SettingsId old = table.add(with_header("Secret: old"), 1);
  const SettingsId fresh = table.add(with_header("Secret: new"), 1);
  EXPECT_NE(old, fresh);
  EXPECT_EQ(table[old].header_lines->front(), "Secret: old");
  EXPECT_EQ(table[fresh].header_lines->front(), "Secret: new");
}

TEST(PageSettingsTable, what_asks_for_another_content_has_another_mark) {
  PageSettingsTable table;
  table.set_key("key", false);
  const auto mark = [&](const config::Config& config, std::uint32_t index) {
    return table[table.add(config, index)].mark;
  };
  config::Config plain = with_header("A: 1");
  EXPECT_EQ(mark(plain, 0), "plain");
  EXPECT_FALSE(table.key_to_be_saved()) << "nothing secret yet";
  const std::string one = mark(plain, 1);
  EXPECT_TRUE(table.key_to_be_saved());
  EXPECT_NE(one, "plain");
  EXPECT_NE(mark(with_header("A: 2"), 1), one);
  plain.settings[0].cookies = config::Cookies::session;
  const std::string session = mark(plain, 0);
  EXPECT_NE(session, "plain");
  plain.settings[0].cookies = config::Cookies::none;
  plain.settings[0].importance = 7;
  EXPECT_EQ(mark(plain, 0), "plain");
  plain.settings[0].user_agent = "somebody else";
  EXPECT_NE(mark(plain, 0), "plain");
  plain.settings[0].user_agent = "pollux/99.0";
  EXPECT_EQ(mark(plain, 0), "plain") << "an upgrade is no edit";
  PageSettingsTable other;
  other.set_key("another key", false);
  const config::Config same = with_header("A: 1");
  EXPECT_NE(other[other.add(same, 1)].mark, one) << "without the key nobody can guess";
}

}  // namespace
}  // namespace pollux::engine
