// Which brain a host belongs to.
#include "pollux/brains/shard.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::brains {
namespace {

constexpr int many = 20'000;
std::string domain(int i) {
  return fmt::format("site{}.example", i);
}

TEST(Shard, hosts_of_one_registrable_domain_stay_together) {
  EXPECT_EQ(domain_of_host("www.example.co.uk:443"), "example.co.uk");
  EXPECT_EQ(domain_of_host("example.co.uk:80"), "example.co.uk");
  EXPECT_EQ(domain_of_host("a.b.c.example.com:8443"), "example.com");
  EXPECT_EQ(domain_of_host("news.xn--mnchen-3ya.de:443"), "xn--mnchen-3ya.de");
  EXPECT_EQ(domain_of_host("www.example.com.:443"), "example.com");
  // Users of a host that is a public suffix are strangers to each other.
  EXPECT_EQ(domain_of_host("anna.github.io:443"), "anna.github.io");
  EXPECT_EQ(domain_of_text("https://www.example.co.uk/news?x=1"), "example.co.uk");
  EXPECT_EQ(domain_of_text("http://www.example.co.uk:8080"), "example.co.uk");
}

TEST(Shard, what_has_no_domain_stands_for_itself) {
  EXPECT_EQ(domain_of_host("127.0.0.1:8080"), "127.0.0.1");
  EXPECT_EQ(domain_of_host("[2001:db8::1]:443"), "[2001:db8::1]");
  EXPECT_EQ(domain_of_host("intranet:80"), "intranet");
  EXPECT_EQ(domain_of_host("co.uk:443"), "co.uk");
  EXPECT_EQ(domain_of_host("printer.intranet:80"), "printer.intranet");
}

TEST(Shard, one_brain_more_takes_its_part_of_all_others_and_moves_nothing_else) {
  for (const std::uint32_t brains : {1u, 2u, 5u, 16u, 99u}) {
    int moved = 0;
    for (int i = 0; i < many; ++i) {
      const std::uint32_t before = shard_of_domain(domain(i), brains);
      const std::uint32_t after = shard_of_domain(domain(i), brains + 1);
      if (before == after) continue;
      ++moved;
      EXPECT_EQ(after, brains) << domain(i);
    }
    const double expected = many / (brains + 1.0);
    EXPECT_NEAR(moved, expected, 5 * std::sqrt(expected)) << brains;
  }
}

TEST(Shard, domains_are_spread_evenly) {
  constexpr std::uint32_t brains = 10;
  std::vector<int> counts(brains);
  for (int i = 0; i < many; ++i) ++counts[shard_of_domain(domain(i), brains)];
  for (const int count : counts) EXPECT_NEAR(count, many / 10, 5 * std::sqrt(many / 10));
}

// Lists that were divided with one version are added to with the next.
TEST(Shard, where_a_domain_goes_stays_for_ever) {
  EXPECT_EQ(shard_of("https://www.example.org/a", 3), 2u);
  EXPECT_EQ(shard_of("https://example.com/", 3), 1u);
  EXPECT_EQ(shard_of("https://debian.org/", 3), 2u);
  EXPECT_EQ(shard_of("http://127.0.0.1:8080/", 3), 0u);
  EXPECT_EQ(shard_of("https://www.example.co.uk/", 1000), 41u);
}

TEST(Shard, a_prefix_is_of_one_domain_or_of_several) {
  EXPECT_EQ(shard_of_prefix("", 7), std::nullopt);
  EXPECT_EQ(shard_of_prefix(".org", 7), std::nullopt);
  EXPECT_EQ(shard_of_prefix(".co.uk", 7), std::nullopt);
  EXPECT_EQ(shard_of_prefix(".localhost", 7), std::nullopt);
  const std::uint32_t home = shard_of("https://example.org/", 7);
  for (const char* prefix : {".example.org", "example.org", "www.example.org",
                             "https://example.org/", "https://a.b.example.org:8443/news/"}) {
    EXPECT_EQ(shard_of_prefix(prefix, 7), home) << prefix;
  }
  EXPECT_EQ(shard_of_prefix("127.0.0.1", 7), shard_of("http://127.0.0.1:81/", 7));
}

}  // namespace
}  // namespace pollux::brains
