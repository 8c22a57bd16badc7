// A hash for tables of texts that strangers have written. Its key is drawn once per process, so
// that nobody can write texts that share a place in a table; nothing that is found may depend on
// it, nor on the order of a table that uses it. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace pollux {

struct HashKey {
  std::uint64_t first = 0, second = 0;
};
// The same for all tables of the process.
const HashKey& hash_key();

std::uint64_t keyed_hash(std::string_view text, const HashKey& key = hash_key());
// Of numbers in a row, one after the other: `hash` is that of those before.
std::uint64_t keyed_hash(std::uint64_t hash, std::uint64_t number, const HashKey& key = hash_key());

// For std::unordered_map and std::unordered_set.
struct KeyedHash {
  std::size_t operator()(std::string_view text) const { return keyed_hash(text); }
};

}  // namespace pollux
