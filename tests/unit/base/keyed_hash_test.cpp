#include "pollux/base/keyed_hash.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux {
namespace {

constexpr HashKey one{0x0123456789abcdefULL, 0xfedcba9876543210ULL}, other{17, 4};

TEST(KeyedHash, equal_texts_have_equal_hashes_and_others_do_not) {
  std::set<std::uint64_t> seen;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(keyed_hash(text, one), keyed_hash(std::string(text), one));
    seen.insert(keyed_hash(text, one));
    text += i % 9 == 0 ? '\0' : 'a';
  }
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_EQ(KeyedHash()("text"), keyed_hash("text"));
}

// Where large texts are cut shows in what is told, and follows from the hash of words: it stays.
TEST(KeyedHash, the_last_bytes_count_as_a_block_that_zeros_fill) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::uint64_t blocks = size;
    for (std::size_t at = 0; at < size; at += 8) {
      std::uint64_t block = 0;
      for (std::size_t i = at; i < std::min(at + 8, size); ++i)
        block |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * (i - at);
      blocks = keyed_hash(blocks, block, one);
    }
    // As the text ends: with the halves of the key exchanged.
    const std::uint64_t whole = keyed_hash(blocks, 0, {one.second, one.first | 1U});
    EXPECT_EQ(keyed_hash(std::string_view(text).substr(0, size), one), whole) << size;
  }
}

// Whoever knows one key can write texts that share a place in a table: they share none with
// another.
TEST(KeyedHash, texts_that_collide_with_one_key_do_not_with_another) {
  constexpr std::uint64_t places = 1024;
  const std::uint64_t wanted = keyed_hash("", one) % places;
  std::vector<std::string> colliding;
  for (int i = 0; colliding.size() < 200; ++i) {
    std::string text = "word" + std::to_string(i);
    if (keyed_hash(text, one) % places == wanted) colliding.push_back(std::move(text));
  }
  std::set<std::uint64_t> elsewhere;
  for (const std::string& text : colliding) elsewhere.insert(keyed_hash(text, other) % places);
  EXPECT_GT(elsewhere.size(), 150u);
}

// What differs in a few bits of one block is not undone by those of the next, whatever the key.
TEST(KeyedHash, differences_do_not_cancel_each_other) {
  for (int bit = 0; bit < 64; ++bit) {
    for (int next = 0; next < 64; ++next) {
      const std::uint64_t a = 1ULL << static_cast<unsigned>(bit),
                          b = 1ULL << static_cast<unsigned>(next);
      EXPECT_NE(keyed_hash(keyed_hash(0, 5, one), 7, one),
                keyed_hash(keyed_hash(0, 5 ^ a, one), 7 ^ b, one));
    }
  }
}

}  // namespace
}  // namespace pollux
