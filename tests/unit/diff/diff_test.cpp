#include "pollux/diff/diff.hpp"

#include "random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::diff {
namespace {

std::string shown(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    const char* marks = piece.edit == Edit::keep ? "()" : piece.edit == Edit::add ? "{}" : "[]";
    text += marks[0] + std::string(piece.text) + marks[1];
  }
  return text;
}

// The contract of words(), whatever the texts are.
void expect_pieces_fit(std::string_view old_text, std::string_view new_text) {
  const std::vector<Piece> pieces = words(old_text, new_text);
  std::string before, after;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_FALSE(pieces[i].text.empty());
    if (pieces[i].edit != Edit::add) before += pieces[i].text;
    if (pieces[i].edit != Edit::remove) after += pieces[i].text;
    if (i == 0) continue;
    EXPECT_NE(pieces[i].edit, pieces[i - 1].edit);
    EXPECT_FALSE(pieces[i - 1].edit == Edit::add && pieces[i].edit == Edit::remove);
  }
  EXPECT_EQ(before, old_text);
  EXPECT_EQ(after, new_text);
}

void expect_lines_fit(std::string_view old_text, std::string_view new_text) {
  std::string before, after;
  for (const Line& line : lines(old_text, new_text)) {
    if (line.edit != Edit::add) before += std::string(line.text) + "\n";
    if (line.edit != Edit::remove) after += std::string(line.text) + "\n";
  }
  const auto ended = [](std::string_view text) {
    return std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n");
  };
  EXPECT_EQ(before, ended(old_text));
  EXPECT_EQ(after, ended(new_text));
}

TEST(Words, one_changed_word_is_one_place) {
  EXPECT_EQ(shown(words("the price 99.90 today", "the price 94.90 today")),
            "(the price )[99.90]{94.90}( today)");
}

TEST(Words, words_added_at_the_end_leave_the_last_one_alone) {
  EXPECT_EQ(shown(words("in stock", "in stock only 3 left")), "(in stock){ only 3 left}");
}

TEST(Words, white_space_alone_can_differ) {
  EXPECT_EQ(shown(words("a  b", "a b\n")), "(a )[ ](b){\n}");
}

TEST(Words, empty_texts_have_no_empty_pieces) {
  EXPECT_TRUE(words("", "").empty());
  EXPECT_EQ(shown(words("", "a b")), "{a b}");
  EXPECT_EQ(shown(words("a b", "")), "[a b]");
  EXPECT_EQ(shown(words(" ", "")), "[ ]");
}

TEST(Words, a_moved_paragraph_is_removed_and_added_and_the_rest_stays) {
  EXPECT_EQ(
      shown(words("one two\nthree four\nfive six seven", "three four\nfive six seven\none two")),
      "[one two\n](three four\nfive six seven){\none two}");
}

TEST(Words, lines_that_begin_alike_come_and_go_as_a_whole) {
  EXPECT_EQ(
      shown(words("News\nItem 2: a b\nItem 1: c d\nEnd", "News\nItem 3: e f\nItem 2: a b\nEnd")),
      "(News\n){Item 3: e f\n}(Item 2: a b\n)[Item 1: c d\n](End)");
  EXPECT_EQ(shown(words("Item 1", "Item 2\nItem 1")), "{Item 2\n}(Item 1)");
  EXPECT_EQ(shown(words("a b\nc", "a x b\nc")), "(a ){x }(b\nc)") << "within a line";
}

TEST(Words, scripts_without_spaces_are_compared_by_character) {
  EXPECT_EQ(shown(words("今日は晴れです", "今日は雨です")), "(今日は)[晴れ]{雨}(です)");
}

TEST(Words, minified_code_is_compared_in_parts) {
  std::string head = "{", tail;
  for (int i = 0; i < 20; ++i) {
    head += "\"a" + std::to_string(i) + "\":1,";
    tail += ",\"b" + std::to_string(i) + "\":2";
  }
  head += "\"price\":";
  const std::string before = head + "99" + tail, after = head + "94" + tail;
  EXPECT_EQ(shown(words(before, after)), "(" + head + ")[99,]{94,}(" + tail.substr(1) + ")");
}

TEST(Words, any_edits_of_any_text_are_put_together_again) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const std::string old_text = random_text(rng, rng.below(120), 1 + rng.below(60));
    const std::string new_text = rng.chance(0.2)
                                     ? random_text(rng, rng.below(120), 1 + rng.below(60))
                                     : edited(rng, old_text, static_cast<int>(rng.below(12)));
    expect_pieces_fit(old_text, new_text);
    expect_lines_fit(old_text, new_text);
  }
}

