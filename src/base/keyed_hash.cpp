#include "pollux/base/keyed_hash.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cstring>

namespace pollux {
namespace {

// Both halves of the product: a difference in one factor reaches all bits of it, and which ones
// depends on the other factor, that is, on the key.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

const HashKey& hash_key() {
  static const HashKey key = [] {
    Rng rng(0);
    return HashKey{rng.next(), rng.next()};
  }();
  return key;
}

std::uint64_t keyed_hash(std::uint64_t hash, std::uint64_t number, const HashKey& key) {
  return folded_product(hash ^ key.first, number ^ key.second);
}

std::uint64_t keyed_hash(std::string_view text, const HashKey& key) {
  std::uint64_t hash = text.size();
  while (!text.empty()) {
    std::uint64_t block = 0;
    const std::size_t size = std::min(text.size(), sizeof block);
    std::memcpy(&block, text.data(), size);
    hash = keyed_hash(hash, block, key);
    text.remove_prefix(size);
  }
  return folded_product(hash ^ key.second, key.first | 1U);
}

}  // namespace pollux
