#include "loaded.hpp"

#include <algorithm>

namespace pollux::config {
namespace {

constexpr char pages[] = "pages: [http://a.example/, http://b.example/, http://a.example/2]\n";

std::string refusal(const std::string& text) {
  const auto loaded = load_text(with_budget(pages + text), "test.yaml");
  return loaded.ok() ? "it was taken" : loaded.error().message;
}

TEST(AccessPoints, are_read_with_their_ways_and_capacities) {
  const Config config = loaded(std::string(pages) +
                               "access_points:\n"
                               "  - { name: dsl, interface: eth1, capacity: 7 }\n"
                               "  - { name: v6, address: \"2001:db8::7\" }\n"
                               "  - { name: far, proxy: \"socks5h://Proxy.example:1080\" }\n")
                            .config;
  ASSERT_EQ(config.fetch.access_points.size(), 3u);
  EXPECT_EQ(config.fetch.access_points[0], (fetch::AccessPoint{"dsl", "eth1", "", "", ""}));
  EXPECT_EQ(config.fetch.access_points[1], (fetch::AccessPoint{"v6", "", "2001:db8::7", "", ""}));
  EXPECT_EQ(config.fetch.access_points[2].proxy, "socks5h://proxy.example:1080");
  EXPECT_EQ(config.placement.capacities, (std::vector<std::uint32_t>{7, 0, 0}));
}

TEST(AccessPoints, are_none_unless_they_are_written) {
  for (const char* text : {"", "access_points:\n", "access_points: []\n"}) {
    EXPECT_TRUE(loaded(pages + std::string(text)).config.fetch.access_points.empty()) << text;
  }
}

TEST(AccessPoints, that_make_no_sense_are_refused_with_their_line) {
  const std::pair<const char*, const char*> wrong[] = {
      {"access_points: dsl\n", "test.yaml:2: "},
      {"access_points:\n  - dsl\n", "test.yaml:3: "},
      {"access_points:\n  - { interface: eth1 }\n", "test.yaml:3: an access point without a name"},
      {"access_points:\n  - { name: a }\n", "test.yaml:3: access point 'a': none of 'interface'"},
      {"access_points:\n  - { name: a, interface: eth1, address: 192.0.2.7 }\n", "more than one"},
      {"access_points:\n  - { name: a, address: example.org }\n", "is no address"},
      {"access_points:\n  - { name: a, interface: \"eth 1\" }\n", "is no network interface"},
      {"access_points:\n  - { name: \"a b\", interface: eth1 }\n", "letters, digits"},
      {"access_points:\n  - { name: a, proxy: \"socks5://127.0.0.1:1080\" }\n", "no proxy"},
      {"access_points:\n  - { name: a, interface: eth1, capacity: 0 }\n", "from 1 to"},
      {"access_points:\n  - { name: a, interface: eth1, speed: 3 }\n", "unknown key 'speed'"},
      {"access_points:\n  - { name: a, interface: eth1 }\n  - { name: a, interface: eth2 }\n",
       "test.yaml:4: access point 'a': there are two called 'a'"},
      {"access_points:\n  - { name: a, interface: eth1 }\n  - { name: b, interface: eth1 }\n",
       "test.yaml:4: access point 'b': it is the same access point as 'a'"},
  };
  for (const auto& [text, message] : wrong) {
    EXPECT_NE(refusal(text).find(message), std::string::npos) << text << refusal(text);
  }
}

TEST(AccessPoints, too_small_for_all_hosts_are_warned_of) {
  const auto warned = [](const std::string& capacities) {
    const auto read = loaded(std::string(pages) + "access_points: " + capacities);
    return std::any_of(read.warnings.begin(), read.warnings.end(), [](const Warning& warning) {
      return warning.message.find("there are 2 hosts, but all capacities together hold 1") !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(warned("[{ name: a, interface: eth1, capacity: 1 }]"));
  EXPECT_FALSE(warned("[{ name: a, interface: eth1, capacity: 2 }]"));
  EXPECT_FALSE(warned("[{ name: a, interface: eth1, capacity: 1 }, { name: b, interface: eth2 }]"));
}

}  // namespace
}  // namespace pollux::config
