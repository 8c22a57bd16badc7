#include "pollux/extract/masks.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

TEST(MaskReadable, marks_are_an_ellipsis_for_people) {
  EXPECT_EQ(readable("Made ‹hex› in ‹number› ms"), "Made … in … ms");
  EXPECT_EQ(readable("a\n‹lines›\nb"), "a\n…\nb");
  EXPECT_EQ(readable("‹quoted› and ‹"), "‹quoted› and ‹") << "the page's own words";
  EXPECT_EQ(readable("Views ‹numb…"), "Views …") << "cut off";
  EXPECT_EQ(readable("Views ‹…"), "Views …");
  EXPECT_EQ(readable(""), "");
}

TEST(MaskReadable, what_is_masked_in_one_text_is_hidden_in_the_other) {
  const ReadablePair pair = readable_pair("News\nGenerated 4f9a0c31b7 in 12 ms\nRain\n",
                                          "News\nGenerated ‹hex› in ‹number› ms\nSun\n");
  EXPECT_EQ(pair.old_text, "News\nGenerated … in … ms\nRain\n");
  EXPECT_EQ(pair.new_text, "News\nGenerated … in … ms\nSun\n");
  const ReadablePair back =
      readable_pair("It is ‹number› now, all day\nEnd\n", "It is 4711 now, all night\nEnd\n");
  EXPECT_EQ(back.new_text, "It is … now, all night\nEnd\n") << "by what stands before it";
}

TEST(MaskReadable, lines_that_are_masked_in_one_text_are_hidden_in_the_other) {
  const ReadablePair pair =
      readable_pair("Shop\nAdvertisement\nBuy wood\nand shoes\nLatest news\nRain\n",
                    "Shop\nAdvertisement\n‹lines›\nLatest news\nSun");
  EXPECT_EQ(pair.old_text, "Shop\nAdvertisement\n…\nLatest news\nRain")
      << "without the last line feed, as masked lines leave a text";
  EXPECT_EQ(pair.new_text, "Shop\nAdvertisement\n…\nLatest news\nSun");
}

TEST(MaskReadable, texts_without_marks_stay_as_they_are) {
  const ReadablePair pair = readable_pair("one 1\n", "two 2\n");
  EXPECT_EQ(pair.old_text, "one 1\n");
  EXPECT_EQ(pair.new_text, "two 2\n");
}

}  // namespace
}  // namespace pollux::extract
