#include "pollux/extract/extract.hpp"

#include "pollux/extract/program.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

using Language = Selector::Language;
using Kind = Failure::Kind;

constexpr std::string_view html = "text/html; charset=utf-8", json = "application/json",
                           plain = "text/plain", xml = "application/xml";

std::variant<Kept, Failure> outcome(std::string_view body, std::string_view type,
                                    const Rules& rules = {}, const Limits& limits = {}) {
  const auto compiled = compile(rules);
  if (!compiled) return Failure{Kind::program, "does not compile: " + compiled.error().message};
  return extract({body, type}, **compiled, limits);
}
Kept kept(std::string_view body, std::string_view type, const Rules& rules = {}) {
  auto result = outcome(body, type, rules);
  if (const auto* failed = std::get_if<Failure>(&result)) {
    ADD_FAILURE() << failed->message;
    return {};
  }
  return std::get<Kept>(result);
}
Failure failure(std::string_view body, std::string_view type, const Rules& rules,
                const Limits& limits = {}) {
  const auto result = outcome(body, type, rules, limits);
  const auto* failed = std::get_if<Failure>(&result);
  return failed == nullptr ? Failure{Kind::program, "it did not fail"} : *failed;
}
Rules as(As what) {
  Rules rules;
  rules.as = what;
  return rules;
}
Rules css(std::vector<std::string> select, std::vector<std::string> remove = {}) {
  Rules rules;
  for (std::string& text : select) rules.select.push_back({Language::css, std::move(text)});
  for (std::string& text : remove) rules.remove.push_back({Language::css, std::move(text)});
  return rules;
}
Rules in(Language language, std::string text) {
  Rules rules;
  rules.select.push_back({language, std::move(text)});
  return rules;
}

// Without rules: by the media type.

TEST(Extract, html_is_kept_as_visible_text) {
  const Kept page = kept("<title>T</title><p>One <a href=x>two</a><script>no</script>", html);
  EXPECT_EQ(page.content, "T\nOne two <x>");
  EXPECT_EQ(page.as, As::text);
  EXPECT_EQ(page.media_type, "text/html");
  EXPECT_EQ(page.encoding, "UTF-8");
}

TEST(Extract, json_is_kept_in_canonical_form) {
  const Kept data = kept("{\"b\":1.10,\"a\":[]}", "application/problem+json");
  EXPECT_EQ(data.content, "{\n  \"a\": [],\n  \"b\": 1.1\n}");
  EXPECT_EQ(data.as, As::json);
}

TEST(Extract, json_that_is_none_is_kept_raw) {
  const Kept data = kept("{\"b\":", json);
  EXPECT_EQ(data.content, "{\"b\":");
  EXPECT_EQ(data.as, As::raw);
}

TEST(Extract, feeds_are_kept_as_entries) {
  const std::string feed = "<rss><channel><item><title>x</title></item></channel></rss>";
  for (const std::string_view type : {"application/rss+xml", "text/xml", "text/html", ""}) {
    const Kept entries = kept(feed, type);
    EXPECT_EQ(entries.content, "x\n") << type;
    EXPECT_EQ(entries.as, As::feed) << type;
  }
  const Kept broken = kept("<rss><channel><item", "application/rss+xml");
  EXPECT_EQ(broken.as, As::raw);
}

TEST(Extract, anything_else_is_kept_raw) {
  EXPECT_EQ(kept("a\r\nb", plain).content, "a\r\nb");
  EXPECT_EQ(kept("a\r\nb", plain).as, As::raw);
  EXPECT_EQ(kept("<urlset/>", xml).as, As::raw);
  const std::string image("\x89PNG\r\n\x1A\n\0\0", 10);
  EXPECT_EQ(kept(image, "image/png").content, image);
  EXPECT_EQ(kept(image, "image/png").encoding, "");
}

TEST(Extract, a_missing_media_type_is_sniffed) {
  EXPECT_EQ(kept("<!doctype html><p>x", "").media_type, "text/html");
  EXPECT_EQ(kept("<!doctype html><p>x", "").content, "x");
  EXPECT_EQ(kept("[1]", "").as, As::json);
  EXPECT_EQ(kept(std::string("\0\1", 2), "").media_type, "application/octet-stream");
}

