#include "pollux/config/document.hpp"

#include "config/indentation.hpp"
#include "loaded.hpp"
#include "pollux/base/rng.hpp"

namespace pollux::config {
namespace {

std::string repeated(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::string refusal(std::string text) {
  const auto result = Document::parse(std::move(text), "f.yaml", ExitCode::configuration);
  return result.ok() ? "accepted" : result.error().message;
}

TEST(Document, the_tree_keeps_kinds_texts_and_lines) {
  const auto document =
      Document::parse("a: 1\nb:\n  - 'x y'\n  - {c: ~}\n", "f", ExitCode::configuration);
  ASSERT_TRUE(document.ok());
  const Node root = document->root();
  ASSERT_EQ(root.kind(), Kind::mapping);
  std::vector<std::pair<std::string, std::uint32_t>> seen;
  for (const Node child : root) seen.emplace_back(child.text(), child.line());
  EXPECT_EQ(seen[0], (std::pair<std::string, std::uint32_t>("a", 1)));
  EXPECT_EQ(seen[1], (std::pair<std::string, std::uint32_t>("1", 1)));
  EXPECT_EQ(seen[2].second, 2u);
  const Node list = *++ ++ ++root.begin();
  ASSERT_EQ(list.kind(), Kind::list);
  EXPECT_EQ((*list.begin()).text(), "x y");
  const Node inner = *++list.begin();
  ASSERT_EQ(inner.kind(), Kind::mapping);
  EXPECT_EQ(inner.line(), 4u);
  EXPECT_EQ((*++inner.begin()).kind(), Kind::null);
}

TEST(Document, ten_thousand_levels_are_refused) {
  for (const int depth : {33, 10000, 50000}) {
    EXPECT_NE(refusal(repeated("[", depth)), "accepted");
    EXPECT_TRUE(contains(refusal(repeated("[", depth) + repeated("]", depth)), "levels deep"));
    EXPECT_NE(refusal(repeated("{a: ", depth)), "accepted");
    EXPECT_NE(refusal(repeated("- ", depth) + "x"), "accepted");
    EXPECT_NE(refusal(repeated("? ", depth) + "x"), "accepted");
    EXPECT_NE(refusal(repeated("{", depth)), "accepted");
    EXPECT_NE(refusal(repeated("[{a: ", depth)), "accepted");
    EXPECT_NE(refusal(repeated("]", depth)), "accepted");
  }
  std::string blocks;
  for (int i = 0; i < 2000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(contains(refusal(blocks), "f.yaml:33: more than 32 levels deep"));
}

TEST(Document, an_alias_bomb_is_refused_however_little_of_it_is_read) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(inner + ",", 9) +
            inner + "]\n";
  }
  EXPECT_TRUE(contains(refusal(bomb), "f.yaml:6: the aliases (*) up to here stand for more than"))
      << refusal(bomb);
  // The same by merge keys: as many keys as there are mappings.
  std::string merges = "m: &m {";
  for (int i = 0; i < 2000; ++i) merges += "k" + std::to_string(i) + ": 1, ";
  merges += "z: 1}\nl:\n";
  for (int i = 0; i < 2000; ++i) merges += " - {<<: *m}\n";
  EXPECT_TRUE(contains(refusal(merges), "the aliases (*) up to here")) << refusal(merges);
}

TEST(Document, an_alias_stands_for_what_its_anchor_names) {
  const auto document = Document::parse("a: &a [x, {y: 1}]\nb: *a\nc: &c text\nd: *c\n", "f",
                                        ExitCode::configuration);
  ASSERT_TRUE(document.ok()) << document.error().message;
  std::vector<Node> all;
  for (const Node child : document->root()) all.push_back(child);
  ASSERT_EQ(all.size(), 8u);
  ASSERT_EQ(all[3].kind(), Kind::list);
  EXPECT_EQ(all[3].line(), 2u);
  EXPECT_EQ((*all[3].begin()).text(), "x");
  EXPECT_EQ((*++all[3].begin()).kind(), Kind::mapping);
  EXPECT_EQ(all[7].text(), "text");
  EXPECT_TRUE(contains(refusal("a: *unknown\n"), "f.yaml:1: "));
  EXPECT_TRUE(contains(refusal("a: *unknown\n"), "needs an anchor (&name) above it"));
  EXPECT_TRUE(contains(refusal("a: &a [1, *a]\n"), "inside what it names"));
  EXPECT_EQ(refusal("a: &x\n"), "accepted");
}

TEST(Document, merge_keys_add_what_is_not_written) {
  const auto pairs = [](const std::string& text) {
    const auto document = Document::parse(text, "f", ExitCode::configuration);
    EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().message);
    std::string out;
    if (!document.ok()) return out;
    const Node last = *++ ++ ++document->root().begin();
    for (const Node child : last) out += std::string(child.text()) + " ";
    return out;
  };
  EXPECT_EQ(pairs("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3, z: 4}\n"), "y 3 z 4 x 1 ");
  EXPECT_EQ(pairs("a: [&a {x: 1}, &c {x: 2, w: 5}]\nb: {<<: [*a, *c]}\n"), "x 1 w 5 ");
  EXPECT_TRUE(contains(refusal("a: &a [1]\nb: {<<: *a}\n"), "f.yaml:1: '<<' is a single value"));
  EXPECT_TRUE(contains(refusal("b: {<<: 7}\n"), "f.yaml:1: '<<' is a single value"));
}

TEST(Document, duplicate_keys_are_refused_with_both_lines) {
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"),
            "f.yaml:3: the key 'a' stands here for the second time, first in line 1; keep one of "
            "them");
  EXPECT_TRUE(contains(refusal("x: {a: 1, 'a': 2}\n"), "second time"));
}

