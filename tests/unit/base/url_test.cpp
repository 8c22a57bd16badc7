#include "pollux/base/url.hpp"

#include "pollux/base/rng.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

std::string text_of(std::string_view url) {
  const auto got = parse_url(url);
  return got.ok() ? got->text : "refused: " + got.error().message;
}

std::string refusal(std::string_view url) {
  const auto got = parse_url(url);
  return got.ok() ? "accepted: " + got->text : got.error().message;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Url, plain_urls_stay_as_they_are) {
  for (const std::string url :
       {"https://example.org/", "http://example.org/news", "https://a-b.example.org/x/y.html",
        "https://example.org/a?b=c&d=e/../f", "https://example.org/?q=%7e%2f",
        "http://example.org:8080/x", "http://1.2.3.4.example:8080/", "http://1.2.3.4.example/",
        "http://127.0.0.1:8080/", "http://[2001:db8::1]/", "https://xn--bcher-kva.example/",
        "http://localhost/a:b@c", "http://a_b.example/", "https://example.org/a//b",
        "https://example.org/.well-known/x", "https://example.org/a;b=c"}) {
    EXPECT_EQ(text_of(url), url);
  }
}

TEST(Url, two_spellings_of_one_page_give_one_text) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"HTTPS://EXAMPLE.org", "https://example.org/"},
      {"https://example.org:443/", "https://example.org/"},
      {"http://example.org:80", "http://example.org/"},
      {"http://example.org:0080/", "http://example.org/"},
      {"http://example.org:/", "http://example.org/"},
      {"http://example.org:443/", "http://example.org:443/"},
      {"https://example.org/#part", "https://example.org/"},
      {"https://example.org?x=1#part?", "https://example.org/?x=1"},
      {"https://example.org/?", "https://example.org/?"},
      {"https://example.org/a/./b/../c", "https://example.org/a/c"},
      {"https://example.org/../../a", "https://example.org/a"},
      {"https://example.org/a/..", "https://example.org/"},
      {"https://example.org/a/b/.", "https://example.org/a/b/"},
      {"https://example.org/%7euser/%2fx%c3%a4", "https://example.org/~user/%2Fx%C3%A4"},
      {"https://example.org/a/%2e%2E/b", "https://example.org/b"},
      {"https://example.org./", "https://example.org/"},
      {"http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"},
  };
  for (const auto& [from, to] : cases) EXPECT_EQ(text_of(from), to) << from;
}

TEST(Url, raw_utf8_and_forbidden_marks_in_paths_are_encoded) {
  EXPECT_EQ(text_of("https://example.org/größe?q=ü"),
            "https://example.org/gr%C3%B6%C3%9Fe?q=%C3%BC");
  EXPECT_EQ(text_of("https://example.org/a|b?c[]={d}"),
            "https://example.org/a%7Cb?c%5B%5D=%7Bd%7D");
}

TEST(Url, the_host_key_always_has_its_port) {
  EXPECT_EQ(parse_url("https://Example.org/x")->host_port, "example.org:443");
  EXPECT_EQ(parse_url("http://example.org")->host_port, "example.org:80");
  EXPECT_EQ(parse_url("http://example.org:8080/")->host_port, "example.org:8080");
  EXPECT_EQ(parse_url("http://[::1]:8080/")->host_port, "[::1]:8080");
  EXPECT_EQ(parse_url("https://[::1]/")->host_port, "[::1]:443");
  EXPECT_EQ(parse_url("http://192.0.2.1/")->host_port, "192.0.2.1:80");
  EXPECT_TRUE(parse_url("https://example.org/x")->https);
  EXPECT_FALSE(parse_url("HTTP://example.org/x")->https);
}

TEST(Url, refusals_name_the_cure) {
  EXPECT_TRUE(contains(refusal("https://example.org/a b"), "write %20"));
  EXPECT_TRUE(contains(refusal("example.org"), "starting with https://"));
  EXPECT_TRUE(contains(refusal("https://bücher.example/"), "punycode (xn--"));
  EXPECT_TRUE(contains(refusal("https://example.org/100%"), "%25"));
  EXPECT_TRUE(contains(refusal("http://a\\@b/"), "backslash"));
  EXPECT_TRUE(contains(refusal("ftp://example.org/"), "only these are polled"));
  EXPECT_TRUE(contains(refusal("http://127.1/"), "four decimal numbers"));
  EXPECT_TRUE(contains(refusal("http://example.org:0/"), "1 to 65535"));
}

TEST(Url, credentials_are_refused_and_not_repeated) {
  const std::string message = refusal("https://user:secret@example.org/");
  EXPECT_TRUE(contains(message, "credentials"));
  EXPECT_FALSE(contains(message, "secret"));
  EXPECT_TRUE(contains(refusal("https://@example.org/"), "credentials"));
}

