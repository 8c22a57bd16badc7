// What no mask may hide, counters, first sights and documents cut short: what a look makes of them.
#include "unit/engine/look_fixture.hpp"

namespace pollux::engine {
namespace {

// A price is never masked: the place is set aside, and what stands beside it is compared.
TEST_F(LookTest, news_is_found_beside_an_advertisement_with_a_price) {
  const auto with = [](const std::string& ad, const std::string& news = "") {
    std::string words;
    for (int i = 0; i < 50; ++i) words += "word" + std::to_string(i) + " ";
    return ad + "</p><p>A heading</p>" + news + "<p>" + words + "</p><p>Price 99.90 EUR";
  };
  see(page(with("Shoes 70 % off")));
  const Look third =
      third_of(with("Two nights, only 19.99"), with("Coffee from $4"), with("Shoes 70 % off"));
  EXPECT_EQ(third.noise, Noise::masked);
  EXPECT_TRUE(third.same) << "it is what it was";
  EXPECT_TRUE(third.newly_aside && third.new_masks.empty());
  known_ = third.hash;
  const auto poll = [&](const std::string& body) {
    LookTask now = task(page(body));
    now.aside = true;
    return look(std::move(now), texts_);
  };
  EXPECT_TRUE(poll(with("Boots, save 15 %")).same);
  const Look news = poll(with("Boots, save 15 %", "<p>A ship has come</p>"));
  EXPECT_FALSE(news.same);
  EXPECT_FALSE(news.lost_aside);
  EXPECT_NE(news.summary.find("A ship has come"), std::string::npos) << news.summary;
  EXPECT_EQ(news.summary.find("15 %"), std::string::npos) << news.summary;
  EXPECT_FALSE(poll(with("Boots, save 15 %") + " now 89.90 EUR").same) << "a price that moves";
  EXPECT_TRUE(poll("Boots</p><p>save 15 %</p><p>" + with("x")).lost_aside);
}

// People have said that they want to hear of it.
TEST_F(LookTest, nothing_is_set_aside_where_a_mask_was_refused) {
  std::string words;
  for (int i = 0; i < 50; ++i) words += "word" + std::to_string(i) + " ";
  see(page("Shoes 70 % off</p><p>" + words));
  const Masks refused = {{extract::TokenKind::number, {"Shoes"}, {}}};
  const auto seen_as = [&](LookReason reason, const std::string& ad) {
    LookTask now = task(page(ad + "</p><p>" + words));
    now.reason = reason;
    now.refused = std::make_shared<const Masks>(refused);
    return now;
  };
  const std::string one = look(seen_as(LookReason::poll, "Coffee from $4"), texts_).text;
  LookTask confirm = seen_as(LookReason::confirm, "Two nights, only 19.99");
  confirm.texts = {one, look(seen_as(LookReason::poll, "Boots, save 15 %"), texts_).text};
  EXPECT_EQ(look(std::move(confirm), texts_).noise, Noise::unexplained);
}

TEST_F(LookTest, views_that_tick_slowly_are_masked_and_a_chosen_number_is_not) {
  std::string words;
  for (int i = 0; i < 50; ++i) words += "word ";
  see(page(words + "</p><p>1,204 views"));
  const Look ticked = see(page(words + "</p><p>1,207 views"));
  EXPECT_EQ(ticked.noise, Noise::masked);
  EXPECT_TRUE(ticked.same);
  ASSERT_EQ(ticked.new_masks.size(), 1u);
  EXPECT_EQ(ticked.new_masks[0].kind, extract::TokenKind::count);
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, "p:last-child"}};
  keep(rules);
  known_.reset();
  see(page(words + "</p><p>1,204 views"));
  const Look chosen = see(page(words + "</p><p>1,207 views"));
  EXPECT_FALSE(chosen.same) << "somebody has chosen it";
  EXPECT_TRUE(chosen.new_masks.empty());
}

// However it was found.
TEST_F(LookTest, a_counter_that_people_want_to_hear_of_is_not_masked) {
  std::string words;
  for (int i = 0; i < 50; ++i) words += "word ";
  see(page(words + "</p><p>so far 1,204 views of it"));
  LookTask ticked = task(page(words + "</p><p>so far 1,207 views of it"));
  const Masks refused = {{extract::TokenKind::number, {"so", "far"}, {"views", "of", "it"}}};
  ticked.refused = std::make_shared<const Masks>(refused);
  const Look seen = look(std::move(ticked), texts_);
  EXPECT_FALSE(seen.same);
  EXPECT_TRUE(seen.new_masks.empty());
}

TEST_F(LookTest, an_error_at_first_sight_is_suspect_and_no_baseline) {
  LookTask first = task("<html><title>502 Bad Gateway</title><body>nginx</body></html>");
  first.status = 200;
  EXPECT_EQ(look(std::move(first), texts_).suspicion, extract::Suspicion::maintenance);
  EXPECT_EQ(look(task(""), texts_).suspicion, extract::Suspicion::collapse);
  EXPECT_FALSE(look(task(page("the page itself")), texts_).suspicion);
}

TEST_F(LookTest, a_document_that_has_lost_its_end_may_have_been_cut_short) {
  const Look whole = see(page("some words") + "</html>");
  const auto later = [&](const std::string& body) {
    LookTask now = task(body);
    now.traits_before = whole.traits;
    return look(std::move(now), texts_);
  };
  EXPECT_TRUE(later("<html><title>A page</title><body><p>Some words that st").lost_end);
  EXPECT_FALSE(later(page("other words") + "</html>").lost_end);
}

}  // namespace
}  // namespace pollux::engine
