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
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0: free
  };
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::string_view> texts_;
};

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// Goes through the words of a text, from the first to the last.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}
  std::size_t first() const { return after(0); }
  // Of the word that begins here; never before one that was asked for already.
  std::size_t end_of(std::size_t at);
  // Behind the white space that begins here, if any.
  std::size_t after(std::size_t end) const {
    while (end < text_.size() && is_space(text_[end])) ++end;
    return end;
  }

 private:
  bool is_long(std::size_t at);

  std::string_view text_;
  std::size_t clear_until_ = 0;
};

}  // namespace pollux::diff