TEST(Url, hosts_written_as_odd_numbers_are_refused) {
  for (const std::string_view host :
       {"2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0", "0x7f000001", "1.2.3.4.5", "1.2.3",
        "256.1.1.1", "1.2.3.4.", "00.0.0.0", "0x", "example.0x1f", "a.1", "0X7F.0.0.1",
        "1.2.3.04"}) {
    EXPECT_FALSE(parse_url("http://" + std::string(host) + "/").ok()) << host;
  }
}

TEST(Url, unusable_urls_are_refused) {
  for (const std::string_view url : {"",
                                     "http://",
                                     "http:///x",
                                     "https://?x",
                                     "http:/example.org",
                                     "//example.org/",
                                     "/x",
                                     "javascript:alert(1)",
                                     "file:///etc/passwd",
                                     "gopher://example.org/",
                                     "http://a..b/",
                                     "http://.a/",
                                     "http://a%2eb/",
                                     "http://a,b/",
                                     "http://[::1",
                                     "http://[::1]x/",
                                     "http://[v1.x]/",
                                     "http://[::1%25eth0]/",
                                     "http://example.org:99999/",
                                     "http://example.org:8x/",
                                     "http://example.org/\n",
                                     "http://example.org/\x1b[31m",
                                     "http://example.org/%",
                                     "http://example.org/%zz",
                                     " https://example.org/",
                                     "https://example.org/ ",
                                     "http://example.org\t/",
                                     "http://exa\x7fmple.org/"}) {
    EXPECT_FALSE(parse_url(url).ok()) << url;
  }
  EXPECT_FALSE(parse_url(std::string_view("http://example.org/\0x", 21)).ok());
  EXPECT_FALSE(parse_url("http://" + std::string(64, 'a') + ".example/").ok());
  EXPECT_FALSE(parse_url("http://" + std::string(64, 'a') + ".example:80/").ok());
  EXPECT_FALSE(parse_url("HTTP://-" + std::string(260, 'a') + "/").ok());
}

TEST(Url, a_url_of_a_megabyte_is_refused_in_a_short_message) {
  const std::string message = refusal("https://example.org/" + std::string(1u << 20, 'x'));
  EXPECT_TRUE(contains(message, "longer than 8192"));
  EXPECT_LT(message.size(), 700u);
  // Encoding makes it longer than allowed.
  std::string umlauts;
  for (int i = 0; i < 4000; ++i) umlauts += "ü";
  EXPECT_TRUE(contains(refusal("https://example.org/" + umlauts), "longer than 8192"));
}

TEST(Url, messages_about_hostile_urls_are_inert) {
  const std::string message = refusal("http://example.org/\x1b[31m%s{}\n%n");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_TRUE(contains(message, "{}"));
}

TEST(Url, format_marks_are_ordinary_characters) {
  EXPECT_EQ(text_of("https://example.org/{}"), "https://example.org/%7B%7D");
  EXPECT_FALSE(parse_url("https://example.org/%s").ok());
  EXPECT_EQ(text_of("https://example.org/%25s"), "https://example.org/%25s");
}

// Whatever is accepted is its own normal form, and the quick way agrees with the careful way, which
// an upper-case scheme forces.
TEST(Url, normal_form_is_stable_and_the_same_on_both_ways) {
  Rng rng(7);
  static constexpr std::string_view pieces[] = {
      "a",    "B",    "example.org", ".",   "..", "/",     "//",      "?", "#",
      "%41",  "%2e",  "%2F",         ":",   "80", "[::1]", "1.2.3.4", "ü", "-",
      "@",    "_",    "%zz",         "|",   "~",  "0x1",   "=",       "&", ":8080",
      ":443", ":080", "192.168.0.1", "256", "01", "65536", "0.0.0.0"};
  int accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string rest = "example.org";
    if (rng.chance(0.3)) rest.clear();
    for (std::uint64_t n = rng.below(8); n > 0; --n) rest += pieces[rng.below(std::size(pieces))];
    const auto quick = parse_url("https://" + rest);
    const auto careful = parse_url("HTTPS://" + rest);
    ASSERT_EQ(quick.ok(), careful.ok()) << rest;
    if (!quick.ok()) continue;
    ++accepted;
    ASSERT_EQ(quick->text, careful->text);
    ASSERT_EQ(quick->host_port, careful->host_port);
    const auto again = parse_url(quick->text);
    ASSERT_TRUE(again.ok()) << quick->text << ": " << again.error().message;
    ASSERT_EQ(again->text, quick->text) << rest;
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace pollux
