// How far a page is believed when it shows something new.
#include "engine/trust.hpp"

#include "pollux/base/rng.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

detect::Hash content(int n) {
  detect::Digest digest;
  digest.update(std::to_string(n));
  return digest.finish();
}

TEST(Trust, a_page_found_as_it_was_known_is_settled) {
  Trust trust;
  for (int poll = 0; poll < 4; ++poll) {
    trust.saw(content(1));
    EXPECT_FALSE(trust.settled()) << poll;
  }
  trust.saw(content(1));
  EXPECT_TRUE(trust.settled());
}

TEST(Trust, a_page_that_changes_now_and_then_stays_settled) {
  Trust trust;
  for (int poll = 0; poll < 5; ++poll) trust.saw(content(0));
  for (int version = 1; version < 20; ++version) {
    for (int poll = 0; poll < 3; ++poll) trust.saw(content(version));
    EXPECT_TRUE(trust.settled()) << version;
  }
}

TEST(Trust, a_page_that_is_one_of_a_few_at_random_is_hardly_ever_settled) {
  for (const std::uint64_t variants : {3u, 5u, 50u}) {
    Rng rng(variants);
    Trust trust;
    int settled = 0;
    for (int poll = 0; poll < 10'000; ++poll) {
      trust.saw(content(static_cast<int>(rng.below(variants))));
      settled += trust.settled() ? 1 : 0;
    }
    EXPECT_LT(settled, 1000) << variants << " variants";
  }
}

TEST(Trust, grows_with_looks_that_agree_and_ends_with_one_that_does_not) {
  Trust trust;
  EXPECT_TRUE(trust.none());
  for (const int believed : {0, 1, 2, 4, 8, 16, 16}) {
    trust.agreed();
    int differences = 0;
    for (; trust.has_credit(); trust.spend()) ++differences;
    EXPECT_EQ(differences, believed);
  }
  EXPECT_TRUE(trust.proven());
  trust.agreed();
  trust.disagreed();
  EXPECT_TRUE(trust.none());
  EXPECT_FALSE(trust.has_credit());
  EXPECT_FALSE(trust.proven());
}

TEST(Trust, a_page_that_showed_something_else_for_a_moment_wavers_until_it_is_settled) {
  Trust trust;
  trust.saw(content(1));
  trust.disagreed();
  EXPECT_TRUE(trust.wavers());
  for (int poll = 0; poll < 4; ++poll) trust.saw(content(1));
  EXPECT_FALSE(trust.wavers());
}

TEST(Trust, counts_the_polls_in_a_row_that_saw_the_same) {
  Trust trust;
  EXPECT_EQ(trust.times_seen(content(1)), 0);
  for (int poll = 0; poll < 3; ++poll) trust.saw(content(1));
  EXPECT_EQ(trust.times_seen(content(1)), 3);
  trust.saw(content(2));
  EXPECT_EQ(trust.times_seen(content(1)), 0);
  EXPECT_EQ(trust.times_seen(content(2)), 1);
}

}  // namespace
}  // namespace pollux::engine
