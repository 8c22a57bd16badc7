#include "extract/jq.hpp"

#include "pollux/extract/program.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

using namespace std::chrono_literals;

class Jq : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("jq")) GTEST_SKIP() << "jq is not installed";
  }
};

std::string asked(std::string_view json, const std::vector<std::string>& select,
                  const std::vector<std::string>& remove = {}, const Limits& limits = {}) {
  const auto results = run_jq(jq_program(remove, select), json, limits);
  if (const auto* failed = std::get_if<Failure>(&results))
    return (failed->kind == Failure::Kind::selector ? "selector: " : "program: ") + failed->message;
  const auto& found = std::get<JsonResults>(results);
  std::string out = found.text;
  for (const std::size_t count : found.counts) out += " #" + std::to_string(count);
  return out;
}

TEST_F(Jq, results_of_all_filters_come_in_their_order) {
  EXPECT_EQ(asked(R"({"b":[1,2],"a":"x"})", {".b[]", ".a # comment", ".b[] | select(. > 5)"}),
            "1\n2\n\"x\" #2 #1 #0");
}

TEST_F(Jq, removed_paths_are_gone) {
  EXPECT_EQ(asked(R"({"items":[{"t":1,"x":2},{"t":3}],"y":4})", {}, {".items[].t", ".y # why"}),
            "{\n  \"items\": [\n    {\n      \"x\": 2\n    },\n    {}\n  ]\n} #1");
}

TEST_F(Jq, a_filter_that_fails_on_the_document_is_a_selector_that_fails) {
  EXPECT_EQ(asked(R"({"a":null})", {".a[]"}), "selector: jq: Cannot iterate over null (null)");
}

TEST_F(Jq, what_jq_does_not_understand_is_said_at_once) {
  EXPECT_TRUE(check_jq(".items[].price", JqUse::select));
  EXPECT_TRUE(check_jq("def f: .a; f # c", JqUse::select));
  EXPECT_TRUE(check_jq(".a, .b[]", JqUse::remove));
  for (const char* wrong : {".a[", "nosuch", "import \"x\" as x; .", "include \"x\"; .",
                            ".a)] , [(.b", "$undefined", ""}) {
    const Status status = check_jq(wrong, JqUse::select);
    ASSERT_FALSE(status) << wrong;
    EXPECT_TRUE(status.error().message.ends_with(" in \"" + std::string(wrong) + "\""));
  }
  EXPECT_FALSE(check_jq(std::string(5000, '.'), JqUse::select));
}

TEST_F(Jq, sees_neither_environment_nor_files) {
  ::setenv("POLLUX_SECRET", "x", 1);
  EXPECT_EQ(asked("1", {"env", "$ENV"}), "{}\n{} #1 #1");
}

TEST_F(Jq, one_that_does_not_end_is_ended) {
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + 500ms;
  EXPECT_EQ(asked("1", {"def f: f; f"}, {}, limits), "program: jq takes longer than it may");
}

TEST_F(Jq, one_that_prints_or_eats_too_much_is_ended) {
  EXPECT_EQ(asked("1", {"[range(100000)]"}, {}, {.max_kept = 1000}),
            "program: jq prints more than it may");
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + 500ms;
  EXPECT_TRUE(asked("1", {"\"a\" * 1000000000 | length"}, {}, limits).starts_with("program: jq "));
}

}  // namespace
}  // namespace pollux::extract
