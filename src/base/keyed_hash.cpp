#include "pollux/base/keyed_hash.hpp"

#include "pollux/base/rng.hpp"

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

template <typename Number>
std::uint64_t load(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

// The last bytes of a text, less than eight, as a number whose other bytes are zero. Of a known
// size each, because most words are no longer.
std::uint64_t last_bytes(std::string_view text) {
  const char* const from = text.data();
  const std::size_t size = text.size();
  if (size >= 4)
    return load<std::uint32_t>(from) | load<std::uint32_t>(from + size - 4) << 8 * (size - 4);
  if (size >= 2)
    return load<std::uint16_t>(from) | load<std::uint16_t>(from + size - 2) << 8 * (size - 2);
  return size == 0 ? 0 : load<unsigned char>(from);
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
  for (; text.size() >= sizeof hash; text.remove_prefix(sizeof hash))
    hash = keyed_hash(hash, load<std::uint64_t>(text.data()), key);
  if (!text.empty()) hash = keyed_hash(hash, last_bytes(text), key);
  return folded_product(hash ^ key.second, key.first | 1U);
}

}  // namespace pollux
