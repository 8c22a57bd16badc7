#include "pollux/robots_txt/robots_txt.hpp"

#include "pollux/base/rng.hpp"

#include <gtest/gtest.h>

namespace pollux::robots_txt {
namespace {

using namespace std::chrono_literals;

bool may(const std::string& robots, const std::string& path, std::string_view product = "pollux") {
  return allows(read_robots_txt(robots, product).rules, "https://example.org" + path);
}
std::optional<Duration> delay(const std::string& robots) {
  return read_robots_txt(robots, "pollux").crawl_delay;
}

// RFC 9309 §2.2.1: groups.

TEST(RobotsTxt, without_a_rule_everything_is_allowed) {
  EXPECT_TRUE(may("", "/"));
  EXPECT_TRUE(may("User-agent: *\nDisallow:\n", "/x"));
  EXPECT_TRUE(may("User-agent: other\nDisallow: /\n", "/x"));
  EXPECT_TRUE(may("<html><body>Disallow: /</body></html>", "/x"));
}

TEST(RobotsTxt, a_group_is_found_by_the_product_token_whatever_the_case) {
  const std::string robots = "user-AGENT: PolLux\nDISallow: /private\n";
  EXPECT_FALSE(may(robots, "/private"));
  EXPECT_TRUE(may(robots, "/private", "other"));
  EXPECT_TRUE(may(robots, "/private", ""));
}

TEST(RobotsTxt, what_follows_the_product_token_in_a_line_does_not_matter) {
  EXPECT_FALSE(may("User-agent: pollux/2.1 beta\nDisallow: /\n", "/x"));
  EXPECT_TRUE(may("User-agent: polluxbot\nDisallow: /\n", "/x")) << "another robot";
  EXPECT_TRUE(may("User-agent: pol\nDisallow: /\n", "/x")) << "another robot";
}

TEST(RobotsTxt, a_group_of_ones_own_replaces_the_one_for_everybody) {
  const std::string robots =
      "User-agent: *\nDisallow: /\n\nUser-agent: pollux\nDisallow: /private\n";
  EXPECT_TRUE(may(robots, "/open"));
  EXPECT_FALSE(may(robots, "/private"));
  EXPECT_FALSE(may(robots, "/open", "other"));
}

TEST(RobotsTxt, an_empty_group_of_ones_own_allows_everything) {
  EXPECT_TRUE(may("User-agent: *\nDisallow: /\nUser-agent: pollux\nDisallow:\n", "/x"));
  EXPECT_TRUE(may("User-agent: *\nDisallow: /\nUser-agent: pollux\n", "/x"));
}

TEST(RobotsTxt, groups_for_the_same_robot_are_merged) {
  const std::string robots =
      "User-agent: pollux\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\n"
      "User-agent: Pollux\nDisallow: /c\n";
  EXPECT_FALSE(may(robots, "/a"));
  EXPECT_TRUE(may(robots, "/b"));
  EXPECT_FALSE(may(robots, "/c"));
}

TEST(RobotsTxt, one_group_may_name_several_robots) {
  const std::string robots =
      "User-agent: a\nUser-agent: pollux\n\n# a word\nDisallow: /x\n"
      "User-agent: b\nDisallow: /y\n";
  EXPECT_FALSE(may(robots, "/x"));
  EXPECT_TRUE(may(robots, "/y"));
  EXPECT_FALSE(may(robots, "/x", "a"));
}

TEST(RobotsTxt, an_empty_line_does_not_end_a_group) {
  EXPECT_FALSE(may("User-agent: pollux\n\n\nDisallow: /x\n", "/x"));
}

TEST(RobotsTxt, other_records_do_not_end_a_group) {
  const std::string robots =
      "User-agent: pollux\nSitemap: https://example.org/s.xml\nUser-agent: other\n"
      "Disallow: /x\nHost: example.org\nDisallow: /y\n";
  EXPECT_FALSE(may(robots, "/x"));
  EXPECT_FALSE(may(robots, "/y"));
}

TEST(RobotsTxt, rules_before_the_first_user_agent_concern_nobody) {
  EXPECT_TRUE(may("Disallow: /\nUser-agent: *\nAllow: /\n", "/x"));
}

// §2.2.2: the longest match; equally long: allow.

TEST(RobotsTxt, the_longest_match_decides_whatever_the_order) {
  for (const char* robots : {"User-agent: *\nAllow: /example/page/\nDisallow: /example/\n",
                             "User-agent: *\nDisallow: /example/\nAllow: /example/page/\n"}) {
    EXPECT_TRUE(may(robots, "/example/page/x"));
    EXPECT_FALSE(may(robots, "/example/other"));
    EXPECT_TRUE(may(robots, "/elsewhere"));
  }
}

TEST(RobotsTxt, of_two_equal_rules_the_one_that_allows_counts) {
  EXPECT_TRUE(may("User-agent: *\nDisallow: /p\nAllow: /p\n", "/p"));
}

TEST(RobotsTxt, patterns_are_prefixes_and_mind_the_case) {
  const std::string robots = "User-agent: *\nDisallow: /fish\n";
  for (const char* path : {"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish?id=1"})
    EXPECT_FALSE(may(robots, path)) << path;
  for (const char* path : {"/Fish.asp", "/catfish", "/", "/?id=fish"})
    EXPECT_TRUE(may(robots, path)) << path;
}

TEST(RobotsTxt, a_pattern_without_a_slash_matches_nothing) {
  EXPECT_TRUE(may("User-agent: *\nDisallow: fish\n", "/fish"));
}

TEST(RobotsTxt, robots_txt_itself_may_always_be_read) {
  EXPECT_TRUE(may("User-agent: *\nDisallow: /\n", "/robots.txt"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /\n", "/robots.txt?x"));
}

TEST(RobotsTxt, a_url_without_a_path_is_the_root) {
  const std::string rules = read_robots_txt("User-agent: *\nDisallow: /$\n", "pollux").rules;
  EXPECT_FALSE(allows(rules, "https://example.org"));
  EXPECT_FALSE(allows(rules, "https://example.org/#part"));
  EXPECT_TRUE(allows(rules, "https://example.org?q"));
  EXPECT_TRUE(allows(rules, "https://example.org/x"));
}

// §2.2.3: special characters.

TEST(RobotsTxt, a_star_stands_for_anything) {
  const std::string robots = "User-agent: *\nDisallow: /fish*.php\n";
  for (const char* path : {"/fish.php", "/fishheads/catfish.php?parameters", "/fish/x.php/y"})
    EXPECT_FALSE(may(robots, path)) << path;
  for (const char* path : {"/Fish.PHP", "/fish", "/fishphp"})
    EXPECT_TRUE(may(robots, path)) << path;
  EXPECT_FALSE(may("User-agent: *\nDisallow: *.gif$\n", "/a/b.gif"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /***a**b\n", "/xxaxxbxx"));
  EXPECT_TRUE(may("User-agent: *\nDisallow: /*a*b\n", "/xxbxxa"));
}

TEST(RobotsTxt, a_dollar_at_the_end_is_the_end_of_the_url) {
  const std::string robots = "User-agent: *\nDisallow: /*.php$\n";
  EXPECT_FALSE(may(robots, "/filename.php"));
  EXPECT_FALSE(may(robots, "/folder/a.php.php"));
  EXPECT_TRUE(may(robots, "/filename.php?parameters"));
  EXPECT_TRUE(may(robots, "/filename.php5"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /a$b\n", "/a$b")) << "elsewhere it is itself";
  EXPECT_TRUE(may("User-agent: *\nDisallow: /ab*ab$\n", "/ab")) << "the ends do not overlap";
}

TEST(RobotsTxt, a_hash_begins_a_comment) {
  const std::string robots = "User-agent: * # all\nDisallow: /a # not /b\n# Disallow: /c\n";
  EXPECT_FALSE(may(robots, "/a"));
  EXPECT_TRUE(may(robots, "/b"));
  EXPECT_TRUE(may(robots, "/c"));
}

TEST(RobotsTxt, an_encoded_star_or_dollar_is_that_character) {
  EXPECT_FALSE(may("User-agent: *\nDisallow: /file-with-a-%2A.html\n", "/file-with-a-*.html"));
  EXPECT_TRUE(may("User-agent: *\nDisallow: /file-with-a-%2A.html\n", "/file-with-a-b.html"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /path/foo-%24\n", "/path/foo-$"));
}

// §2.2.2: percent-encoding.

TEST(RobotsTxt, encoded_and_plain_octets_are_compared_as_one) {
  EXPECT_FALSE(may("User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar\n",
                   "/foo/bar?baz=https://foo.bar"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /foo/bar/\xE3\x83\x84\n", "/foo/bar/%E3%83%84"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /foo/bar/%e3%83%84\n", "/foo/bar/\xE3\x83\x84"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /foo/bar/%62%61%7A\n", "/foo/bar/baz"));
  EXPECT_TRUE(may("User-agent: *\nDisallow: /a%2Fb\n", "/a/b")) << "%2F is no slash";
  EXPECT_FALSE(may("User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb"));
  EXPECT_FALSE(may("User-agent: *\nDisallow: /100%\n", "/100%25"));
}

// §2.3: the file.

TEST(RobotsTxt, every_kind_of_line_end_and_a_byte_order_mark_are_understood) {
  for (const char* robots :
       {"User-agent: *\rDisallow: /x\r", "User-agent: *\r\nDisallow: /x\r\n",
        "User-agent: *\nDisallow: /x", "\xEF\xBB\xBFUser-agent: *\nDisallow: /x\n",
        " \tUser-agent \t:\t* \n  Disallow  :  /x  \n"}) {
    EXPECT_FALSE(may(robots, "/x")) << robots;
  }
}

TEST(RobotsTxt, what_lies_beyond_500_kibibytes_is_not_read) {
  std::string robots = "User-agent: *\nDisallow: /a\n#";
  robots.resize(most_bytes - 13, 'x');
  robots += "\nDisallow: /b\nDisallow: /c\n";
  EXPECT_FALSE(may(robots, "/a"));
  EXPECT_TRUE(may(robots, "/c"));
  std::string whole = "User-agent: *\n#" + std::string(400'000, 'x') + "\nDisallow: /late\n";
  EXPECT_FALSE(may(whole, "/late"));
}

TEST(RobotsTxt, an_excerpt_holds_what_concerns_us_and_nothing_else) {
  const Excerpt excerpt = read_robots_txt(
      "User-agent: other\nDisallow: /theirs\nUser-agent: *\nDisallow: /a\nDisallow: /a\n"
      "Allow: /a/\xC3\xA9\nSitemap: /s\n",
      "pollux");
  EXPECT_EQ(excerpt.rules, "Allow: /a/%C3%A9\nDisallow: /a\n");
  EXPECT_EQ(read_robots_txt("User-agent: *\nAllow: /a\nAllow: /b\n", "pollux").rules, "");
}

// Crawl-delay is no part of the RFC.

TEST(CrawlDelay, is_taken_from_the_group_that_counts) {
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 10\n"), Duration(10s));
  EXPECT_EQ(delay("User-agent: *\nCrawl-Delay: 0.5\nDisallow: /x\n"), Duration(500ms));
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 10\nUser-agent: pollux\nDisallow: /x\n"),
            std::nullopt);
  EXPECT_EQ(delay("User-agent: other\nCrawl-delay: 10\nUser-agent: *\nDisallow: /x\n"),
            std::nullopt);
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 1\nDisallow: /x\nUser-agent: *\nCrawl-delay: 3\n"),
            Duration(3s))
      << "the longest of merged groups";
}

TEST(CrawlDelay, garbage_is_ignored_and_a_huge_one_is_a_day) {
  for (const char* value : {"-1", "soon", "", "10s", "nan", "inf", "1e9", "0x10"})
    EXPECT_EQ(delay(std::string("User-agent: *\nCrawl-delay: ") + value + "\n"), std::nullopt)
        << value;
  EXPECT_EQ(delay("User-agent: *\nCrawl-delay: 1000000000000\n"), Duration(24h));
}

TEST(ProductToken, is_the_name_before_the_version) {
  EXPECT_EQ(product_token("pollux/0.1.0 (+https://example.org)"), "pollux");
  EXPECT_EQ(product_token("My-Bot_x 2"), "My-Bot_x");
  EXPECT_EQ(product_token("007"), "");
}

TEST(RobotsTxtUrl, is_at_the_root_of_the_same_authority) {
  EXPECT_EQ(robots_txt_url("http://example.org:8080/a/b?c"), "http://example.org:8080/robots.txt");
  EXPECT_EQ(robots_txt_url("https://[::1]"), "https://[::1]/robots.txt");
  EXPECT_EQ(robots_txt_url("https://example.org?q"), "https://example.org/robots.txt");
}

// Hostile input. The work is counted, not timed: a quadratic step would take minutes here.

TEST(RobotsTxt, a_pattern_of_thousands_of_stars_is_judged_in_linear_time) {
  std::string pattern, path = "/";
  for (int i = 0; i < 100'000; ++i) pattern += "*a";
  path += std::string(8'000, 'a');
  EXPECT_TRUE(may("User-agent: *\nDisallow: /" + pattern + "b\n", path));
  EXPECT_TRUE(may("User-agent: *\nDisallow: /*" + std::string(4'000, 'a') + "b\n", path));
}

std::string random_letters(Rng& rng, std::size_t count) {
  std::string text;
  while (text.size() < count) text += static_cast<char>('a' + rng.below(3));
  return text;
}

TEST(RobotsTxt, rules_that_take_too_long_to_judge_forbid) {
  Rng rng(5);
  std::string robots = "User-agent: *\n";
  while (robots.size() + 40 < most_bytes) robots += "Disallow: /*" + random_letters(rng, 14) + "\n";
  EXPECT_TRUE(may(robots, "/a"));
  EXPECT_FALSE(may(robots, "/" + random_letters(rng, 8'000)));
}

// Whatever the rules are, a verdict takes two million steps at most.
TEST(RobotsTxt, the_work_of_a_verdict_is_bounded_and_told) {
  Rng rng(5);
  std::string robots = "User-agent: *\n";
  while (robots.size() + 40 < most_bytes)
    robots += "Disallow: /*" + random_letters(rng, 14) + "*x\n";
  const Excerpt excerpt = read_robots_txt(robots, "pollux");
  std::size_t work = 0;
  allows(excerpt.rules, "https://example.org/" + random_letters(rng, 8'000), &work);
  EXPECT_GT(work, 500'000u);
  EXPECT_LT(work, 2'000'000u);
}

// Rules of a large shop, and the URL of one of its pages: judged to the end, at little cost.
TEST(RobotsTxt, many_honest_wildcards_are_judged_to_the_end) {
  std::string robots = "User-agent: *\n";
  for (int i = 0; i < 5'000; ++i) robots += "Disallow: /*?filter" + std::to_string(i) + "=\n";
  const Excerpt excerpt = read_robots_txt(robots, "pollux");
  const std::string url = "https://example.org/shop/" + std::string(300, 'p') + "?page=2";
  std::size_t work = 0;
  EXPECT_TRUE(allows(excerpt.rules, url, &work));
  EXPECT_LT(work, 100'000u);
  EXPECT_FALSE(allows(excerpt.rules, url + "?filter17=x"));
}

TEST(RobotsTxt, random_bytes_are_read_without_harm) {
  Rng rng(3);
  const std::string_view words[] = {
      "User-agent:", "Disallow:", "Allow: /", "Crawl-delay: ", "*",    "$", "%",
      "\n",          "\r",        "#",        "pollux",        "\xFF", "/", "a"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += rng.chance(0.3) ? std::string(1, static_cast<char>(rng.below(256)))
                              : std::string(words[rng.below(std::size(words))]);
    }
    const Excerpt excerpt = read_robots_txt(text, "pollux");
    for (const char c : excerpt.rules) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
    // An excerpt is a robots.txt in short: it reads back to itself.
    EXPECT_EQ(read_robots_txt("User-agent: *\n" + excerpt.rules, "x").rules, excerpt.rules);
    allows(excerpt.rules, "https://example.org/" + text);
  }
}

}  // namespace
}  // namespace pollux::robots_txt
