// What is found out about a body whose bytes are new.
#include "unit/engine/look_fixture.hpp"

namespace pollux::engine {
namespace {

TEST_F(LookTest, other_bytes_with_the_same_text_are_the_same) {
  see(page("one"));
  const Look again = see(page("one") + "<!-- built at noon -->");
  EXPECT_TRUE(again.same);
  EXPECT_EQ(again.as, extract::As::text);
}

TEST_F(LookTest, json_in_another_order_is_the_same) {
  type_ = "application/json";
  see(R"({"a": 1, "b": [2, 3]})");
  EXPECT_TRUE(see(R"({"b":[2,3],"a":1})").same);
  EXPECT_FALSE(see(R"({"b":[3,2],"a":1})").same);
}

TEST_F(LookTest, a_change_is_told_in_words) {
  see(page("price 99.90 EUR"));
  const Look changed = see(page("price 94.90 EUR"));
  EXPECT_FALSE(changed.same);
  ASSERT_TRUE(changed.base_known);
  EXPECT_EQ(changed.words_added, 1);
  EXPECT_EQ(changed.words_removed, 1);
  EXPECT_NE(changed.summary.find("99.90 → 94.90"), std::string::npos) << changed.summary;
}

TEST_F(LookTest, news_beside_a_masked_place_is_told_alone_and_the_mask_follows) {
  masks_ = std::make_shared<const Masks>(
      Masks{{extract::TokenKind::lines, {"Some words that stay"}, {"The old headline"}}});
  const std::string rest = "</p><p>and what is below";
  const Look first = see(page("Buy it now</p><p>The old headline" + rest));
  const Look second = see(page("Put it into the basket</p><p>The old headline" + rest));
  EXPECT_TRUE(second.same);
  LookTask task_then = task(page("Buy it now</p><p>A new headline" + rest));
  task_then.alternatives = {{first.masks_shown[0].lines, second.masks_shown[0].lines}};
  const Look changed = look(std::move(task_then), texts_);
  EXPECT_NE(changed.masks_shown[0].mark, 0u) << "it has not lost its place";
  ASSERT_EQ(changed.masks_moved.size(), 1u);
  EXPECT_EQ(
      changed.masks_moved[0],
      (extract::Mask{extract::TokenKind::lines, {"Some words that stay"}, {"A new headline"}}));
  EXPECT_FALSE(changed.same);
  EXPECT_EQ(changed.summary.find("Buy"), std::string::npos) << changed.summary;
  EXPECT_NE(changed.summary.find("new"), std::string::npos) << changed.summary;
}

TEST_F(LookTest, without_the_text_of_before_there_are_no_words_and_it_counts) {
  known_ = detect::Hash{1};
  const Look changed = look(task(page("one")), texts_);
  EXPECT_FALSE(changed.base_known);
  EXPECT_TRUE(changed.significant);
  EXPECT_TRUE(changed.summary.empty());
}

TEST_F(LookTest, a_selector_that_matches_nothing_is_a_failure_that_names_it) {
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, ".price"}};
  keep(rules);
  const Look lost = see(page("one"));
  ASSERT_TRUE(lost.failure);
  EXPECT_EQ(lost.failure->kind, extract::Failure::Kind::selector);
  EXPECT_NE(lost.failure->message.find(".price"), std::string::npos);
}