TEST(Words, texts_beyond_the_budget_are_put_together_again) {
  Rng rng(7);
  // Two words at random: no two stretches fit, and no word occurs once.
  const std::string a = random_text(rng, 60'000, 2), b = random_text(rng, 60'000, 2);
  expect_pieces_fit(a, b);
}

TEST(Words, in_texts_too_large_for_every_word_a_change_is_still_a_small_one) {
  Rng rng(5);
  const std::string old_text = random_text(rng, 300'000, 1'000'000);
  std::string new_text = old_text;
  new_text.insert(500'000, " inserted ");
  new_text.replace(1'500'000, 10, "\n");
  expect_pieces_fit(old_text, new_text);
  const Counts counts = count(words(old_text, new_text));
  EXPECT_GE(counts.words_added, 1U);
  EXPECT_LE(counts.words_added, 6U);
  EXPECT_LE(counts.words_removed, 6U);
  expect_lines_fit(old_text, new_text);
}

TEST(Words, large_texts_with_little_in_common_are_put_together_again) {
  Rng rng(6);
  const std::string large = random_text(rng, 300'000, 1'000'000);
  for (const std::string& other :
       {std::string(), std::string("w1"), std::string(1'000'000, '\n'), std::string(1'000'000, '<'),
        "  " + random_text(rng, 300'000, 5), large.substr(large.size() / 2) + " " + large}) {
    expect_pieces_fit(large, other);
    expect_pieces_fit(other, large);
    expect_lines_fit(large, other);
    expect_lines_fit(other, large);
  }
}

TEST(Words, bytes_that_are_no_text_are_compared_too) {
  Rng rng(9);
  for (int round = 0; round < 50; ++round) {
    std::string a;
    for (std::size_t i = rng.below(200); i > 0; --i) a += static_cast<char>(rng.below(256));
    expect_pieces_fit(a, edited(rng, a, 3));
  }
}

// Shortest, by the textbook's table.
std::size_t longest_common(const std::vector<std::uint32_t>& a,
                           const std::vector<std::uint32_t>& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t k = b.size(); k-- > 0;) {
      best[i][k] = a[i] == b[k] ? best[i + 1][k + 1] + 1 : std::max(best[i + 1][k], best[i][k + 1]);
    }
  }
  return best[0][0];
}

TEST(Align, runs_are_equal_and_rise) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<std::uint32_t> a(rng.below(40)), b(rng.below(40));
    const std::uint64_t kinds = 1 + rng.below(10);
    for (std::uint32_t& id : a) id = static_cast<std::uint32_t>(rng.below(kinds));
    for (std::uint32_t& id : b) id = static_cast<std::uint32_t>(rng.below(kinds));
    std::size_t old_at = 0, new_at = 0;
    for (const Common& run : align(a, b)) {
      ASSERT_GE(run.old_at, old_at);
      ASSERT_GE(run.new_at, new_at);
      ASSERT_GT(run.length, 0u);
      for (std::size_t i = 0; i < run.length; ++i) ASSERT_EQ(a[run.old_at + i], b[run.new_at + i]);
      old_at = run.old_at + run.length;
      new_at = run.new_at + run.length;
    }
    ASSERT_LE(old_at, a.size());
    ASSERT_LE(new_at, b.size());
  }
}

TEST(Align, without_unique_numbers_it_is_the_longest_there_is) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    // Of two kinds, each occurs more than once on both sides.
    std::vector<std::uint32_t> a(100 + rng.below(100)), b(100 + rng.below(100));
    for (std::uint32_t& id : a) id = static_cast<std::uint32_t>(rng.below(2));
    for (std::uint32_t& id : b) id = static_cast<std::uint32_t>(rng.below(2));
    std::size_t common = 0;
    for (const Common& run : align(a, b)) common += run.length;
    EXPECT_EQ(common, longest_common(a, b));
  }
}

TEST(Lines, they_are_compared_as_a_whole) {
  const std::vector<Line> found = lines("a\nb b\nc\n", "a\nb B\nc\nd");
  std::string text;
  for (const Line& line : found) {
    text += line.edit == Edit::keep ? " " : line.edit == Edit::add ? "+" : "-";
    text += std::string(line.text) + "|";
  }
  EXPECT_EQ(text, " a|-b b|+b B| c|+d|");
}

TEST(Lines, they_are_counted_as_they_are_compared) {
  Rng rng(7);
  for (int i = 0; i < 400; ++i) {
    const std::string before = random_text(rng, rng.below(60), 5);
    const std::string after = rng.chance(0.3) ? random_text(rng, rng.below(60), 5)
                                              : edited(rng, before, static_cast<int>(rng.below(6)));
    std::size_t added = 0, removed = 0;
    for (const Line& line : lines(before, after)) {
      added += line.edit == Edit::add ? 1 : 0;
      removed += line.edit == Edit::remove ? 1 : 0;
    }
    const LineCounts counts = count_lines(before, after);
    EXPECT_EQ(counts.added, added) << before << "-----\n" << after;
    EXPECT_EQ(counts.removed, removed) << before << "-----\n" << after;
    expect_lines_fit(before, after);
  }
}

