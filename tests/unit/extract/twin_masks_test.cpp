// Looks moments apart, and what polls before them have shown.
#include "pollux/extract/masks.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

using namespace std::chrono_literals;

// Looks a third of a second apart: the clock says the same to two of them, or to all.
TEST(TwinMasks, a_clock_beside_a_number_is_found_by_what_polls_before_have_shown) {
  const WallTime now = WallTime(std::chrono::seconds(1'794'975'221));  // 2026-11-18 04:13:41
  const auto made = [](const std::string& time, int took) {
    return "all of it\nGenerated 2026-11-18 " + time + " in " + std::to_string(took) + " ms\n";
  };
  const std::string base = made("04:13:02", 11), doubted = made("04:13:20", 28);
  for (const std::string& last : {made("04:13:41", 17), made("04:13:40", 17)}) {
    const std::string first = made("04:13:40", 28), second = made("04:13:40", 9);
    const std::vector<std::string_view> looks = {first, second, last};
    const Earlier before[] = {{base, now - 39s}, {doubted, now - 21s}};
    const Noise noise = find_twin_masks(looks, false, before, now);
    EXPECT_TRUE(noise.explained);
    ASSERT_EQ(noise.masks.size(), 2u);
    EXPECT_EQ(noise.masks[0].kind, TokenKind::datetime);
    EXPECT_EQ(noise.masks[1].kind, TokenKind::number);
    EXPECT_EQ(extract::apply(noise.masks, base).text, extract::apply(noise.masks, last).text);
    // Without them it cannot be told from a page that was changed just now.
    EXPECT_NE(find_twin_masks(looks, false).masks.size(), 2u);
  }
}

TEST(TwinMasks, a_date_that_looks_agree_on_is_news_beside_a_number_that_differs) {
  const WallTime now = WallTime(std::chrono::seconds(1'794'975'221));
  const std::string base = "due 2026-12-01 09:00:00 read 4 times", one = "due 2026-12-02 09:00:00 ",
                    a = one + "read 5 times", b = one + "read 6 times", c = one + "read 7 times";
  const std::vector<std::string_view> looks = {a, b, c};
  const Earlier before[] = {{base, now - 39s}};
  const Noise noise = find_twin_masks(looks, false, before, now);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks[0].kind, TokenKind::number);
  EXPECT_NE(extract::apply(noise.masks, base).text, extract::apply(noise.masks, c).text);
}

// A commit that is new since the last poll, beside a counter.
TEST(TwinMasks, a_token_that_looks_agree_on_is_not_masked_beside_one_that_differs) {
  const auto with = [](const std::string& commit, int views) {
    return "commit " + commit + " is live\nread " + std::to_string(views) + " times\n";
  };
  const std::string base = with("9f86d081884c7d65", 1), a = with("1a2b3c4d5e6f7081", 2),
                    b = with("1a2b3c4d5e6f7081", 3), c = with("1a2b3c4d5e6f7081", 4);
  const std::vector<std::string_view> looks = {a, b, c};
  const Earlier before[] = {{base, WallTime(1s)}};
  const Noise noise = find_twin_masks(looks, false, before, WallTime(20s));
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks[0].kind, TokenKind::number);
}

TEST(TwinMasks, a_number_may_be_the_same_once_where_polls_before_differ_as_well) {
  const auto with = [](int views) { return "read " + std::to_string(views) + " times"; };
  const std::string base = with(3), doubted = with(9), a = with(14), b = with(21), c = with(21);
  const std::vector<std::string_view> looks = {a, b, c};
  const Earlier before[] = {{base, {}}, {doubted, {}}};
  EXPECT_TRUE(find_twin_masks(looks, false, before).explained);
  const std::string stood = with(14);
  const Earlier same[] = {{stood, {}}, {stood, {}}};
  EXPECT_TRUE(find_twin_masks(looks, false, same).masks.empty());
}

// What stands in the lines beside it may be news.
TEST(TwinMasks, keep_to_their_line_where_it_says_enough) {
  const auto with = [](int age, const std::string& news) {
    return "Home\nLast refreshed " + std::to_string(age) + " seconds ago\n" + news + "\n";
  };
  const std::string a = with(3, "old news"), b = with(40, "old news"), c = with(17, "old news");
  const std::vector<std::string_view> looks = {a, b, c};
  const Noise noise = find_twin_masks(looks, false);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks[0], (Mask{TokenKind::age, {"Last", "refreshed"}, {}}));
  EXPECT_TRUE(extract::apply(noise.masks, with(5, "other words")).matched[0]);
}

// Signs alone stand around every value of JSON: the name of the value belongs to its place.
TEST(TwinMasks, a_value_of_json_is_known_by_its_name) {
  const auto with = [](const std::string& request, const std::string& commit) {
    return "{\n  \"commit\": \"" + commit + "\",\n  \"request_id\": \"" + request +
           "\",\n  \"total\": 55\n}";
  };
  const std::string a = with("a1c05ee2d39adc61", "deadbeef1234cafe"),
                    b = with("4bc0ac39c9d6dbe6", "deadbeef1234cafe"),
                    c = with("90ce18f772aa01b3", "deadbeef1234cafe");
  const std::vector<std::string_view> looks = {a, b, c};
  const Noise noise = find_twin_masks(looks, false);
  EXPECT_TRUE(noise.explained);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(mask_from_text(to_text(noise.masks[0])), noise.masks[0]) << to_text(noise.masks[0]);
  const auto kept = [&](const std::string& text) { return extract::apply(noise.masks, text).text; };
  EXPECT_EQ(kept(a), kept(with("0011223344556677a", "deadbeef1234cafe")));
  EXPECT_NE(kept(a), kept(with("a1c05ee2d39adc61", "cafe4321feedbead"))) << "a commit is news";
}

std::string links(const std::vector<std::string>& names, int session) {
  std::string text = "All that is to be had\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += names[i] + " </item?s=";
    for (std::size_t digit = 0; digit < 16; ++digit)
      text += "0123456789abcdef"[(static_cast<std::size_t>(session) * 7 + i * 5 + digit * 3 +
                                  digit * i * static_cast<std::size_t>(session)) %
                                 16];
    text += ">\n";
  }
  return text;
}