TEST(Extract, bytes_that_are_no_text_are_kept_raw_whatever_is_said) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 37 % 256);
  for (const std::string_view type : {html, plain, json, std::string_view()}) {
    EXPECT_EQ(kept(bytes, type).content, bytes) << type;
    EXPECT_EQ(kept(bytes, type).as, As::raw) << type;
  }
  EXPECT_EQ(kept(bytes, html, as(As::text)).as, As::raw);
  EXPECT_EQ(failure(bytes, html, as(As::json)).kind, Kind::not_readable);
  EXPECT_EQ(failure(bytes, html, css({"p"})).message,
            "select: CSS wants HTML, and this is no text: \"p\"");
  EXPECT_EQ(kept("text in an encoding that browsers refuse", "text/html; charset=iso-2022-kr").as,
            As::raw);
}

TEST(Extract, text_is_decoded_as_browsers_do) {
  EXPECT_EQ(kept("<p>caf\xE9!", html.substr(0, 9)).content, "café!");
  EXPECT_EQ(kept("<p>caf\xE9!", html.substr(0, 9)).encoding, "windows-1252");
  EXPECT_EQ(kept("<meta charset=koi8-r><p>\xD1", "text/html").content, "я");
  EXPECT_EQ(kept("<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><item><title>\xE9"
                 "</title></item></channel></rss>",
                 "text/xml")
                .content,
            "é\n");
}

// `as`.

TEST(Extract, as_says_what_a_document_is) {
  EXPECT_EQ(kept("<p>x</p>", html, as(As::raw)).content, "<p>x</p>");
  EXPECT_EQ(kept("<p>x", plain, as(As::html)).as, As::html);
  EXPECT_NE(kept("<p>x", plain, as(As::html)).content.find("<p>x</p>"), std::string::npos);
  EXPECT_EQ(kept("[1]", plain, as(As::json)).content, "[\n  1\n]");
  EXPECT_EQ(kept("a\r\nb\rc", plain, as(As::text)).content, "a\nb\nc");
  EXPECT_EQ(kept("{\"a\":1}", json, as(As::text)).content, "{\"a\":1}");
}

TEST(Extract, what_a_document_is_not_is_a_failure) {
  EXPECT_EQ(failure("{", json, as(As::json)).kind, Kind::not_readable);
  EXPECT_TRUE(failure("{", json, as(As::json)).message.starts_with("as: json: no JSON: "));
  EXPECT_EQ(failure("<p>x", html, as(As::feed)).message,
            "as: feed: no feed: its root is neither rss nor feed nor RDF");
}

// Selectors.

TEST(Extract, selected_nodes_are_kept_in_document_order) {
  Rules rules = css({".b", "h1"});
  rules.select.push_back({Language::xpath, "//i"});
  rules.select.push_back({Language::css, ".none"});
  const Kept page =
      kept("<h1>one</h1><i>two</i><p>no</p><p class=b>three <i>four</i></p>", html, rules);
  EXPECT_EQ(page.content, "one\ntwo\nthree four");
  EXPECT_EQ(page.matched, (std::vector<std::size_t>{1, 1, 2, 0}));
}

TEST(Extract, xpath_may_select_attributes_and_values) {
  const std::string page = "<a href=x title=t>one</a><a href=y>two</a>";
  EXPECT_EQ(kept(page, html, in(Language::xpath, "//a/@href")).content, "x\ny");
  EXPECT_EQ(kept(page, html, in(Language::xpath, "count(//a)")).content, "2");
  EXPECT_EQ(kept(page, html, in(Language::xpath, "//a[1]/text()")).content, "one");
  Rules both = css({"a"});
  both.select.push_back({Language::xpath, "//a[2]/@href"});
  EXPECT_EQ(kept(page, html, both).content, "one <x>\ntwo <y>\ny");
}

TEST(Extract, removed_nodes_are_gone_and_so_is_what_is_below) {
  const std::string page = "<main>a <b class=ad>b <i>c</i></b> d</main>";
  EXPECT_EQ(kept(page, html, css({"main"}, {".ad"})).content, "a d");
  EXPECT_EQ(kept(page, html, css({"i"}, {".ad"})).content, "") << "all of it was taken out again";
  EXPECT_EQ(kept(page, html, css({}, {"i", ".ad"})).content, "a d");
  EXPECT_EQ(kept(page, html, css({}, {".none"})).content, "a b c d");
}

