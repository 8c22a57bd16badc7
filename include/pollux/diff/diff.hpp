// What changed between two texts, by words. Linear in space and bounded in time: where too much differs, a stretch is
// replaced as a whole. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::diff {

enum class Edit { keep, remove, add };
struct Piece {
  Edit edit = Edit::keep;
  std::string_view text;  // of the old text (keep, remove) or the new one (add), white space included
};
// The pieces in order: keeps and removes joined are the old text, keeps and adds the new one. Neighbours differ in
// their edit, and a remove stands before its add.
std::vector<Piece> words(std::string_view old_text, std::string_view new_text);

struct Line {
  Edit edit = Edit::keep;
  std::string_view text;  // without its line feed
};
std::vector<Line> lines(std::string_view old_text, std::string_view new_text);

struct Counts {
  std::size_t words_added = 0, words_removed = 0;
};
Counts count(const std::vector<Piece>& pieces);

// One line for people, at most 200 characters, control characters made visible: "price 99.90 → 94.90" where one
// place changed in a few words, "+2 −1 lines: …" otherwise.
std::string summary(std::string_view old_text, std::string_view new_text);

}  // namespace pollux::diff
