#include "extract/json.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string canonical(std::string_view text, const Limits& limits = {}) {
  const auto result = canonical_json(text, limits);
  if (const auto* no = std::get_if<NoJson>(&result)) return "no JSON: " + no->reason;
  if (const auto* too = std::get_if<TooComplex>(&result)) return "too complex: " + too->reason;
  return std::get<std::string>(result);
}

TEST(Json, keys_are_sorted_and_every_value_has_its_line) {
  EXPECT_EQ(canonical(R"({"b":[1,{"d":null,"c":true}],"a":"x","e":[],"f":{}})"),
            "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    {\n      \"c\": true,\n      \"d\": null\n"
            "    }\n  ],\n  \"e\": [],\n  \"f\": {}\n}");
}

TEST(Json, numbers_are_exact_whatever_their_length) {
  for (const char* number :
       {"1.1", "12345678901234567890123", "9007199254740993", "-12", "18446744073709551615", "0.1",
        "99.95", "1e400", "-1.5e-300", "1e-999999999", "true", "null"}) {
    EXPECT_EQ(canonical(number), number);
  }
  EXPECT_NE(canonical("9007199254740993"), canonical("9007199254740992"));
  const std::string long_one(100'000, '7');
  EXPECT_EQ(canonical(long_one), long_one);
}

TEST(Json, numbers_are_equal_however_they_are_written) {
  for (const char* one : {"1", "1.0", "1e0", "1.000E+0", "10e-1", "0.1e1", "0.001e+3"})
    EXPECT_EQ(canonical(one), "1") << one;
  for (const char* none : {"0", "-0", "0.0", "0e7", "-0.00E-5", "0e-999999999"})
    EXPECT_EQ(canonical(none), "0") << none;
  EXPECT_EQ(canonical("-99.90"), "-99.9");
  EXPECT_EQ(canonical("1E5"), "100000");
  EXPECT_EQ(canonical("0.1e-7"), "0.00000001");
  EXPECT_EQ(canonical("12.5e1"), "125");
  EXPECT_EQ(canonical("1" + std::string(30, '0')), "1e30");
  EXPECT_EQ(canonical("12300e40"), "1.23e44");
  EXPECT_EQ(canonical("0.000012e-30"), "1.2e-35");
}

TEST(Json, an_exponent_beyond_measure_stays_as_it_is) {
  EXPECT_EQ(canonical("1e1000000001"), "1e1000000001");
}

TEST(Json, strings_are_equal_however_they_are_escaped) {
  EXPECT_EQ(canonical(R"("\u00e9\/\ud83d\ude00\u0001\"\\\n")"), "\"é/😀\\u0001\\\"\\\\\\n\"");
  EXPECT_EQ(canonical(R"({"\u0061":1})"), canonical(R"({"a":1})"));
}

TEST(Json, of_equal_keys_the_last_counts) {
  EXPECT_EQ(canonical(R"({"a":1,"b":2,"a":{"x":3}})"), canonical(R"({"b":2,"a":{"x":3}})"));
}

TEST(Json, what_is_none_is_said_with_its_place) {
  for (const char* text : {"", "{", "nul", "[1,]", "{'a':1}", "01", "1 2", "NaN", "\"\\ud800\"",
                           "[1] x", "\"a\nb\"", "/**/1"}) {
    EXPECT_TRUE(canonical(text).starts_with("no JSON: ")) << text << " → " << canonical(text);
    EXPECT_NE(canonical(text).find(" at byte "), std::string::npos);
  }
}

TEST(Json, a_million_levels_are_refused) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(canonical(deep), "too complex: deeper than 512");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(canonical(objects), "too complex: deeper than 512");
  EXPECT_TRUE(canonical(std::string(512, '[') + std::string(512, ']')).starts_with("[\n  ["));
}

TEST(Json, more_values_than_allowed_are_refused) {
  std::string many = "[1";
  for (int i = 0; i < 100; ++i) many += ",1";
  EXPECT_EQ(canonical(many + "]", {.max_nodes = 20}), "too complex: more than 100 values");
}

TEST(Json, indentation_cannot_blow_it_up) {
  std::string text(500, '[');
  for (int i = 0; i < 10'000; ++i) text += "1,";
  text += "1" + std::string(500, ']');
  EXPECT_EQ(canonical(text, {.max_kept = 100'000}), "too complex: more than 100 000 bytes to keep");
}

TEST(Json, a_deadline_that_is_over_ends_it) {
  std::string many = "[1";
  for (int i = 0; i < 5'000; ++i) many += ",1";
  EXPECT_EQ(canonical(many + "]", {.deadline = std::chrono::steady_clock::time_point::min()}),
            "too complex: took too long");
}

TEST(Json, results_of_jq_are_the_elements_of_its_arrays) {
  const auto results = json_results("[1,{\"b\":1,\"a\":\"x\"}]\n[]\n[null]\n", {});
  const auto& found = std::get<JsonResults>(results);
  EXPECT_EQ(found.text, "1\n{\n  \"a\": \"x\",\n  \"b\": 1\n}\nnull");
  EXPECT_EQ(found.counts, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_TRUE(std::holds_alternative<NoJson>(json_results("[1] [", {})));
}

}  // namespace
}  // namespace pollux::extract
