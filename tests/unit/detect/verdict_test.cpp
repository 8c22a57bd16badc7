#include "pollux/detect/verdict.hpp"

#include <gtest/gtest.h>

namespace pollux::detect {
namespace {

Hash hash_of(unsigned char seed) {
  Hash hash{};
  hash.fill(seed);
  return hash;
}

Answer content(int status, unsigned char seed) {
  return {.status = status, .complete = true, .conditional = true, .hash = hash_of(seed)};
}
Answer bare(int status) {
  return {.status = status, .complete = true, .conditional = true, .hash = std::nullopt};
}

const std::optional<Hash> nothing_known;
const std::optional<Hash> known = hash_of(1);

TEST(Verdict, the_first_content_is_a_baseline) {
  EXPECT_EQ(judge(content(200, 1), nothing_known), Verdict::baseline);
}

TEST(Verdict, an_equal_hash_is_the_same) {
  EXPECT_EQ(judge(content(200, 1), known), Verdict::same);
}

TEST(Verdict, another_hash_is_a_change) {
  EXPECT_EQ(judge(content(200, 2), known), Verdict::changed);
  EXPECT_EQ(judge(content(203, 2), known), Verdict::changed);
}

TEST(Verdict, a_304_is_not_a_change) {
  EXPECT_EQ(judge(bare(304), known), Verdict::same);
}

TEST(Verdict, a_304_that_nobody_asked_for_is_unknown) {
  Answer answer = bare(304);
  answer.conditional = false;
  EXPECT_EQ(judge(answer, known), Verdict::unknown);
}

TEST(Verdict, a_304_with_nothing_known_is_unknown) {
  EXPECT_EQ(judge(bare(304), nothing_known), Verdict::unknown);
}

TEST(Verdict, no_answer_is_unknown) {
  EXPECT_EQ(judge(Answer{}, known), Verdict::unknown);
  EXPECT_EQ(judge(Answer{}, nothing_known), Verdict::unknown);
}

TEST(Verdict, a_body_that_broke_off_is_unknown) {
  Answer answer = content(200, 2);
  answer.complete = false;
  EXPECT_EQ(judge(answer, known), Verdict::unknown);
  EXPECT_EQ(judge(answer, nothing_known), Verdict::unknown);
}

TEST(Verdict, a_304_that_broke_off_is_unknown) {
  Answer answer = bare(304);
  answer.complete = false;
  EXPECT_EQ(judge(answer, known), Verdict::unknown);
}

TEST(Verdict, a_200_without_a_hash_is_unknown) {
  EXPECT_EQ(judge(bare(200), known), Verdict::unknown);
}

TEST(Verdict, answers_without_a_whole_body_are_unknown) {
  for (const int status : {204, 205, 206}) {
    EXPECT_EQ(judge(content(status, 2), known), Verdict::unknown) << status;
    EXPECT_EQ(judge(content(status, 2), nothing_known), Verdict::unknown) << status;
  }
}

TEST(Verdict, an_error_is_never_a_change) {
  for (int status = 100; status < 1000; ++status) {
    if ((status >= 200 && status <= 299) || status == 304) continue;
    EXPECT_EQ(judge(content(status, 2), known), Verdict::unknown) << status;
    EXPECT_EQ(judge(content(status, 2), nothing_known), Verdict::unknown) << status;
  }
}

}  // namespace
}  // namespace pollux::detect
