// What changed between two texts, by words. Bounded in space and time, however long the texts are:
// where too much differs, a stretch is replaced as a whole. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::diff {

enum class Edit { keep, remove, add };
struct Piece {
  Edit edit = Edit::keep;
  std::string_view
      text;  // of the old text (keep, remove) or the new one (add), white space included
};
// The pieces in order: keeps and removes joined are the old text, keeps and adds the new one.
// Neighbours differ in their edit, and a remove stands before its add.
std::vector<Piece> words(std::string_view old_text, std::string_view new_text);

struct Line {
  Edit edit = Edit::keep;
  std::string_view text;  // without its line feed
};
std::vector<Line> lines(std::string_view old_text, std::string_view new_text);

// How many of them were added and removed, without naming them.
struct LineCounts {
  std::size_t added = 0, removed = 0;
};
LineCounts count_lines(std::string_view old_text, std::string_view new_text);

// Whether the new text is the old one with lines of words added: anywhere, or at one end of a list
// whose lines have moved on and have gone at the other end, as many at most. A log, a feed or a
// list of news grows like that; what is another one at every look is replaced where it stands.
// Numbers do not count: a counter or a date may have gone on beside it.
bool is_growth(std::string_view old_text, std::string_view new_text);

struct Counts {
  std::size_t words_added = 0, words_removed = 0;
};
Counts count(const std::vector<Piece>& pieces);

// Both texts where they differ, with so many bytes around, to the ends of words.
struct Excerpts {
  std::string old_text, new_text;
};
Excerpts excerpts(const std::vector<Piece>& pieces, std::size_t around);

// How content is laid out: any text, canonical JSON (a value a line), or the entries of a feed.
enum class Form { text, json, feed };
Form form_of(std::string_view as);  // by what it was kept as: "json", "feed"; else a text

// One line for people, at most 200 characters, control characters made visible: "price 99.90 →
// 94.90" where up to three places changed in a few words each, "+2 −1 lines: …" otherwise. Values
// of JSON are told with their paths, "items[3].qty (Bolt): 82 → 55", entries of feeds by their
// titles: "new: …; edited: …; gone: …". Empty for equal texts.
std::string summary(std::string_view old_text, std::string_view new_text, Form form = Form::text);
// `pieces` is words() of the two.
std::string summary(std::string_view old_text, std::string_view new_text,
                    const std::vector<Piece>& pieces, Form form = Form::text);
// The same behind why it counts: "below 100: 94.9 (price 105.00 → 94.90)".
std::string with_reason(std::string_view reason, std::string_view summary);

// What the above are made of.

// The words of a text: what white space separates. In scripts without spaces every character is
// one, and what is very long (minified code, say) falls apart at its punctuation.
std::vector<std::string_view> split(std::string_view text);
std::size_t count_words(std::string_view text);  // as many as split() has

// Numbers that the old and the new sequence have in common, in order: runs of equal ones.
struct Common {
  std::size_t old_at = 0, new_at = 0, length = 0;
};
std::vector<Common> align(std::span<const std::uint32_t> old_ids,
                          std::span<const std::uint32_t> new_ids);

}  // namespace pollux::diff
