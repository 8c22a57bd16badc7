// What is kept of a page's noise over a restart.
#include "engine/page_noise.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

detect::Hash version(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return digest.finish();
}

PageRecord quiet_page() {
  PageRecord page;
  page.id = PageId{1};
  page.has_hash = true;
  page.hash = version("now");
  page.polls = 100;
  page.changes = 2;
  for (int i = 0; i < 6; ++i) page.trust.saw(page.hash);
  return page;
}

// The next life of a page: its counts come from columns of their own.
PageRecord restarted(const PageRecord& page) {
  PageRecord next;
  next.id = page.id;
  next.has_hash = page.has_hash;
  next.hash = page.hash;
  next.polls = page.polls;
  next.changes = page.changes;
  if (is_mostly_unchanged(next)) next.trust.assume_settled(next.hash);
  restore_noise(next, noise_text(page));
  return next;
}

TEST(PageNoise, of_a_quiet_page_nothing_is_kept) {
  EXPECT_EQ(noise_text(quiet_page()), "");
  EXPECT_EQ(noise_text(PageRecord{}), "") << "nor of a new one";
  PageRecord page = quiet_page();
  page.earlier.left(version("long ago"), 60);
  page.flapped = 60;
  EXPECT_EQ(noise_text(page), "") << "nor what nobody asks about any more";
}

TEST(PageNoise, versions_that_it_has_left_are_known_after_a_restart) {
  PageRecord page = quiet_page();
  page.earlier.left(version("A"), 90);
  page.earlier.left(version("B"), 97);
  page.flapped = 98;
  page.returned = 80;
  page.differed_at = 99;
  const PageRecord next = restarted(page);
  EXPECT_TRUE(next.earlier.has(version("A"), 101));
  EXPECT_TRUE(next.earlier.has(version("B"), 101));
  EXPECT_FALSE(next.earlier.has(version("C"), 101));
  EXPECT_FALSE(next.earlier.has(version("A"), 123)) << "the window goes on";
  EXPECT_EQ(next.flapped, 98u);
  EXPECT_EQ(next.returned, 80u);
  EXPECT_EQ(next.differed_at, 99u);
  EXPECT_EQ(noise_text(next), noise_text(page));
}

TEST(PageNoise, a_noisy_page_goes_on_with_its_day) {
  PageRecord page = quiet_page();
  page.noisy = true;
  page.noisy_since = WallTime(1'790'000'000s);
  page.twins_at = WallTime(1'790'000'007s);
  page.undecided_since = WallTime(1'790'000'009s);
  const PageRecord next = restarted(page);
  EXPECT_TRUE(next.noisy);
  EXPECT_EQ(next.noisy_since, page.noisy_since);
  EXPECT_EQ(next.twins_at, page.twins_at);
  EXPECT_EQ(next.undecided_since, page.undecided_since);
}

TEST(PageNoise, places_stay_set_aside) {
  PageRecord page = quiet_page();
  page.aside = true;
  page.noisy_since = WallTime(1'790'000'000s);
  const PageRecord next = restarted(page);
  EXPECT_TRUE(next.aside);
  EXPECT_FALSE(next.noisy);
  EXPECT_EQ(next.noisy_since, page.noisy_since);
}

TEST(PageNoise, trust_neither_grows_nor_shrinks_by_a_restart) {
  PageRecord page = quiet_page();
  page.trust.agreed();
  page.trust.agreed();
  page.trust.agreed();
  EXPECT_TRUE(restarted(page).trust.proven());
  EXPECT_TRUE(restarted(page).trust.has_credit());
  page.trust.disagreed();
  EXPECT_TRUE(restarted(page).trust.wavers());
  EXPECT_FALSE(restarted(page).trust.settled()) << "however quiet it was before";
  EXPECT_EQ(restarted(page).trust.times_seen(page.hash), 6);
}

TEST(PageNoise, what_was_seen_and_not_believed_is_remembered) {
  PageRecord page = quiet_page();
  page.trust.saw(version("perhaps"));
  page.trust.saw(version("perhaps"));
  EXPECT_EQ(restarted(page).trust.times_seen(version("perhaps")), 2);
}

TEST(PageNoise, a_mask_that_has_ended_and_a_page_that_was_rewritten_are_remembered) {
  PageRecord page = quiet_page();
  page.unmasked = page.rewritten = true;
  EXPECT_TRUE(restarted(page).unmasked);
  EXPECT_TRUE(restarted(page).rewritten);
}

TEST(PageNoise, nonsense_is_made_to_fit) {
  for (const char* text :
       {"", " ", "v", "v,", "t1", "t1,2,3,4,5,6,7", "n", "nx", "f99999999999999999999", "  m  ",
        "t-1,-1,-1,-1,-1,-1 v-5,-5 f-7 d999999999", "t4294967296,999,999,999,999,9 x1,2"}) {
    PageRecord page = quiet_page();
    restore_noise(page, text);
    EXPECT_LE(page.flapped, page.polls) << text;
    EXPECT_LE(page.differed_at, page.polls) << text;
    EXPECT_LE(page.trust.memory().agreements, 6) << text;
    EXPECT_LE(page.trust.memory().credit, 16) << text;
    EXPECT_LE(noise_text(page).size(), 400u) << text;
  }
}

TEST(PageNoise, is_short_at_its_worst) {
  PageRecord page = quiet_page();
  page.polls = 4'000'000'000;
  for (int i = 0; i < 20; ++i)
    page.earlier.left(version(std::to_string(i)), page.polls - 20 + static_cast<std::uint32_t>(i));
  page.noisy = page.unmasked = page.rewritten = true;
  page.noisy_since = page.twins_at = page.undecided_since = WallTime(1'790'000'000s);
  EXPECT_LE(noise_text(page).size(), 250u) << noise_text(page);
}

}  // namespace
}  // namespace pollux::engine
