#include "import/python_pattern.hpp"

#include "import/json_path.hpp"
#include "imported.hpp"

namespace pollux::import {
namespace {

TEST(PythonPattern, classes_know_all_letters_and_blanks) {
  EXPECT_EQ(re2_of_python(R"(\w+\s\d)", Against::lines), R"([\pL\pN_]+[\s\v\pZ]\d)");
  EXPECT_EQ(re2_of_python(R"([\w.-]\S)", Against::lines), R"([\pL\pN_.-][^\s\v\pZ])");
  extract::Rules rules;
  rules.ignore = {re2_of_python(R"(\w+\s\w+)", Against::text)};
  EXPECT_EQ(kept(rules,
                 "M\xC3\xBCller\xC2\xA0Stra\xC3\x9F"
                 "e!",
                 "text/plain; charset=utf-8"),
            "!\n");
}

TEST(PythonPattern, the_ends_of_a_text_are_not_those_of_its_lines) {
  EXPECT_EQ(re2_of_python("^a$", Against::text), "(?-m)^a$");
  EXPECT_EQ(re2_of_python("^a$", Against::lines), "^a$");
  EXPECT_EQ(re2_of_python(R"([^a]\$\Z)", Against::text), R"([^a]\$\z)");
  extract::Rules rules;
  rules.as = extract::As::text;
  rules.ignore = {re2_of_python("^a", Against::text)};
  EXPECT_EQ(kept(rules, "ab\nac", "text/plain"), "b\nac\n");
  rules.ignore = {re2_of_python("(?m)^a", Against::text)};
  EXPECT_EQ(kept(rules, "ab\nac", "text/plain"), "b\nc\n");
}

TEST(PythonPattern, spellings_that_re2_does_not_know_are_rewritten) {
  EXPECT_EQ(re2_of_python(R"(\u00e9{,3}\U0001F600)", Against::lines),
            R"(\x{00e9}{0,3}\x{0001F600})");
  EXPECT_EQ(re2_of_python(R"([]a]\w)", Against::lines), R"([]a][\pL\pN_])");
  EXPECT_EQ(re2_of_python("a\\", Against::lines), "a\\");
  EXPECT_EQ(re2_of_text("1.5 (a|b)"), R"(1\.5 \(a\|b\))");
}

TEST(JsonPath, becomes_jq_that_finds_the_same) {
  const auto found = [](const std::string& path) {
    const auto jq = jq_of_json_path(path);
    if (!jq) return std::string("none");
    extract::Rules rules;
    rules.as = extract::As::json;
    rules.select = {{extract::Selector::Language::jq, *jq}};
    return kept(rules, R"({"a":{"b":[{"n":1,"x y":5},{"n":2}],"n":null},"k":[3]})",
                "application/json");
  };
  EXPECT_EQ(found("$.a.b[*].n"), "1\n2\n");
  EXPECT_EQ(found("$.a.b[0].n"), "1\n");
  EXPECT_EQ(found("$.a.b[-1].n"), "2\n");
  EXPECT_EQ(found("$['a']['b'][0]['x y']"), "5\n");
  EXPECT_EQ(found("$..n"), "null\n1\n2\n");
  EXPECT_EQ(found("k[0]"), "3\n");
  EXPECT_EQ(found("$.k.*"), "3\n");
  EXPECT_TRUE(contains(found("$.a.missing"), "select matches nothing"));
  for (const char* path : {"$.a[?(@.n>1)]", "$.a[0:2]", "$.a[0,1]", "$a", "$.a.", "$['a','b']"})
    EXPECT_EQ(jq_of_json_path(path), std::nullopt) << path;
}

}  // namespace
}  // namespace pollux::import
