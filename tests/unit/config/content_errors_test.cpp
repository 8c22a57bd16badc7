#include "loaded.hpp"

namespace pollux::config {
namespace {

using Texts = std::vector<std::string>;

std::string refusal_of(const std::string& content) {
  return refused("pages:\n - url: http://a.example/\n   content: " + content + "\n").message;
}

TEST(ContentErrors, unknown_keys_are_refused_with_the_nearest) {
  EXPECT_EQ(refusal_of("{ selct: [a] }"),
            "test.yaml:3: unknown key 'selct' in 'content'; did you mean 'select'?");
  EXPECT_EQ(refusal_of("{ +remve: [a] }"),
            "test.yaml:3: unknown key '+remve' in 'content'; did you mean '+remove'?");
  EXPECT_TRUE(contains(refusal_of("{ +as: text }"), "did you mean 'as'?"));
  EXPECT_TRUE(contains(refusal_of("{ alert: { apears: x } }"),
                       "unknown key 'apears' in 'content.alert'; did you mean 'appears'?"));
  EXPECT_TRUE(contains(refused("pages:\n - { url: http://a.example/, select: [a] }\n").message,
                       "it belongs under 'content'"));
  EXPECT_TRUE(contains(refused("content: { as: text }\npages: [http://a.example/]\n").message,
                       "write it under 'defaults', in an entry of 'rules' or at a page"));
  EXPECT_TRUE(
      contains(refused("rules: [{ mach: x, content: {} }]\npages: [http://a.example/]\n").message,
               "unknown key 'mach' of an entry in 'rules'; did you mean 'match'?"));
}

TEST(ContentErrors, values_of_the_wrong_kind_are_told_with_what_to_write) {
  EXPECT_TRUE(contains(refusal_of("text"), "'key: value'"));
  EXPECT_TRUE(
      contains(refusal_of("{ as: pdf }"),
               "content.as: 'pdf' is not known; write auto, raw, text, html, json or feed"));
  EXPECT_TRUE(contains(refusal_of("{ select: [[a]] }"), "an entry is a list; put it in quotes"));
  EXPECT_TRUE(contains(refusal_of("{ select: [{ regex: a }] }"), "'regex' is no kind of selector"));
  EXPECT_TRUE(contains(refusal_of("{ select: [{}] }"), "write { css: … }"));
  EXPECT_TRUE(contains(refusal_of("{ select: [{ css: a, jq: b }] }"), "one selector each"));
  EXPECT_TRUE(contains(refusal_of("{ select: [''] }"), "write some text"));
  EXPECT_TRUE(contains(refusal_of("{ ignore: [\"a\\0b\"] }"), "write some text"));
  EXPECT_TRUE(contains(refusal_of("{ ignore: [{ a: b }] }"), "an entry is a mapping; put it in"));
  EXPECT_TRUE(contains(refusal_of("\n     remove:\n       - #related"), "quote one that starts"));
  EXPECT_TRUE(contains(refusal_of("{ alert: sold out }"), "write { appears: PATTERN }"));
  EXPECT_TRUE(contains(refusal_of("{ number: 5 }"), "write { below: 100 }"));
  EXPECT_TRUE(contains(refusal_of("{ pipe: pdftotext - - }"), "as a list (there is no shell)"));
  EXPECT_TRUE(contains(refusal_of("{ pipe: [''] }"), "the name of a program"));
  EXPECT_TRUE(contains(refusal_of("{ pipe: [[a]] }"), "an argument is a list"));
}

TEST(ContentErrors, what_excludes_each_other_is_refused) {
  EXPECT_TRUE(contains(refusal_of("{ select: [a], +select: [b] }"),
                       "'+select' adds to it; keep one of them"));
  EXPECT_TRUE(contains(refusal_of("{ alert: { appears: a, disappears: b } }"), "not both"));
  EXPECT_TRUE(contains(refusal_of("{ number: { below: 1, above: 2 } }"), "write one of below"));
  EXPECT_TRUE(contains(refusal_of("{ as: raw, select: [a] }"), "test.yaml:3: select: as: raw"));
  EXPECT_FALSE(contains(refusal_of("{ as: raw, select: [a] }"), "in which language"))
      << "no language would do";
}

TEST(ContentErrors, a_list_that_a_comment_has_eaten_is_not_an_empty_one) {
  for (const char* list : {"select", "+remove", "ignore", "keep_lines"}) {
    const std::string error = refusal_of("\n     " + std::string(list) + ": #main\n     as: text");
    EXPECT_TRUE(contains(error, std::string("content.") + list + " is empty; quote what starts"))
        << error;
  }
}

TEST(ContentErrors, patterns_that_do_not_compile_are_told_whose_syntax_it_is) {
  for (const char* content : {"{ ignore: ['(?<=x)y'] }", "{ alert: { appears: '(?!x)y' } }"}) {
    EXPECT_TRUE(contains(refusal_of(content), "patterns are in RE2's syntax, which has no look-"))
        << refusal_of(content);
  }
}

TEST(ContentErrors, what_belongs_to_pages_is_sent_there_from_rules) {
  const std::string error =
      refused("rules: [{ match: '*', importance: 2 }]\npages: [http://a.example/]\n").message;
  EXPECT_TRUE(contains(error,
                       "unknown key 'importance' of an entry in 'rules'; a rule has only "
                       "'content'; write it at the page: { url: …, importance: … }"))
      << error;
}

TEST(ContentErrors, what_does_not_compile_is_told_with_its_line_and_all_of_it) {
  const Texts errors = all_errors(R"(budget: 1
defaults:
  content:
    ignore: ["ok", "(open"]
rules:
  - match: "http://a.example/*"
    content:
      select:
        - "h1"
        - "a:hovering"
  - tag: nobody
    content: { alert: { appears: "[z-a]" } }
pages:
  - http://a.example/1
  - http://a.example/2
  - url: http://a.example/3
    importance: much
    content: { +remove: ["//h2["] }
  - url: http://a.example/4
    content:
      keep_lines:
        - "*"
)");
  ASSERT_EQ(errors.size(), 6u);
  EXPECT_TRUE(contains(errors[0], "test.yaml:4: ignore: ")) << errors[0];
  EXPECT_TRUE(contains(errors[0], "(open")) << errors[0];
  EXPECT_TRUE(contains(errors[1], "test.yaml:10: select: ")) << errors[1];
  EXPECT_TRUE(contains(errors[1], "hovering")) << errors[1];
  EXPECT_TRUE(contains(errors[1], "; to say in which language it is, write { css: … }"));
  EXPECT_TRUE(contains(errors[2], "test.yaml:12: alert: ")) << errors[2];
  EXPECT_TRUE(contains(errors[3], "test.yaml:17: importance")) << errors[3];
  EXPECT_TRUE(contains(errors[4], "test.yaml:18: remove: ")) << errors[4];
  EXPECT_TRUE(contains(errors[5], "test.yaml:22: keep_lines: ")) << errors[5];
}

TEST(ContentErrors, a_page_at_odds_with_the_defaults_is_told_where_it_says_so) {
  const std::string error = refused(R"(
defaults:
  content: { select: [main] }
pages:
  - http://a.example/1
  - url: http://a.example/2
    content: { as: raw }
)")
                                .message;
  EXPECT_TRUE(contains(error, "test.yaml:7: select: as: raw")) << error;
  EXPECT_TRUE(contains(error, "; it comes from test.yaml:3")) << error;
}

TEST(ContentErrors, errors_in_a_pages_file_name_it) {
  const TempFolder folder;
  folder.write("u.yaml",
               "- http://a.example/\n- url: http://b.example/\n  content: { ignore: [(] }\n");
  const auto read = load(folder.write("p.yaml", "budget: 1\npages_file: u.yaml\n"));
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(contains(read.error().message, "u.yaml:3: ignore: ")) << read.error().message;
  EXPECT_EQ(read.error().exit_code, ExitCode::bad_data);
}

TEST(ContentErrors, a_rule_names_its_pages_and_says_something) {
  const auto error_of = [](const std::string& rules) {
    return refused("rules: " + rules + "\npages: [http://a.example/]\n").message;
  };
  EXPECT_TRUE(contains(error_of("{ match: x }"), "write a list of { match: …, content: … }"));
  EXPECT_TRUE(contains(error_of("[x]"), "a rule is a single value"));
  EXPECT_TRUE(contains(error_of("[{ content: {} }]"), "neither 'match' nor 'tag'"));
  EXPECT_TRUE(contains(error_of("[{ match: x, tag: y, content: {} }]"), "both 'match' and 'tag'"));
  EXPECT_TRUE(contains(error_of("[{ match: x }]"), "a rule without content"));
  EXPECT_TRUE(contains(error_of("[{ match: '', content: {} }]"), "write a pattern of URLs"));
  EXPECT_TRUE(contains(error_of("[{ match: [x], content: {} }]"), "write a pattern of URLs"));
  EXPECT_TRUE(contains(error_of("[{ tag: ' x', content: {} }]"), "without blanks around them"));
}

TEST(ContentErrors, very_many_wrong_pages_take_no_longer_than_a_few) {
  std::string text = "budget: 1\npages:\n";
  for (int i = 0; i < 5000; ++i) {
    text += " - { url: http://a.example/" + std::to_string(i) + ", content: { ignore: [(] } }\n";
  }
  EXPECT_EQ(all_errors(text).size(), 21u);
}

}  // namespace
}  // namespace pollux::config