TEST(Document, tags_odd_keys_and_second_documents_are_refused) {
  EXPECT_TRUE(contains(refusal("a: !!binary x\n"), "f.yaml:1: tags"));
  EXPECT_TRUE(contains(refusal("a: !mine {}\n"), "tags"));
  EXPECT_TRUE(contains(refusal("? [a, b]\n: 1\n"), "a key is a list"));
  EXPECT_TRUE(contains(refusal("~: 1\n"), "a key is empty"));
  EXPECT_TRUE(contains(refusal("a: 1\n---\nb: 2\n"), "second document"));
}

TEST(Document, files_of_others_may_hold_several_and_repeat_keys) {
  std::vector<std::string> remarks;
  const auto all = Document::parse_all("\xEF\xBB\xBF---\na: 1\na: 2\n---\n---\n- x\n...\n",
                                       "f.yaml", ExitCode::bad_data, remarks);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].root().kind(), Kind::mapping);
  EXPECT_EQ((*all)[1].root().kind(), Kind::null);
  EXPECT_EQ((*all)[2].root().line(), 6u);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("f.yaml:3: the key 'a'"), std::string::npos) << remarks[0];
  EXPECT_TRUE(Document::parse_all("", "f.yaml", ExitCode::bad_data, remarks)->empty());
  // A token that fits nowhere would be one document after the other, for ever.
  for (const char* const text : {",x\n/,\"A, \"\"b: {A: b}\n\"\"\",x\n", "a: 1\n}\n", "]", ","}) {
    EXPECT_FALSE(Document::parse_all(text, "f.yaml", ExitCode::bad_data, remarks).ok()) << text;
  }
  const auto broken =
      Document::parse_all("a: 1\n---\nb: [\n", "f.yaml", ExitCode::bad_data, remarks);
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("f.yaml:"), std::string::npos) << broken.error().message;
}

TEST(Document, broken_yaml_names_line_and_cure) {
  EXPECT_TRUE(contains(refusal("a: 1\nb: [1, 2\nc: 3\n"), "']'"));
  EXPECT_TRUE(contains(refusal("a: 1\nb: {x: 1\n"), "'}'"));
  EXPECT_TRUE(contains(refusal("a: \"open\n"), "quote"));
  EXPECT_TRUE(contains(refusal("a: b: c\n"), "f.yaml:1: not valid YAML"));
  EXPECT_TRUE(contains(refusal("a: 1\n b: 2\n"), "f.yaml:"));
  EXPECT_TRUE(contains(refusal("a: @x\n"), "quote a value"));
}