TEST(Lines, a_line_is_where_it_was_when_others_are_equal) {
  const auto told = [](std::string_view before, std::string_view after) {
    const LineCounts counts = count_lines(before, after);
    return "+" + std::to_string(counts.added) + " -" + std::to_string(counts.removed);
  };
  EXPECT_EQ(told("foo\nbar", "\nbar"), "+1 -1");
  EXPECT_EQ(told("foo\n\nbar", "\nbar"), "+0 -1");
  EXPECT_EQ(told("x\ny", "x\nz\ny"), "+1 -0");
  EXPECT_EQ(told("", "a\n"), "+1 -0");
  EXPECT_EQ(told("a", "a\n"), "+0 -0");
  EXPECT_EQ(told("a\n", "a\n\n"), "+1 -0");
}

TEST(Split, signs_of_a_long_word_end_its_parts_however_long_it_is) {
  EXPECT_EQ(split("a,b c").size(), 2U);
  EXPECT_EQ(split(std::string(100, ',')).size(), 20U);  // the last 81 are one
  EXPECT_EQ(split(std::string(100, 'a') + "," + std::string(100, 'b')).size(), 2U);
  EXPECT_EQ(split(std::string(1'000'000, '<')).size(), 1'000'000U - 80);
  EXPECT_EQ(count_words(std::string(1'000'000, '<')), 1'000'000U - 80);
}

TEST(Count, words_are_counted_on_either_side) {
  const Counts counts = count(words("a b c d", "a x y z d e"));
  EXPECT_EQ(counts.words_added, 4u);
  EXPECT_EQ(counts.words_removed, 2u);
}

// Peers send ten megabytes that fall apart into millions of words.
TEST(Words, of_very_long_texts_are_found_in_their_places) {
  std::string many_words, many_lines;
  for (int i = 0; i < 2'000; ++i) {
    for (int j = 0; j < 100; ++j) many_words += std::to_string(i) + " ";
    many_words += "\n";
  }
  for (int i = 0; i < 200'000; ++i) many_lines += std::to_string(i) + "\n";
  const auto edited = [](std::string text, std::string_view first, std::string_view last) {
    text.insert(text.find(first), "new ");
    text.insert(text.rfind(last), "new ");
    return text;
  };
  // Two lines of a hundred words, each with one more.
  const std::string words_now = edited(many_words, "7 7 ", "1900 1900");
  expect_pieces_fit(many_words, words_now);
  EXPECT_LE(count(words(many_words, words_now)).words_added, 202u);
  EXPECT_EQ(count_lines(many_words, words_now).added, 2u);
  const std::string lines_now = edited(many_lines, "777\n", "190000\n");
  expect_pieces_fit(many_lines, lines_now);
  EXPECT_EQ(count(words(many_lines, lines_now)).words_added, 2u);
  EXPECT_EQ(count_lines(many_lines, lines_now).added, 2u);
  EXPECT_FALSE(summary(many_lines, lines_now).empty());
}

TEST(Excerpts, show_where_texts_differ_and_what_is_near) {
  std::string before, now;
  for (int i = 0; i < 1000; ++i) {
    before += "word" + std::to_string(i) + " ";
    now += (i == 500 ? "news" : "word" + std::to_string(i)) + " ";
  }
  const Excerpts near = excerpts(words(before, now), 16);
  EXPECT_NE(near.old_text.find("word499 word500 word501"), std::string::npos) << near.old_text;
  EXPECT_NE(near.new_text.find("word499 news word501"), std::string::npos) << near.new_text;
  EXPECT_LE(near.old_text.size(), 64u);
  EXPECT_EQ(near.old_text.find("word490"), std::string::npos);
}

TEST(Excerpts, of_changes_close_together_leave_nothing_out) {
  const Excerpts near = excerpts(words("a 1 b c 2 d", "a 3 b c 4 d"), 100);
  EXPECT_EQ(near.old_text, "a 1 b c 2 d");
  EXPECT_EQ(near.new_text, "a 3 b c 4 d");
}

TEST(Excerpts, of_equal_texts_are_nothing_but_a_break) {
  const Excerpts near = excerpts(words("a b c", "a b c"), 100);
  EXPECT_EQ(near.old_text, near.new_text);
  EXPECT_EQ(near.old_text, "\n");
}

}  // namespace
}  // namespace pollux::diff