TEST_F(LookTest, a_wall_in_which_a_selector_matches_nothing_is_judged_as_a_wall) {
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, ".price"}};
  keep(rules);
  std::string words;
  for (int i = 0; i < 80; ++i) words += "word" + std::to_string(i) + " ";
  const Look seen = see("<title>A shop</title><p class=price>99.90</p><p>" + words + "</p>");
  const auto now = [&](const std::string& body) {
    LookTask next = task(body);
    next.traits_before = seen.traits;
    return look(next, texts_);
  };
  const Look wall = now("<title>Sign in</title><form><input type=password></form>");
  EXPECT_TRUE(wall.failure);
  EXPECT_EQ(wall.suspicion, extract::Suspicion::login);
  EXPECT_EQ(now("<title>Page not found</title><p>Sorry").suspicion, extract::Suspicion::not_found);
  const Look rewritten = now("<title>A shop</title><p class=cost>99.90</p><p>" + words + "</p>");
  EXPECT_TRUE(rewritten.failure);
  EXPECT_FALSE(rewritten.suspicion);
  EXPECT_FALSE(now("<title>A shop</title><p>Soon</p>").suspicion)
      << "the lost selector says as much as the lost words";
}

TEST_F(LookTest, a_moment_without_a_number_is_nothing_to_compare_with) {
  extract::Rules rules;
  rules.number = {extract::Number::When::below, {100, false}};
  keep(rules);
  see("<p>90</p>");
  const Look none = look(task("<p>n/a</p>"), texts_);
  EXPECT_FALSE(none.significant);
  EXPECT_FALSE(none.base_follows) << "90 was the last that is known";
  const Look above = look(task("<p>120</p>"), texts_);
  EXPECT_FALSE(above.significant);
  EXPECT_TRUE(above.base_follows);
  known_ = detect::Hash{1};
  EXPECT_FALSE(look(task("<p>n/a</p>"), texts_).base_follows) << "nor where the base is lost";
}

TEST_F(LookTest, what_is_less_than_min_change_does_not_count) {
  extract::Rules rules;
  rules.min_change = {extract::MinChange::Unit::words_percent, 50};
  keep(rules);
  see(page("one"));
  EXPECT_FALSE(see(page("two")).significant);
}

TEST_F(LookTest, twins_that_agree_are_news) {
  see(page("one"));
  LookTask twin = task(page("two"));
  twin.texts = {look(task(page("two")), texts_).text};
  twin.reason = LookReason::twin;
  EXPECT_EQ(look(std::move(twin), texts_).noise, Noise::twins_agree);
}

