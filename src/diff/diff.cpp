#include "pollux/diff/diff.hpp"

#include "diff/stretches.hpp"
#include "diff/tokens.hpp"
#include "diff/whole_lines.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace pollux::diff {
namespace {

// A word of a text and where the white space after it ends.
struct Word {
  std::uint32_t begin = 0, end = 0, next = 0;
};

struct Words {
  std::vector<Word> at;
  std::vector<std::uint32_t> ids;
};

Words words_of(std::string_view text, Interner& interner) {
  Words found;
  found.at.reserve(text.size() / 6);
  found.ids.reserve(text.size() / 6);
  WordReader reader(text);
  for (std::size_t at = reader.first(); at < text.size();) {
    const std::size_t begin = at, end = reader.end_of(at);
    at = reader.after(end);
    found.at.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                        static_cast<std::uint32_t>(at)});
    found.ids.push_back(interner.id(text.substr(begin, end - begin)));
  }
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

// The words of one stretch.
void compare_words(const Stretch& stretch, std::string_view old_part, std::string_view new_part,
                   Pieces& pieces) {
  Interner interner((old_part.size() + new_part.size()) / 12);
  const Words before = words_of(old_part, interner), after = words_of(new_part, interner);
  // Texts differ from here on up to the given places.
  const auto differ = [&](std::size_t old_end, std::size_t new_end) {
    pieces.differ(stretch.old_begin + old_end, stretch.new_begin + new_end);
  };
  const auto differ_up_to = [&](std::size_t old_word, std::size_t new_word) {
    differ(old_word < before.at.size() ? before.at[old_word].begin : old_part.size(),
           new_word < after.at.size() ? after.at[new_word].begin : new_part.size());
  };
  // White space after two equal words, or before the first.
  const auto space = [&](std::string_view a, std::string_view b, std::size_t old_end,
                         std::size_t new_end) {
    if (a == b) {
      pieces.same(a.size());
    } else {
      differ(old_end, new_end);
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
}

// The lines of one stretch; `keep` and `differ` get runs of them.
template <typename Keep, typename Differ>
void compare_lines(std::string_view old_part, std::string_view new_part, Keep keep, Differ differ) {
  const std::vector<std::string_view> before = lines_of(old_part), after = lines_of(new_part);
  Interner interner(before.size() + after.size());
  std::vector<std::uint32_t> old_ids, new_ids;
  for (const std::string_view line : before) old_ids.push_back(interner.id(line));
  for (const std::string_view line : after) new_ids.push_back(interner.id(line));
  std::size_t old_at = 0, new_at = 0;
  const auto run_of = [](const std::vector<std::string_view>& lines, std::size_t from,
                         std::size_t to) { return std::span(lines).subspan(from, to - from); };
  for (const Common& run : align(old_ids, new_ids)) {
    differ(run_of(before, old_at, run.old_at), run_of(after, new_at, run.new_at));
    old_at = run.old_at + run.length;
    new_at = run.new_at + run.length;
    keep(run_of(before, run.old_at, old_at));
  }
  differ(run_of(before, old_at, before.size()), run_of(after, new_at, after.size()));
}

std::size_t number_of_lines(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return feeds + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::vector<Piece> words(std::string_view old_text, std::string_view new_text) {
  Pieces pieces(old_text, new_text);
  std::size_t old_done = 0;
  for (const Stretch& stretch : stretches(old_text, new_text, Grain::words)) {
    pieces.same(stretch.old_begin - old_done);
    old_done = stretch.old_end;
    if (stretch.too_large) {
      pieces.differ(stretch.old_end, stretch.new_end);
    } else {
      compare_words(
          stretch, old_text.substr(stretch.old_begin, stretch.old_end - stretch.old_begin),
          new_text.substr(stretch.new_begin, stretch.new_end - stretch.new_begin), pieces);
    }
  }
  pieces.same(old_text.size() - old_done);
  std::vector<Piece> found = pieces.finish();
  prefer_whole_lines(found);
  return found;
}

std::vector<Line> lines(std::string_view old_text, std::string_view new_text) {
  std::vector<Line> found;
  const auto add = [&found](Edit edit, std::span<const std::string_view> some) {
    for (const std::string_view line : some) found.push_back({edit, line});
  };
  const auto keep_up_to = [&](std::size_t from, std::size_t to) {
    add(Edit::keep, lines_of(old_text.substr(from, to - from)));
  };
  std::size_t old_done = 0;
  for (const Stretch& stretch : stretches(old_text, new_text, Grain::lines)) {
    keep_up_to(old_done, stretch.old_begin);
    old_done = stretch.old_end;
    const std::string_view old_part =
        old_text.substr(stretch.old_begin, stretch.old_end - stretch.old_begin);
    const std::string_view new_part =
        new_text.substr(stretch.new_begin, stretch.new_end - stretch.new_begin);
    const auto differ = [&](std::span<const std::string_view> removed,
                            std::span<const std::string_view> added) {
      add(Edit::remove, removed);
      add(Edit::add, added);
    };
    if (stretch.too_large) {
      differ(lines_of(old_part), lines_of(new_part));
    } else {
      compare_lines(
          old_part, new_part, [&](auto same) { add(Edit::keep, same); }, differ);
    }
  }
  keep_up_to(old_done, old_text.size());
  return found;
}

LineCounts count_lines(std::string_view old_text, std::string_view new_text) {
  LineCounts counts;
  for (const Stretch& stretch : stretches(old_text, new_text, Grain::lines)) {
    const std::string_view old_part =
        old_text.substr(stretch.old_begin, stretch.old_end - stretch.old_begin);
    const std::string_view new_part =
        new_text.substr(stretch.new_begin, stretch.new_end - stretch.new_begin);
    if (stretch.too_large) {
      counts.removed += number_of_lines(old_part);
      counts.added += number_of_lines(new_part);
      continue;
    }
    compare_lines(
        old_part, new_part, [](auto) {},
        [&](auto removed, auto added) {
          counts.removed += removed.size();
          counts.added += added.size();
        });
  }
  return counts;
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

}  // namespace pollux::diff
