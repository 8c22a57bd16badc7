// Masks of whole lines, where words differ between looks moments apart.
#include "pollux/extract/masks.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace pollux::extract {
namespace {

std::string page(const std::string& place, const std::string& rest = "plain words") {
  std::string text = "The title\n" + place;
  for (const char* name : {"first", "second", "third", "fourth", "fifth"})
    text += std::string("A paragraph, the ") + name + " of five with " + rest + " in it\n";
  return text;
}
Noise find(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> looks(texts.begin(), texts.end());
  return find_line_masks(looks, find_masks(looks, Looks::twins, false).masks);
}
std::string masked(const Noise& noise, const std::string& text) {
  return extract::apply(noise.masks, text).text;
}

TEST(LineMasks, hide_an_advertisement_and_nothing_else) {
  const Noise noise = find({page("Buy shoes\n"), page("Sunny holidays by the sea\n")});
  ASSERT_TRUE(noise.explained);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks.front().kind, TokenKind::lines);
  EXPECT_EQ(masked(noise, page("Coffee\nof two lines\n")), masked(noise, page("Buy shoes\n")));
  EXPECT_EQ(masked(noise, page("")), masked(noise, page("Buy shoes\n"))) << "or none at all";
  EXPECT_NE(masked(noise, page("Coffee\n", "new words")), masked(noise, page("Coffee\n")));
}

TEST(LineMasks, put_a_list_in_order_and_show_what_is_new_in_it) {
  const Noise noise = find({page("one\ntwo\nthree\nfour\n"), page("two\nfour\none\nthree\n")});
  ASSERT_TRUE(noise.explained);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks.front().kind, TokenKind::order);
  EXPECT_EQ(masked(noise, page("four\nthree\ntwo\none\n")),
            masked(noise, page("one\ntwo\nthree\nfour\n")));
  EXPECT_NE(masked(noise, page("four\nthree\nfive\none\n")),
            masked(noise, page("one\ntwo\nthree\nfour\n")));
}

TEST(LineMasks, hide_what_has_gone_to_and_fro) {
  const std::string known = page("Buy it now\n"), other = page("Put it into your basket\n");
  const std::vector<std::string_view> before = {known};
  for (const std::vector<std::string_view>& looks :
       {std::vector<std::string_view>{other, known, known},
        std::vector<std::string_view>{other, other, known}}) {
    EXPECT_FALSE(find_line_masks(looks, {}).explained) << "it may just have changed";
    EXPECT_TRUE(find_line_masks(looks, {}, before).explained);
  }
  const std::string third = page("Never seen before\n");
  const std::vector<std::string_view> changing = {other, other, third};
  EXPECT_FALSE(find_line_masks(changing, {}, before).explained);
}

TEST(LineMasks, do_not_hide_news_beside_what_goes_to_and_fro) {
  const std::string known = page("Buy it now\n", "old words"),
                    other = page("Put it into your basket\n"), news = page("Buy it now\n");
  const std::vector<std::string_view> before = {known}, looks = {other, news, news};
  EXPECT_FALSE(find_line_masks(looks, {}, before).explained);
}

// --- What stands beside a mask changes.

std::string around(const std::string& title, const std::string& place, const std::string& next) {
  return title + "\n" + place + next + "\nThe rest\nof it\n";
}
std::vector<Alternative> shown_in(const Mask& mask, const std::vector<std::string>& texts) {
  const std::vector<Mask> masks = {mask};
  std::vector<Alternative> known;
  for (const std::string& text : texts)
    known.push_back(extract::apply(masks, text).shown.front().lines);
  return known;
}

TEST(MovedMask, is_where_what_it_hides_stands_beside_the_neighbour_that_is_left) {
  const Mask mask{TokenKind::lines, {"Title"}, {"Old headline"}};
  const auto known = shown_in(mask, {around("Title", "Buy\n", "Old headline"),
                                     around("Title", "Sell\nhere\n", "Old headline")});
  EXPECT_EQ(moved(mask, known, around("Title", "Sell\nhere\n", "New headline")),
            (Mask{TokenKind::lines, {"Title"}, {"New headline"}}));
  EXPECT_EQ(moved(mask, known, around("Renamed", "Buy\n", "Old headline")),
            (Mask{TokenKind::lines, {"Renamed"}, {"Old headline"}}));
  EXPECT_EQ(moved(mask, known, around("Title", "Another\n", "New headline")), std::nullopt)
      << "that may be news";
  EXPECT_EQ(moved(mask, known, around("Renamed", "Buy\n", "New headline")), std::nullopt);
}

TEST(MovedMask, may_hide_no_line_at_all) {
  const Mask mask{TokenKind::lines, {"Title"}, {"Old headline"}};
  const auto known = shown_in(
      mask, {around("Title", "", "Old headline"), around("Title", "Buy\n", "Old headline")});
  for (const char* place : {"", "Buy\n"})
    EXPECT_EQ(moved(mask, known, around("Title", place, "New headline")),
              (Mask{TokenKind::lines, {"Title"}, {"New headline"}}));
  EXPECT_EQ(moved(mask, known, around("Title", "‹lines›\n", "New headline")), std::nullopt)
      << "another mask is there";
}