TEST_F(LookTest, a_token_is_masked_when_a_third_look_confirms_it) {
  const auto with = [](const std::string& token) { return page("session id " + token + " end"); };
  see(with("0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
  const std::string first = look(task(with("1a2b3c4d5e6f70819203a4b5c6d7e8f9")), texts_).text;
  LookTask twin = task(with("90ab12cd34ef56a7b8c9d0e1f2a3b4c5"));
  twin.texts = {first};
  twin.reason = LookReason::twin;
  Look second = look(std::move(twin), texts_);
  ASSERT_EQ(second.noise, Noise::perhaps);
  LookTask third = task(with("abcdef0123456789abcdef0123456780"));
  third.texts = {first, second.text};
  third.reason = LookReason::confirm;
  const Look confirmed = look(std::move(third), texts_);
  EXPECT_EQ(confirmed.noise, Noise::masked);
  EXPECT_EQ(confirmed.new_masks.size(), 1u);
  EXPECT_TRUE(confirmed.same) << "with the mask the page is what it was";
}

TEST_F(LookTest, three_looks_with_other_words_are_noise_that_nothing_explains) {
  see(page("one"));
  EXPECT_EQ(third_of("apples and pears", "wind from the north", "no boats today").noise,
            Noise::unexplained);
}

// It may have changed just then. What was seen once more is not what was there before.
TEST_F(LookTest, a_document_of_bytes_that_is_written_anew_at_each_look_is_noise) {
  type_ = "application/pdf";
  const auto document = [](int second) {
    return std::string("%PDF-1.4\n\x80\xFF\0\n/CreationDate ", 29) + std::to_string(second);
  };
  see(document(0));
  LookTask twin = task(document(2));
  twin.reason = LookReason::twin;
  const std::string one = look(task(document(1)), texts_).text;
  twin.texts = {one};
  const Look second = look(std::move(twin), texts_);
  EXPECT_FALSE(second.readable);
  EXPECT_EQ(second.noise, Noise::perhaps);
  LookTask confirm = task(document(3));
  confirm.reason = LookReason::confirm;
  confirm.texts = {one, second.text};
  EXPECT_EQ(look(std::move(confirm), texts_).noise, Noise::unexplained);
}

TEST_F(LookTest, a_change_between_two_looks_is_open) {
  see(page("one"));
  const Look third = third_of("price 99.90 EUR", "price 94.90 EUR", "price 94.90 EUR");
  EXPECT_EQ(third.noise, Noise::perhaps);
  EXPECT_TRUE(third.new_masks.empty());
}

// Of one of a few advertisements, every fifth pair agrees: that makes no page noisy.
TEST_F(LookTest, what_differs_after_two_looks_that_agree_is_open) {
  see(page("one"));
  EXPECT_EQ(third_of("apples and pears", "apples and pears", "no boats today").noise,
            Noise::perhaps);
}

// Two of three looks agree: it cannot be told from a change.
TEST_F(LookTest, one_that_alternates_with_what_is_known_is_noise) {
  std::string words;
  for (int i = 0; i < 50; ++i) words += "word" + std::to_string(i) + " ";
  const auto with = [&](const std::string& offer) {
    return offer + "</p><p>a line that stays</p><p>" + words;
  };
  see(page(with("Buy it now")));
  const Look third =
      third_of(with("Put it into the basket"), with("Buy it now"), with("Put it into the basket"));
  EXPECT_EQ(third.noise, Noise::masked);
  EXPECT_TRUE(third.same);
}

TEST_F(LookTest, a_number_that_has_changed_once_beside_noise_is_not_masked) {
  const auto with = [](const std::string& seats, const std::string& token) {
    return "session id " + token + " end</p><p>This course has " + seats + " places for you";
  };
  see(page(with("12", "0f1e2d3c4b5a69788796a5b4c3d2e1f0")));
  const Look third = third_of(with("12", "1a2b3c4d5e6f70819203a4b5c6d7e8f9"),
                              with("13", "90ab12cd34ef56a7b8c9d0e1f2a3b4c5"),
                              with("13", "abcdef0123456789abcdef0123456780"));
  EXPECT_EQ(third.noise, Noise::unexplained);
  EXPECT_TRUE(third.new_masks.empty());
}

TEST_F(LookTest, masks_that_a_page_has_no_room_for_make_it_noisy) {
  Masks many;
  for (std::size_t i = 0; i < PageMasks::most; ++i)
    many.push_back({extract::TokenKind::number, {"word" + std::to_string(i)}, {}});
  const auto third_with = [&](std::size_t known) {
    masks_ = std::make_shared<const Masks>(many.begin(),
                                           many.begin() + static_cast<std::ptrdiff_t>(known));
    return third_of("visitor 17 of many, user 117 of all", "visitor 18 of many, user 118 of all",
                    "visitor 19 of many, user 119 of all");
  };
  see(page("visitor 16 of many, user 116 of all"));
  const Look fits = third_with(PageMasks::most - 2);
  EXPECT_EQ(fits.noise, Noise::masked);
  EXPECT_EQ(fits.new_masks.size(), 2u);
  const Look full = third_with(PageMasks::most - 1);
  EXPECT_EQ(full.noise, Noise::unexplained);
  EXPECT_TRUE(full.new_masks.empty());
  EXPECT_EQ(full.text.find("‹number›"), std::string::npos) << full.text;
}

TEST_F(LookTest, what_two_pages_of_its_host_have_masked_is_no_news) {
  const auto with = [](const std::string& news, int took) {
    return page(news + "</p><p>made in " + std::to_string(took) + " ms");
  };
  const auto looked = [&](const std::string& body) {
    LookTask task = this->task(body);
    task.masks_of_host =
        std::make_shared<const Masks>(Masks{{extract::TokenKind::number, {"made", "in"}, {"ms"}},
                                            {extract::TokenKind::number, {"not", "here"}, {}}});
    return look(std::move(task), texts_);
  };
  see(with("old words", 17));
  const Look same = looked(with("old words", 18));
  EXPECT_TRUE(same.same);
  EXPECT_EQ(same.new_masks.size(), 1u);
  EXPECT_EQ(same.noise, Noise::none) << "nobody has looked again";
  const Look news = looked(with("new words", 18));
  EXPECT_FALSE(news.same);
  EXPECT_EQ(news.words_added, 1);
  EXPECT_EQ(news.summary.find("18"), std::string::npos) << news.summary;
  EXPECT_TRUE(looked(with("new words", 17)).new_masks.empty()) << "it has not ticked here";
}

TEST_F(LookTest, an_age_is_masked_from_two_versions_where_it_grows_as_time_does_else_from_three) {
  const auto with = [](const std::string& age) { return page("Posted " + age + " by a reader"); };
  seen_and_kept(with("3 minutes ago"), 0);
  const Look grown = look(at(task(with("4 minutes ago")), 60), texts_);
  EXPECT_EQ(grown.noise, Noise::masked);
  ASSERT_EQ(grown.new_masks.size(), 1u);
  EXPECT_TRUE(grown.same);
  const Look other = seen_and_kept(with("1 minute ago"), 600);
  EXPECT_EQ(other.noise, Noise::none);
  EXPECT_FALSE(other.same) << "somebody has posted something";
  const Look third = seen_and_kept(with("2 minutes ago"), 900);
  EXPECT_EQ(third.noise, Noise::masked);
  EXPECT_TRUE(third.same);
}

TEST_F(LookTest, a_clock_is_masked_from_two_versions_where_it_tells_seconds) {
  const auto with = [](const std::string& time) { return page("It is " + time + " for all"); };
  seen_and_kept(with("12:00:01"), 1);
  EXPECT_EQ(look(at(task(with("12:10:02")), 602), texts_).noise, Noise::masked);
  EXPECT_EQ(look(at(task(with("12:10:02")), 702), texts_).noise, Noise::none) << "it has stopped";
}

// From a cache: looks moments apart agree, and the next poll sees another one.
TEST_F(LookTest, a_token_that_looks_agree_on_is_open_and_masked_after_three_polls) {
  const auto with = [](const std::string& token) { return page("session id " + token + " end"); };
  see(with("0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
  LookTask twin = task(with("1a2b3c4d5e6f70819203a4b5c6d7e8f9"));
  const Look first = look(twin, texts_);
  twin.texts = {first.text};
  twin.reason = LookReason::twin;
  EXPECT_EQ(look(std::move(twin), texts_).noise, Noise::perhaps);
  const Look second = look(task(with("90ab12cd34ef56a7b8c9d0e1f2a3b4c5")), texts_);
  LookTask third = task(with("abcdef0123456789abcdef0123456780"));
  third.doubted = {{first.hash}, {second.hash}};
  const Look seen = look(third, texts_);
  EXPECT_EQ(seen.noise, Noise::masked);
  EXPECT_TRUE(seen.same);
}

TEST_F(LookTest, a_token_that_two_of_three_polls_saw_is_not_masked) {
  const auto with = [](const std::string& token) { return page("commit " + token + " is new"); };
  see(with("0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
  const Look first = look(task(with("1a2b3c4d5e6f70819203a4b5c6d7e8f9")), texts_);
  const Look second = look(task(with("90ab12cd34ef56a7b8c9d0e1f2a3b4c5")), texts_);
  LookTask third = task(with("1a2b3c4d5e6f70819203a4b5c6d7e8f9"));
  third.doubted = {{first.hash}, {second.hash}};
  EXPECT_EQ(look(std::move(third), texts_).noise, Noise::none);
}

TEST_F(LookTest, a_clock_is_masked_and_a_time_that_is_put_off_is_news) {
  const auto with = [](const std::string& time) { return page("It is at " + time + " for all"); };
  seen_and_kept(with("12:00"), 0);
  seen_and_kept(with("12:10"), 600);
  EXPECT_EQ(seen_and_kept(with("12:25"), 1500).noise, Noise::masked);
  EXPECT_EQ(look(at(task(with("22:15")), 2400), texts_).noise, Noise::none);
}

TEST_F(LookTest, an_age_is_masked_beside_a_place_that_was_masked_later_than_its_versions) {
  const auto with = [](const std::string& views, const std::string& age) {
    return page("A story</p><p>" + views + " views · " + age + "</p><p>Imprint");
  };
  seen_and_kept(with("12345", "3 minutes ago"), 0);
  masks_ =
      std::make_shared<const Masks>(Masks{{extract::TokenKind::number, {"A", "story"}, {"views"}}});
  const Look second = seen_and_kept(with("12399", "4 minutes ago"), 60);
  ASSERT_EQ(second.noise, Noise::masked);
  Masks both = *masks_;
  both.insert(both.end(), second.new_masks.begin(), second.new_masks.end());
  masks_ = std::make_shared<const Masks>(both);
  EXPECT_TRUE(seen_and_kept(with("12421", "2 hours ago"), 180).same);
}

class StandingMask : public LookTest {
 protected:
  StandingMask() {
    masks_ = std::make_shared<const Masks>(Masks{{extract::TokenKind::number, {"read"}, {"times"}},
                                                 {extract::TokenKind::number, {"user"}, {"of"}}});
    standing_ = {{see(with("17", "5", "news")).masks_shown[0].mark, 1}, {}};
  }
  static std::string with(const std::string& reads, const std::string& user,
                          const std::string& news) {
    return page("read " + reads + " times</p><p>user " + user + " of all</p><p>" + news);
  }
};

TEST_F(StandingMask, ends_and_what_it_hid_is_shown) {
  const Look seen = see(with("17", "6", "news"));
  EXPECT_EQ(seen.masks_ended, (std::vector<bool>{true, false}));
  EXPECT_TRUE(seen.same) << "nothing has changed by that";
  EXPECT_NE(seen.text.find("read 17 times"), std::string::npos) << seen.text;
  EXPECT_NE(seen.text.find("user ‹number› of all"), std::string::npos) << "this one ticks";
}

// A version that has won over the other is news; that a counter has ticked is none.
TEST_F(LookTest, words_that_stand_where_others_were_masked_are_told) {
  std::string words;
  for (int i = 0; i < 50; ++i) words += "word" + std::to_string(i) + " ";
  const auto with = [&](const std::string& offer) {
    return page(offer + "</p><p>a line that stays</p><p>" + words);
  };
  masks_ = std::make_shared<const Masks>(
      Masks{{extract::TokenKind::lines, {"Some words that stay"}, {"a line that stays"}}});
  const std::uint32_t before = see(with("Buy it now")).masks_shown[0].mark;
  const std::uint32_t now = look(task(with("Sold out")), texts_).masks_shown[0].mark;
  ASSERT_NE(before, now);
  standing_ = {{now, before}};
  const Look won = look(task(with("Sold out")), texts_);
  EXPECT_EQ(won.masks_ended, std::vector<bool>{true});
  EXPECT_FALSE(won.same);
  EXPECT_NE(won.summary.find("Sold out"), std::string::npos) << won.summary;
  standing_ = {{before, before}};
  const Look back = look(task(with("Buy it now")), texts_);
  EXPECT_EQ(back.masks_ended, std::vector<bool>{true});
  EXPECT_TRUE(back.same) << "it is what it was";
}

TEST_F(StandingMask, stays_where_its_place_ticks_on) {
  EXPECT_TRUE(see(with("18", "6", "news")).masks_ended.empty());
}

TEST_F(StandingMask, waits_until_nothing_else_differs) {
  const Look changed = see(with("17", "6", "other news"));
  EXPECT_TRUE(changed.masks_ended.empty());
  EXPECT_FALSE(changed.same);
  EXPECT_FALSE(see(with("17", "7", "other news")).masks_ended.empty());
}

TEST_F(LookTest, a_page_that_becomes_what_the_host_says_of_missing_ones_is_a_soft_404) {
  const auto about = [](const std::string& thing) {
    std::string words;
    for (int i = 0; i < 100; ++i) words += thing + std::to_string(i) + " ";
    return page(words);
  };
  const Look before = see(about("ferry"));
  LookTask now = task(about("sorry"));
  now.traits_before = before.traits;
  const Look alone = look(now, texts_);
  EXPECT_FALSE(alone.suspicion);
  EXPECT_TRUE(alone.another);
  now.missing = std::make_shared<const MissingAnswer>(MissingAnswer{about("sorry"), type_});
  const Look known = look(now, texts_);
  ASSERT_TRUE(known.suspicion);
  EXPECT_EQ(*known.suspicion, extract::Suspicion::not_found);
  now.missing = std::make_shared<const MissingAnswer>(MissingAnswer{about("ferry"), type_});
  EXPECT_FALSE(look(now, texts_).suspicion) << "it answers every path alike";
}

TEST_F(LookTest, a_login_form_in_place_of_the_page_is_suspect) {
  std::string words;
  for (int i = 0; i < 200; ++i) words += "word" + std::to_string(i) + " ";
  const Look before = see(page(words));
  LookTask now = task("<title>Log in</title><form><input type=password name=p></form>");
  now.traits_before = before.traits;
  const Look wall = look(std::move(now), texts_);
  ASSERT_TRUE(wall.suspicion);
  EXPECT_EQ(*wall.suspicion, extract::Suspicion::login);
}

// Under new rules nothing is known of the content but what was kept by the old ones.
TEST_F(LookTest, what_is_seen_under_new_rules_is_doubted_if_nothing_of_the_page_is_left) {
  const auto about = [](const std::string& thing) {
    std::string text = "<title>A shop</title><main>";
    for (int i = 0; i < 100; ++i) text += "<p>" + thing + std::to_string(i) + "</p>";
    return text + "</main><footer>imprint</footer>";
  };
  const Look before = seen_and_kept(about("ferry"), 0);
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, "p:nth-child(-n+20)"}};
  keep(rules);
  known_.reset();
  const auto now = [&](const std::string& body) {
    LookTask anew = task(body);
    anew.traits_before = before.traits;
    return anew;
  };
  Look seen = look(now(about("ferry")), texts_);
  EXPECT_FALSE(seen.another) << "the same page, and less of it";
  EXPECT_FALSE(seen.suspicion);
  LookTask gone = now(about("sorry"));
  EXPECT_TRUE(look(gone, texts_).another);
  gone.missing = std::make_shared<const MissingAnswer>(MissingAnswer{about("sorry"), type_});
  seen = look(gone, texts_);
  ASSERT_TRUE(seen.suspicion);
  EXPECT_EQ(*seen.suspicion, extract::Suspicion::not_found);
  EXPECT_FALSE(look(task(about("sorry")), texts_).another) << "nothing is known of a new page";
}

// They may have megabytes each, and the engine's thread hands them on.
TEST(LookTasks, have_the_texts_of_earlier_looks_without_copying_them) {
  Flight flight;
  flight.texts = {std::string(1000, 'x'), std::string(1000, 'y')};
  PageSettings settings;
  settings.rules = extract::compile({}).value();
  const LookTask task = look_task(flight, PageRecord{}, settings, nullptr, WallTime{});
  ASSERT_EQ(task.texts.size(), 2u);
  EXPECT_EQ(&*task.texts[0], &*flight.texts[0]);
  EXPECT_EQ(&*task.texts[1], &*flight.texts[1]);
}

}  // namespace
}  // namespace pollux::engine
