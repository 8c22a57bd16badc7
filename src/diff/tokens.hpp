// A text as numbers: equal words (or lines) have equal ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pollux::diff {

// Gives every distinct text a number, counting from 0. The texts must outlive it.
class Interner {
 public:
  explicit Interner(std::size_t expected);
  std::uint32_t id(std::string_view text);
  std::size_t size() const { return texts_.size(); }

 private:
  void grow();

  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0: free
  };
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::string_view> texts_;
};

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// The end of the word that begins at `at`, which is no white space.
std::size_t word_end(std::string_view text, std::size_t at);

}  // namespace pollux::diff
