// When a mask ends: it fits nowhere any more, or what it hides has stopped ticking.
#include "engine/page_masks.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using What = store::MaskRow::What;

class PageMasksTest : public testing::Test {
 protected:
  void mask(extract::TokenKind kind = extract::TokenKind::number) {
    masks_.add({{kind, {"read"}, {"times"}}}, PageId{1}, now_, rows_);
    rows_.clear();
  }
  // A poll, as the engine has it: a look, told what may end.
  bool poll(std::uint32_t shown, std::chrono::seconds stays = 0s, Duration later = 5s) {
    now_ += std::chrono::duration_cast<std::chrono::milliseconds>(later);
    const std::vector<Standing> standing = masks_.standing(now_);
    Look look;
    look.masks_shown.assign(masks_.size(), {shown, stays});
    for (const Standing& place : standing) look.masks_ended.push_back(place.mark == shown);
    return masks_.note(look, PageId{1}, now_, rows_);
  }
  // How many polls see the same until the mask ends; 0: it does not within fifty.
  int polls_until_end(std::uint32_t shown, std::chrono::seconds stays = 0s, Duration later = 5s) {
    for (int i = 1; i <= 50; ++i) {
      if (poll(shown, stays, later)) return i;
    }
    return 0;
  }

  WallTime now_{1'790'000'000s};
  PageMasks masks_;
  std::vector<store::MaskRow> rows_;
};

TEST_F(PageMasksTest, a_place_that_shows_the_same_three_times_is_no_longer_masked) {
  mask();
  for (std::uint32_t tick = 1; tick < 20; ++tick) EXPECT_FALSE(poll(tick));
  EXPECT_EQ(polls_until_end(100), 3);
  EXPECT_TRUE(masks_.empty());
  ASSERT_FALSE(rows_.empty());
  EXPECT_EQ(rows_.back().what, What::expired);
}

TEST_F(PageMasksTest, one_whose_neighbours_have_changed_goes_on_in_its_new_place) {
  mask(extract::TokenKind::lines);
  Look look;
  look.masks_shown = {{.mark = 7, .lines = {7, 1}}};
  const extract::Mask there{extract::TokenKind::lines, {"read"}, {"often"}};
  look.masks_moved = {there};
  EXPECT_FALSE(masks_.note(look, PageId{1}, now_, rows_)) << "it has not ended";
  ASSERT_EQ(masks_.size(), 1u);
  EXPECT_EQ(masks_.list()->front(), there);
  EXPECT_EQ(masks_.alternatives(), (std::vector<Alternatives>{{{7, 1}}}));
  ASSERT_EQ(rows_.size(), 2u);
  EXPECT_EQ(rows_[0].what, What::dropped);
  EXPECT_EQ(rows_[1].what, What::made);
  EXPECT_EQ(rows_[1].mask, extract::to_text(there));
}

TEST_F(PageMasksTest, no_more_alternatives_are_remembered_than_it_takes) {
  mask(extract::TokenKind::lines);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    Look look;
    look.masks_shown = {{.mark = i, .lines = {i, 1}}};
    masks_.note(look, PageId{1}, now_, rows_);
  }
  ASSERT_EQ(masks_.alternatives().front().size(), PageMasks::most_alternatives);
  EXPECT_EQ(masks_.alternatives().front().back().mark, 20u);
}

TEST_F(PageMasksTest, polls_within_moments_of_each_other_prove_nothing) {
  mask();
  EXPECT_EQ(polls_until_end(100, 0s, 1s), 11) << "ten seconds after the first that saw it";
}

TEST_F(PageMasksTest, polls_that_saw_the_same_bytes_count_as_well) {
  mask();
  EXPECT_FALSE(poll(1));
  masks_.note_same();
  EXPECT_TRUE(masks_.standing(now_).empty()) << "too soon";
  ASSERT_EQ(masks_.standing(now_ + 10s).size(), 1u);
  EXPECT_EQ(masks_.standing(now_ + 10s).front().mark, 1u);
  EXPECT_TRUE(poll(1, 0s, 10s));
}

TEST_F(PageMasksTest, one_of_a_few_advertisements_comes_again_by_chance) {
  mask(extract::TokenKind::lines);
  EXPECT_EQ(polls_until_end(100), 16);
}

TEST_F(PageMasksTest, a_place_that_stood_for_a_while_and_ticked_on_is_given_longer) {
  mask();
  EXPECT_FALSE(poll(1));
  EXPECT_FALSE(poll(1));
  EXPECT_FALSE(poll(2));
  EXPECT_EQ(polls_until_end(3), 6);
}

