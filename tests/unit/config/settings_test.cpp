#include "config/keys.hpp"
#include "unit/config/loaded.hpp"

#include <algorithm>

namespace pollux::config {
namespace {

Setting setting(const Loaded& of, std::string_view key) {
  const Settings& all = *of.config.in_force;
  const auto found = std::ranges::find_if(all, [&](const Setting& one) { return one.key == key; });
  EXPECT_NE(found, all.end()) << key;
  return found == all.end() ? Setting{} : *found;
}

TEST(SettingsInForce, say_what_the_file_writes_and_what_holds_otherwise) {
  const Loaded file = loaded(
      "budget: 300/min\nlog: { level: warn }\nnetwork: { allow: [10.0.0.0/8, 127.0.0.1] }\n"
      "pages: [\"https://example.org/\"]\n");
  EXPECT_EQ(setting(file, "budget").value, "300/min");
  EXPECT_EQ(setting(file, "budget").from, Setting::From::file);
  EXPECT_EQ(setting(file, "log.level").value, "warn");
  EXPECT_EQ(setting(file, "log.format").value, "text");
  EXPECT_EQ(setting(file, "log.format").from, Setting::From::fallback);
  EXPECT_EQ(setting(file, "network.allow").value, "[10.0.0.0/8, 127.0.0.1]");
  EXPECT_EQ(setting(file, "pages").value, "1 entry");
}

TEST(SettingsInForce, tell_no_secret) {
  const Loaded file = loaded(
      "defaults: { headers: { X-Auth: hush-header } }\n"
      "hosts: { overrides: { example.org: { headers: { X-Cookie: hush-cookie } } } }\n"
      "notify: [{ name: team, to: { webhook: \"https://example.org/hush-hook\" } }]\n"
      "pages: [{ url: \"https://example.org/\", headers: { X-Key: hush-key } }]\n");
  for (const Setting& one : *file.config.in_force)
    EXPECT_FALSE(contains(one.value, "hush")) << one.key << ": " << one.value;
  EXPECT_EQ(setting(file, "notify").value, "1 entry");
  EXPECT_EQ(setting(file, "defaults.headers").value, "1 entry");
}

}  // namespace
}  // namespace pollux::config
