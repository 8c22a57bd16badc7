#include "pollux/diff/diff.hpp"

#include "diff/tokens.hpp"

#include <algorithm>
#include <utility>

namespace pollux::diff {
namespace {

// Words or lines of both texts that are compared: each takes about 150 bytes. Texts with more words
// are compared by lines, and with more lines than that not at all.
constexpr std::size_t most_compared = 300'000;

enum class Unit { word, line };

// A word of a text (or a line) and where the white space after it ends.
struct Word {
  std::size_t begin = 0, end = 0, next = 0;
};

struct Words {
  std::vector<Word> at;
  std::vector<std::uint32_t> ids;
};

// Calls `take` with each, until it says no.
template <typename Take>
void each_of(std::string_view text, Unit unit, Take take) {
  std::size_t at = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  while (at < text.size()) {
    Word word{at,
              unit == Unit::word ? word_end(text, at) : std::min(text.find('\n', at), text.size()),
              0};
    word.next = word.end;
    while (word.next < text.size() && is_space(text[word.next])) ++word.next;
    if (!take(word)) return;
    at = word.next;
  }
}

// How many there are, or one more than `most`.
std::size_t count_of(std::string_view text, Unit unit, std::size_t most) {
  std::size_t count = 0;
  each_of(text, unit, [&](const Word&) { return ++count <= most; });
  return count;
}

bool comparable(std::string_view a, std::string_view b, Unit unit) {
  const std::size_t of_a = count_of(a, unit, most_compared);
  return of_a <= most_compared && count_of(b, unit, most_compared - of_a) <= most_compared - of_a;
}

Words words_of(std::string_view text, Unit unit, Interner& interner) {
  Words found;
  const std::size_t expected = std::min(text.size() / 6, most_compared);
  found.at.reserve(expected);
  found.ids.reserve(expected);
  each_of(text, unit, [&](const Word& word) {
    found.at.push_back(word);
    found.ids.push_back(interner.id(text.substr(word.begin, word.end - word.begin)));
    return true;
  });
  return found;
}

// Takes both texts in order, and joins what is alike.
class Pieces {
 public:
  Pieces(std::string_view old_text, std::string_view new_text) : old_(old_text), new_(new_text) {}

  void differ(std::size_t old_end, std::size_t new_end) {
    if (old_end == old_done_ && new_end == new_done_) return;
    if (!open_) keep();
    open_ = true;
    old_done_ = old_end;
    new_done_ = new_end;
  }
  void same(std::size_t length) {
    if (length == 0) return;
    if (open_) close();
    old_done_ += length;
    new_done_ += length;
  }
  std::vector<Piece> finish() {
    if (open_) close();
    keep();
    return std::move(pieces_);
  }

 private:
  // White space at the end of both belongs to what follows: what changed reads better without it.
  void close() {
    std::string_view removed = old_.substr(old_shown_, old_done_ - old_shown_);
    std::string_view added = new_.substr(new_shown_, new_done_ - new_shown_);
    while (!removed.empty() && !added.empty() && is_space(removed.back()) &&
           removed.back() == added.back()) {
      removed.remove_suffix(1);
      added.remove_suffix(1);
    }
    if (!removed.empty()) pieces_.push_back({Edit::remove, removed});
    if (!added.empty()) pieces_.push_back({Edit::add, added});
    old_shown_ += removed.size();
    new_shown_ += added.size();
    open_ = false;
  }
  void keep() {
    const std::string_view kept = old_.substr(old_shown_, old_done_ - old_shown_);
    if (!kept.empty()) pieces_.push_back({Edit::keep, kept});
    old_shown_ = old_done_;
    new_shown_ = new_done_;
  }

  const std::string_view old_, new_;
  std::size_t old_done_ = 0, new_done_ = 0;    // taken so far
  std::size_t old_shown_ = 0, new_shown_ = 0;  // in pieces already
  bool open_ = false;                          // what was taken last differs
  std::vector<Piece> pieces_;
};

// Where both begin and end alike nothing has to be compared: most of most pages. Cut at white
// space, so that no word is cut.
struct Ends {
  std::size_t head = 0, tail = 0;
};
Ends equal_ends(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  Ends ends;
  ends.head = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
      a.begin());
  while (ends.head > 0 && !is_space(a[ends.head - 1])) --ends.head;
  const std::size_t left = most - ends.head;
  while (ends.tail < left && a[a.size() - 1 - ends.tail] == b[b.size() - 1 - ends.tail]) {
    ++ends.tail;
  }
  while (ends.tail > 0 && !is_space(a[a.size() - ends.tail])) --ends.tail;
  return ends;
}

// A word or two in common between long stretches that have nothing in common is chance, and reads
// like that.
std::vector<Common> without_chance(const std::vector<Common>& runs, std::size_t old_size,
                                   std::size_t new_size) {
  constexpr std::size_t longest_chance = 4;
  std::vector<Common> kept;
  std::size_t old_at = 0, new_at = 0;  // the end of the last one kept
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Common& run = runs[i];
    const std::size_t old_end = run.old_at + run.length, new_end = run.new_at + run.length;
    const bool last = i + 1 == runs.size();
    const std::size_t before = std::max(run.old_at - old_at, run.new_at - new_at);
    const std::size_t after = std::max((last ? old_size : runs[i + 1].old_at) - old_end,
                                       (last ? new_size : runs[i + 1].new_at) - new_end);
    if (run.length <= longest_chance && before > 2 * run.length && after > 2 * run.length) continue;
    kept.push_back(run);
    old_at = old_end;
    new_at = new_end;
  }
  return kept;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

}  // namespace