TEST(Extract, select_that_matches_nothing_is_a_failure) {
  const Failure none = failure("<p>x", html, css({".price", "h1"}));
  EXPECT_EQ(none.kind, Kind::selector);
  EXPECT_EQ(none.message, "select matches nothing: \".price\", \"h1\"");
  EXPECT_EQ(failure("<p>x", html, in(Language::xpath, "string(//q)")).kind, Kind::selector);
  EXPECT_EQ(failure("<p>x", html, in(Language::xpath, "number(//q)")).kind, Kind::selector);
  EXPECT_EQ(kept("<p>x", html, in(Language::xpath, "count(//q)")).content, "0");
}

TEST(Extract, markup_of_selected_nodes_can_be_kept) {
  Rules rules = css({"p"}, {"i"});
  rules.as = As::html;
  EXPECT_EQ(kept("<p b=2 a=1>x<i>y</i>", html, rules).content, "<p a=\"1\" b=\"2\">x</p>");
}

TEST(Extract, selectors_of_another_kind_of_document_are_failures) {
  EXPECT_EQ(failure("{}", json, css({".a"})).message,
            "select: CSS wants HTML, and this is application/json: \".a\"");
  EXPECT_EQ(failure("<a/>", xml, css({"a"})).message,
            "select: CSS wants HTML, and this is application/xml: \"a\"");
  EXPECT_EQ(failure("x", plain, in(Language::xpath, "//a")).message,
            "select: XPath wants HTML or XML, and this is text/plain: \"//a\"");
}

TEST(Extract, there_is_nothing_to_remove_from_another_kind_of_document) {
  EXPECT_EQ(kept("{\"a\":1}", json, css({}, {"footer"})).content,
            kept("{\"a\":1}", json, {}).content);
  EXPECT_EQ(kept("a b", plain, css({}, {"footer"})).content, "a b");
  EXPECT_EQ(kept("<a><b>1</b></a>", xml, css({}, {"footer"})).content,
            kept("<a><b>1</b></a>", xml, {}).content);
}

TEST(Extract, xpath_selects_in_xml_and_in_feeds) {
  EXPECT_EQ(kept("<urlset xmlns='s'><loc> a </loc><loc>b</loc></urlset>", xml,
                 in(Language::xpath, "//loc"))
                .content,
            "a\nb");
  EXPECT_EQ(kept("<rss><channel><item><title>x</title></item></channel></rss>",
                 "application/rss+xml", in(Language::xpath, "//item/title"))
                .content,
            "x");
  Rules remove;
  remove.remove.push_back({Language::xpath, "//b"});
  EXPECT_EQ(kept("<a><b>1</b><c>2</c></a>", xml, remove).content, "2");
}

TEST(Extract, jq_selects_in_json) {
  if (!find_program("jq")) GTEST_SKIP() << "jq is not installed";
  Rules rules = in(Language::jq, ".items[].price");
  const Kept prices = kept("{\"items\":[{\"price\":1.5},{\"price\":2}]}", json, rules);
  EXPECT_EQ(prices.content, "1.5\n2");
  EXPECT_EQ(prices.matched, (std::vector<std::size_t>{2}));
  EXPECT_EQ(failure("{\"items\":[]}", json, rules).message,
            "select matches nothing: \".items[].price\"");
  EXPECT_EQ(failure("{\"items\":", json, rules).kind, Kind::not_readable);
  EXPECT_EQ(failure("<p>x", html, rules).message,
            "select: jq wants JSON, and this is text/html: \".items[].price\"");
  EXPECT_EQ(failure("{}", json, rules).kind, Kind::selector);
}

// Patterns, programs, bounds.

TEST(Extract, patterns_come_last) {
  Rules rules = css({"li"});
  rules.ignore = {" updated \\d+ minutes ago"};
  rules.ignore_lines = {"^Views"};
  EXPECT_EQ(kept("<ul><li>a updated 5 minutes ago<li>Views: 5<li>b</ul>", html, rules).content,
            "a\nb");
}

