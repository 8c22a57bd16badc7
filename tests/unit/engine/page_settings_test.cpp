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

}  // namespace
}  // namespace pollux::engine
