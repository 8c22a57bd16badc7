#include "pollux/detect/digest.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace pollux::detect {
namespace {

// FIPS 180-2, appendix B.
constexpr char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr char million_a[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

std::string digest_of(std::string_view text) {
  Digest digest;
  digest.update(text);
  return to_hex(digest.finish());
}

TEST(Digest, gives_the_published_values) {
  EXPECT_EQ(digest_of("abc"), abc);
  EXPECT_EQ(digest_of(""), nothing);
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')), million_a);
}

TEST(Digest, does_not_depend_on_how_the_body_is_cut) {
  Digest digest;
  for (int i = 0; i < 1000; ++i) digest.update(std::string(1000, 'a'));
  EXPECT_EQ(to_hex(digest.finish()), million_a);
}

TEST(Digest, starts_anew_after_finish) {
  Digest digest;
  digest.update("something else");
  digest.finish();
  digest.update("abc");
  EXPECT_EQ(to_hex(digest.finish()), abc);
  EXPECT_EQ(to_hex(digest.finish()), nothing);
}

TEST(Digest, moves_with_what_it_has_seen) {
  Digest first;
  first.update("a");
  Digest second = std::move(first);
  second.update("bc");
  EXPECT_EQ(to_hex(second.finish()), abc);
}

TEST(Digest, hex_goes_there_and_back) {
  Hash hash{};
  ASSERT_TRUE(from_hex(abc, hash));
  EXPECT_EQ(to_hex(hash), abc);
  Hash upper{};
  ASSERT_TRUE(from_hex("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", upper));
  EXPECT_EQ(upper, hash);
}

TEST(Digest, bad_hex_is_refused_and_leaves_the_hash_alone) {
  Hash hash{};
  hash[0] = 7;
  EXPECT_FALSE(from_hex("", hash));
  EXPECT_FALSE(from_hex("ab", hash));
  EXPECT_FALSE(from_hex(std::string(63, 'a') + "g", hash));
  EXPECT_FALSE(from_hex(std::string(65, 'a'), hash));
  EXPECT_EQ(hash[0], 7);
}

}  // namespace
}  // namespace pollux::detect