std::vector<Piece> words(std::string_view old_text, std::string_view new_text) {
  Pieces pieces(old_text, new_text);
  const Ends ends = equal_ends(old_text, new_text);
  if (old_text == new_text) {
    pieces.same(old_text.size());
    return pieces.finish();
  }
  pieces.same(ends.head);
  const std::string_view old_part =
      old_text.substr(ends.head, old_text.size() - ends.head - ends.tail);
  const std::string_view new_part =
      new_text.substr(ends.head, new_text.size() - ends.head - ends.tail);
  const Unit unit = comparable(old_part, new_part, Unit::word) ? Unit::word : Unit::line;
  if (unit == Unit::line && !comparable(old_part, new_part, Unit::line)) {
    pieces.differ(ends.head + old_part.size(), ends.head + new_part.size());
    pieces.same(ends.tail);
    return pieces.finish();
  }
  Interner interner(std::min((old_part.size() + new_part.size()) / 12, most_compared));
  const Words before = words_of(old_part, unit, interner),
              after = words_of(new_part, unit, interner);
  // Texts differ from here on up to the given words.
  const auto differ_up_to = [&](std::size_t old_word, std::size_t new_word) {
    pieces.differ(
        ends.head + (old_word < before.at.size() ? before.at[old_word].begin : old_part.size()),
        ends.head + (new_word < after.at.size() ? after.at[new_word].begin : new_part.size()));
  };
  // White space after two equal words, or before the first.
  const auto space = [&](std::string_view a, std::string_view b, std::size_t old_end,
                         std::size_t new_end) {
    if (a == b) {
      pieces.same(a.size());
    } else {
      pieces.differ(ends.head + old_end, ends.head + new_end);
    }
  };
  const std::size_t old_first = before.at.empty() ? old_part.size() : before.at[0].begin;
  const std::size_t new_first = after.at.empty() ? new_part.size() : after.at[0].begin;
  space(old_part.substr(0, old_first), new_part.substr(0, new_first), old_first, new_first);
  for (const Common& run :
       without_chance(align(before.ids, after.ids), before.ids.size(), after.ids.size())) {
    differ_up_to(run.old_at, run.new_at);
    for (std::size_t i = 0; i < run.length; ++i) {
      const Word& a = before.at[run.old_at + i];
      const Word& b = after.at[run.new_at + i];
      pieces.same(a.end - a.begin);
      space(old_part.substr(a.end, a.next - a.end), new_part.substr(b.end, b.next - b.end), a.next,
            b.next);
    }
  }
  differ_up_to(before.at.size(), after.at.size());
  pieces.same(ends.tail);
  return pieces.finish();
}

std::vector<Line> lines(std::string_view old_text, std::string_view new_text) {
  const std::vector<std::string_view> before = lines_of(old_text), after = lines_of(new_text);
  Interner interner(before.size() + after.size());
  std::vector<std::uint32_t> old_ids, new_ids;
  for (const std::string_view line : before) old_ids.push_back(interner.id(line));
  for (const std::string_view line : after) new_ids.push_back(interner.id(line));
  std::vector<Line> found;
  std::size_t old_at = 0, new_at = 0;
  const auto differ_up_to = [&](std::size_t old_line, std::size_t new_line) {
    for (; old_at < old_line; ++old_at) found.push_back({Edit::remove, before[old_at]});
    for (; new_at < new_line; ++new_at) found.push_back({Edit::add, after[new_at]});
  };
  for (const Common& run : align(old_ids, new_ids)) {
    differ_up_to(run.old_at, run.new_at);
    for (std::size_t i = 0; i < run.length; ++i, ++old_at, ++new_at) {
      found.push_back({Edit::keep, before[old_at]});
    }
  }
  differ_up_to(before.size(), after.size());
  return found;
}

Counts count(const std::vector<Piece>& pieces) {
  Counts counts;
  for (const Piece& piece : pieces) {
    if (piece.edit == Edit::keep) continue;
    std::size_t& words = piece.edit == Edit::add ? counts.words_added : counts.words_removed;
    words += count_words(piece.text);
  }
  return counts;
}

std::size_t count_words(std::string_view text) {
  return count_of(text, Unit::word, text.size());
}

LineCounts count_lines(std::string_view old_text, std::string_view new_text) {
  LineCounts counts;
  const auto feeds = [](std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  };
  if (feeds(old_text) + feeds(new_text) <= most_compared) {
    for (const Line& line : lines(old_text, new_text)) {
      counts.added += line.edit == Edit::add ? 1 : 0;
      counts.removed += line.edit == Edit::remove ? 1 : 0;
    }
    return counts;
  }
  const Ends ends = equal_ends(old_text, new_text);
  const auto differing = [&](std::string_view text) {
    const std::string_view part = text.substr(ends.head, text.size() - ends.head - ends.tail);
    return part.empty() ? 0 : std::max<std::size_t>(feeds(part), 1);
  };
  return {.added = differing(new_text), .removed = differing(old_text)};
}

}  // namespace pollux::diff