TEST(TwinMasks, tokens_of_all_links_are_one_place_and_a_new_link_has_it_too) {
  const std::vector<std::string> names = {"Anchors", "Boats", "Chains", "Docks", "Engines"};
  const std::string a = links(names, 1), b = links(names, 2), c = links(names, 3);
  const std::vector<std::string_view> looks = {a, b, c};
  const Noise noise = find_twin_masks(looks, false);
  EXPECT_TRUE(noise.explained);
  EXPECT_EQ(noise.masks.size(), 1u);
  std::vector<std::string> more = names;
  more.push_back("Ferries");
  const std::string now = extract::apply(noise.masks, links(more, 9)).text;
  EXPECT_EQ(now, extract::apply(noise.masks, a).text + "Ferries </item?s=‹hex›>\n");
}

// What is here in one look is there in another: nothing of that may be masked by what is around it.
TEST(TwinMasks, tokens_that_have_changed_places_are_no_place_of_tokens) {
  const auto list = [](std::vector<std::string> hashes) {
    std::string text = "What was built lately\n";
    for (const std::string& hash : hashes) text += "build " + hash + " passed\n";
    return text + "The end of the list\n";
  };
  const std::string x = "9f86d081884c7d65", y = "1a2b3c4d5e6f7081", z = "0fe1dc2ba3987654";
  const std::string a = list({x, y, z}), b = list({z, x, y}), c = list({y, z, x});
  const std::vector<std::string_view> looks = {a, b, c};
  const Noise noise = find_twin_masks(looks, false);
  for (const Mask& mask : noise.masks) EXPECT_EQ(mask.kind, TokenKind::order) << to_text(mask);
  const std::string news = list({x, y, "5566778899aabbcc"});
  EXPECT_NE(extract::apply(noise.masks, news).text, extract::apply(noise.masks, a).text);
}

}  // namespace
}  // namespace pollux::extract