TEST(Extract, rules_that_need_text_decode_what_would_be_raw) {
  Rules rules;
  rules.keep_lines = {"é"};
  const Kept lines = kept("caf\xE9\r\nx\r\n", plain, rules);
  EXPECT_EQ(lines.content, "café\n");
  EXPECT_EQ(lines.as, As::text);
  rules.as = As::raw;
  EXPECT_EQ(kept("<p>\xE9\n</p>", "text/html", rules).content, "<p>é\n") << "the source as text";
}

TEST(Extract, a_program_makes_text_of_bytes) {
  Rules rules;
  rules.pipe = {"tr", "a-z", "A-Z"};
  const Kept shouted = kept("hello", "application/pdf", rules);
  EXPECT_EQ(shouted.content, "HELLO");
  EXPECT_EQ(shouted.as, As::text);
  EXPECT_EQ(shouted.media_type, "application/pdf");
}

TEST(Extract, what_a_program_prints_may_be_selected_from) {
  Rules rules = css({"b"});
  rules.pipe = {"cat"};
  EXPECT_EQ(kept("<!doctype html><p>x <b>y</b>", "application/x-own", rules).content, "y");
  Rules data = as(As::json);
  data.pipe = {"cat"};
  EXPECT_EQ(kept("[1]", "application/x-own", data).content, "[\n  1\n]");
}

TEST(Extract, a_program_that_fails_is_a_failure) {
  Rules rules;
  rules.pipe = {"sh", "-c", "echo 'no PDF' >&2; exit 1"};
  const Failure failed = failure("x", "application/pdf", rules);
  EXPECT_EQ(failed.kind, Kind::program);
  EXPECT_EQ(failed.message, "pipe: sh ends with status 1: no PDF");
  rules.pipe = {"sleep", "600"};
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  EXPECT_EQ(failure("x", "application/pdf", rules, limits).message,
            "pipe: sleep takes longer than it may");
}

TEST(Extract, documents_beyond_the_limits_are_too_complex) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<div>";
  EXPECT_EQ(failure(deep, html, {}).kind, Kind::too_complex);
  EXPECT_EQ(failure("[[[[1]]]]", json, {}, {.max_depth = 2}).message, "as: json: deeper than 2");
  EXPECT_EQ(failure("xxxxx", plain, {}, {.max_kept = 3}).message, "more than 3 bytes to keep");
  EXPECT_EQ(kept(deep, html, as(As::raw)).content, deep) << "nobody has to read it";
}

// Traits.

TEST(Extract, traits_are_of_the_whole_page_whatever_is_kept) {
  const std::string page =
      "<title> Log \n in </title><p>one two <b>three</b><form><input type=Password><input></form>"
      "<script>window._cf_chl_opt = {}</script><svg><title>no</title></svg>";
  for (const Rules& rules : {Rules{}, css({"b"}), as(As::raw), as(As::html)}) {
    const Traits traits = kept(page, html, rules).traits;
    EXPECT_EQ(traits.title, "Log in");
    EXPECT_GE(traits.words, 5u);
    EXPECT_EQ(traits.password_fields, 1u);
    EXPECT_EQ(traits.markers, std::vector<std::string>{"_cf_chl_opt"});
  }
  EXPECT_EQ(kept("[1]", json).traits.words, 0u);
}

TEST(Extract, a_long_title_is_cut_between_characters) {
  std::string title;
  for (int i = 0; i < 300; ++i) title += "é";
  const std::string cut = kept("<title>x" + title + "</title>", html).traits.title;
  EXPECT_EQ(cut.size(), 199u);
  EXPECT_TRUE(cut.ends_with("é"));
}

TEST(Extract, threads_share_rules) {
  Rules rules = css({"b"});
  rules.select.push_back({Language::xpath, "//i"});
  rules.ignore = {"\\d+"};
  const auto compiled = compile(rules);
  ASSERT_TRUE(compiled);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&compiled] {
      for (int i = 0; i < 50; ++i) {
        const auto result = extract({"<b>a1</b><i>b2</i>", html}, **compiled, {});
        EXPECT_EQ(std::get<Kept>(result).content, "a\nb");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace pollux::extract