TEST(Document, a_line_in_the_wrong_column_is_named_with_the_right_one) {
  EXPECT_EQ(refusal("budget: 1\n pages:\n   - http://a.example/\n"),
            "f.yaml:2: 'pages' starts in column 2, 'budget' in line 1 in column 1; what belongs "
            "together starts in one column");
  EXPECT_TRUE(
      contains(refusal("hosts:\n  delay: 1s\n   connections: 2\n"),
               "f.yaml:3: 'connections' starts in column 4, 'delay' in line 2 in column 3"));
  EXPECT_TRUE(
      contains(refusal("hosts:\n    delay: 1s\n  connections: 2\n"),
               "f.yaml:3: 'connections' starts in column 3, 'delay' in line 2 in column 5"));
  EXPECT_TRUE(contains(refusal("  budget: 1\npages: []\n"),
                       "f.yaml:2: 'pages' starts in column 1, 'budget' in line 1 in column 3"));
  EXPECT_TRUE(contains(refusal("pages:\n- http://a.example/\n - http://b.example/\n"),
                       "f.yaml:3: this entry starts in column 2, the entry in line 2 in column 1"));
  EXPECT_TRUE(contains(refusal("pages:\n  - http://a.example/\n    http://b.example/\n"),
                       "f.yaml:3: this URL goes on with the entry in line 2; start the line with "
                       "'- ' in column 3"));
  EXPECT_TRUE(contains(refusal("pages:\n  - url: http://a.example/\n  importance: 3\n"),
                       "f.yaml:3: 'importance' stands in the column of the entry in line 2; indent "
                       "it further"));
}

TEST(Document, lines_that_start_where_they_may_are_not_complained_of) {
  for (const std::string right :
       {"pages:\n- http://a.example/\n- url: http://b.example/\n  importance: 3\nbudget: 1\n",
        "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", "a: [1,\n2,\n   3]\nb: {c: 1,\n d: 2}\n",
        "a: \"x\n  y: z\"\nb: 1\n", "a: |\n  text: 1\n   more\nb: 1\n",
        "a: one\n  two\nb: it's\nc: 'x y'\n", "- - 1\n  - 2\n- 3\n", "a: # remark\n  b: 1\n",
        "a: &x\n  b: 1\nc: *x\n"}) {
    EXPECT_EQ(refusal(right), "accepted") << right;
    EXPECT_FALSE(find_misplaced_line(right)) << right << find_misplaced_line(right)->message;
  }
}

TEST(Document, a_missing_closing_quote_does_not_swallow_keys) {
  EXPECT_TRUE(contains(refusal("# ü\r\na: 1\r\nb: \"open\r\nc: 3\r\n"), "f.yaml:3: a quote"));
  EXPECT_TRUE(contains(refusal("a: 'it''s\n"), "f.yaml:1: "));
  EXPECT_EQ(refusal("a: 'it''s'\nb: \"\\\"\""), "accepted");
  EXPECT_EQ(refusal("a: \"x\"\nb: ''"), "accepted");
}

TEST(Document, tabs_in_the_indentation_are_refused) {
  EXPECT_EQ(refused("hosts:\n\tdelay: 1s\n").message,
            "test.yaml:2: a tab in the indentation; write spaces");
  EXPECT_TRUE(contains(refused("hosts:\n  \tdelay: 1s\n").message, "test.yaml:2: a tab"));
}

TEST(Document, what_is_no_text_is_refused) {
  EXPECT_TRUE(
      contains(refused(std::string("a: 1\nb: \0\n", 10)).message, "test.yaml:2: not a text"));
  EXPECT_TRUE(contains(refused("\xff\xfe"
                               "a\n")
                           .message,
                       "test.yaml:1: not a text"));
  EXPECT_TRUE(contains(refused("a: \x1b[31m\n").message, "\\x1b"));
  EXPECT_TRUE(contains(refused("a: \xc3(\n").message, "save it as UTF-8"));
}

// No input may crash or hang the reader; sanitizers watch.
TEST(Document, random_pieces_of_yaml_never_crash) {
  Rng rng(11);
  static constexpr std::string_view pieces[] = {"a",
                                                ": ",
                                                "\n",
                                                "  ",
                                                "- ",
                                                "[",
                                                "]",
                                                "{",
                                                "}",
                                                ",",
                                                "&x ",
                                                "*x",
                                                "!",
                                                "!!str ",
                                                "'",
                                                "\"",
                                                "|",
                                                ">",
                                                "#",
                                                "---",
                                                "...",
                                                "%YAML 1.2\n",
                                                "? ",
                                                "~",
                                                "\\",
                                                "pages",
                                                "http://a.example/",
                                                "\xEF\xBB\xBF",
                                                "<<",
                                                "@",
                                                "`",
                                                "=",
                                                "\r\n",
                                                "ü",
                                                "budget",
                                                "hosts"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::uint64_t n = rng.below(24); n > 0; --n) text += pieces[rng.below(std::size(pieces))];
    const auto result = load_text(text, "fuzz.yaml");
    if (!result.ok()) {
      ASSERT_TRUE(result.error().message.starts_with("fuzz.yaml:")) << result.error().message;
      ASSERT_EQ(result.error().message.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pollux::config