TEST_F(PageMasksTest, a_date_may_stand_for_days_and_a_time_for_an_hour) {
  mask(extract::TokenKind::date);
  EXPECT_EQ(polls_until_end(1, 24h, 6h), 13) << "three days";
  mask(extract::TokenKind::age);
  EXPECT_EQ(polls_until_end(1, 60s, 6min), 11);
  mask(extract::TokenKind::age);
  EXPECT_EQ(polls_until_end(1, 1h, 30min), 7) << "three hours";
}

TEST_F(PageMasksTest, others_of_the_page_stay) {
  masks_.add({{extract::TokenKind::number, {"read"}, {}}, {extract::TokenKind::hex, {"id"}, {}}},
             PageId{1}, now_, rows_);
  for (std::uint32_t i = 1; i < 10; ++i) {
    now_ += 5s;
    Look look;
    look.masks_shown = {{7, 0s}, {i, 0s}};
    const auto standing = masks_.standing(now_);
    if (!standing.empty()) look.masks_ended = {standing[0].mark == 7, standing[1].mark == i};
    if (masks_.note(look, PageId{1}, now_, rows_)) break;
  }
  ASSERT_EQ(masks_.size(), 1u);
  EXPECT_EQ(masks_.list()->front().kind, extract::TokenKind::hex);
}

TEST_F(PageMasksTest, one_that_fits_nowhere_for_twenty_looks_is_dropped) {
  mask();
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(masks_.empty());
    EXPECT_FALSE(poll(0));
  }
  EXPECT_TRUE(masks_.empty());
  ASSERT_EQ(rows_.size(), 1u);
  EXPECT_EQ(rows_.front().what, What::dropped);
}

TEST_F(PageMasksTest, one_that_fits_nowhere_under_new_rules_is_dropped_at_once) {
  mask();
  Look look;
  look.masks_shown = {{7}};
  EXPECT_FALSE(masks_.note(look, PageId{1}, now_, rows_, true));
  EXPECT_EQ(masks_.size(), 1u) << "its place is still there";
  look.masks_shown = {{0}};
  EXPECT_FALSE(masks_.note(look, PageId{1}, now_, rows_, true));
  EXPECT_TRUE(masks_.empty());
}

TEST_F(PageMasksTest, that_they_match_is_told_once_a_minute) {
  mask();
  for (std::uint32_t tick = 1; tick <= 24; ++tick) EXPECT_FALSE(poll(tick));
  ASSERT_EQ(rows_.size(), 2u);
  EXPECT_EQ(rows_.back().what, What::matched);
  EXPECT_EQ(rows_.back().at, now_);
}

TEST_F(PageMasksTest, one_that_people_accepted_never_ends) {
  mask();
  masks_.accept({extract::TokenKind::number, {"read"}, {"times"}}, now_);
  EXPECT_EQ(polls_until_end(7), 0) << "it stands still";
  EXPECT_EQ(polls_until_end(0), 0) << "it fits nowhere";
  EXPECT_EQ(masks_.size(), 1U);
}

TEST_F(PageMasksTest, one_that_people_refused_goes_and_is_not_learnt_again) {
  mask();
  const extract::Mask refused{extract::TokenKind::number, {"read"}, {"times"}};
  masks_.refuse(refused);
  EXPECT_TRUE(masks_.empty());
  EXPECT_FALSE(masks_.list());
  mask();
  EXPECT_TRUE(masks_.empty());
  ASSERT_TRUE(masks_.refused());
  EXPECT_EQ(masks_.refused()->front(), refused);
  masks_.accept(refused, now_);
  EXPECT_EQ(masks_.size(), 1U) << "people may change their minds";
  EXPECT_FALSE(masks_.refused());
}

TEST_F(PageMasksTest, what_people_think_is_kept_over_a_restart) {
  const extract::Mask one{extract::TokenKind::number, {"read"}, {"times"}},
      other{extract::TokenKind::number, {"seen"}, {"times"}};
  masks_.restore(
      KnownMasks{{one, store::MaskRow::State::accepted}, {other, store::MaskRow::State::refused}},
      now_);
  ASSERT_EQ(masks_.size(), 1U);
  EXPECT_EQ(masks_.list()->front(), one);
  EXPECT_EQ(masks_.refused()->front(), other);
  EXPECT_EQ(polls_until_end(7), 0);
}

}  // namespace
}  // namespace pollux::engine