TEST(MovedMask, knows_a_list_in_any_order) {
  const Mask mask{TokenKind::order, {"Price 99"}, {"Notes"}};
  const auto known = shown_in(mask, {around("Price 99", "a\nb\nc\n", "Notes")});
  EXPECT_EQ(moved(mask, known, around("Price 98", "c\na\nb\n", "Notes")),
            (Mask{TokenKind::order, {"Price 98"}, {"Notes"}}));
  EXPECT_EQ(moved(mask, known, around("Price 98", "c\na\nd\n", "Notes")), std::nullopt);
}

TEST(LineMasks, are_beside_masks_of_tokens) {
  const Noise noise = find({page("Buy shoes\n") + "Trace 0123456789abcdef01 of it\n",
                            page("Sunny holidays\n") + "Trace fedcba987654321000 of it\n"});
  EXPECT_TRUE(noise.explained);
  EXPECT_EQ(noise.masks.size(), 2u);
}

TEST(LineMasks, never_hide_a_price) {
  EXPECT_FALSE(find({page("Only 99.90 today\n"), page("Now for 89.90\n")}).explained);
}

TEST(LineMasks, never_hide_most_of_a_page) {
  EXPECT_FALSE(find({page("x\n", "some words"), page("y\n", "quite others")}).explained);
}

TEST(LineMasks, that_have_lost_their_place_do_not_match) {
  const Noise noise = find({page("Buy shoes\n"), page("Sunny holidays by the sea\n")});
  EXPECT_EQ(extract::apply(noise.masks, "another text\n").matched, std::vector<bool>{false});
  EXPECT_EQ(extract::apply(noise.masks, "another text\n").text, "another text\n");
}

TEST(LineMasks, are_read_back_and_have_a_pattern) {
  const Noise noise = find({page("Buy shoes\n"), page("Sunny holidays by the sea\n")});
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(mask_from_text(to_text(noise.masks.front())), noise.masks.front());
  const re2::RE2 pattern(ignore_pattern(noise.masks.front()));
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(re2::RE2::PartialMatch(page("Coffee\n"), pattern));
}

// It may have changed between the first two, and stayed.
TEST(LineMasks, have_to_differ_from_look_to_look) {
  const std::string shoes = page("Buy shoes\n"), sea = page("Sunny holidays by the sea\n"),
                    coffee = page("Coffee\n");
  EXPECT_FALSE(find({shoes, sea, sea}).explained);
  EXPECT_FALSE(find({shoes, shoes, sea}).explained);
  EXPECT_TRUE(find({shoes, sea, shoes}).explained) << "to and fro";
  EXPECT_TRUE(find({shoes, sea, coffee}).explained);
  EXPECT_FALSE(
      find({page("one\ntwo\nthree\n"), page("two\none\nthree\n"), page("two\none\nthree\n")})
          .explained)
      << "nor a new order that stays";
}

TEST(LineMasks, have_no_anchor_that_is_there_twice) {
  const std::string again = "A break\nsome more\nThe title\nand its words\n";
  EXPECT_FALSE(find({page("Buy shoes\n") + again, page("Sunny holidays\n") + again}).explained);
  std::string end;
  for (const char* name : {"first", "second", "third"})
    end += std::string("A paragraph, the ") + name + " of five with plain words in it\n";
  EXPECT_FALSE(find({page("Buy shoes\n") + end, page("Sunny holidays\n") + end}).explained);
}

TEST(LineMasks, that_fit_two_places_fit_none) {
  const Noise noise = find({page("Buy shoes\n"), page("Sunny holidays by the sea\n")});
  ASSERT_TRUE(noise.explained);
  for (const char* again :
       {"The title\nrecall!\n", "A paragraph, the first of five with plain words in it\n"}) {
    const std::string text = page("Coffee\n") + again;
    EXPECT_EQ(extract::apply(noise.masks, text).text, text);
    EXPECT_EQ(extract::apply(noise.masks, text).matched, std::vector<bool>{false});
  }
}

TEST(LineMasks, without_any_anchor_hide_nothing) {
  const std::vector<Mask> bare = {{.kind = TokenKind::lines, .before = {}, .after = {}}};
  EXPECT_EQ(extract::apply(bare, "all\nof it").text, "all\nof it");
}

TEST(LineMasks, have_more_lines_around_them_where_one_is_there_twice) {
  const auto shown = [](const std::string& ad, const std::string& news) {
    std::string text = "The harbour\nHome Archive\nThe harbour\n" + ad + "\nread more\n" + news;
    for (int i = 0; i < 20; ++i) text += "\nThese are words of line " + std::to_string(i);
    return text + "\nread more\nImprint";
  };
  const Noise noise = find({shown("Sunny holidays", "news"), shown("Tired feet?", "news"),
                            shown("Fresh coffee", "news")});
  ASSERT_TRUE(noise.explained);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks[0].before, (std::vector<std::string>{"Home Archive", "The harbour"}));
  EXPECT_EQ(noise.masks[0].after, (std::vector<std::string>{"read more", "news"}));
  EXPECT_EQ(mask_from_text(to_text(noise.masks[0])), noise.masks[0]);
  const Masked later = extract::apply(noise.masks, shown("Learn the lute", "news"));
  EXPECT_TRUE(later.matched[0]);
  EXPECT_EQ(later.text.find("lute"), std::string::npos) << later.text;
  std::string without = shown("Learn the lute", "news");
  EXPECT_TRUE(re2::RE2::Replace(&without, ignore_pattern(noise.masks[0]), "")) << without;
  EXPECT_EQ(without.find("lute"), std::string::npos) << without;
}

}  // namespace
}  // namespace pollux::extract
