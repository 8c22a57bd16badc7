#include "pollux/extract/suspicion.hpp"

#include "pollux/base/rng.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string article(std::uint64_t seed, std::size_t words) {
  Rng rng(seed);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += "word" + std::to_string(rng.below(5000)) + " ";
  return text;
}

// One answer, with what it looks like.
struct Answer {
  std::string content;
  Traits traits;
  std::string final_url = "https://example.org/news";
  std::string header;
  Sighting sighting() const {
    return {.asked_url = "https://example.org/news",
            .final_url = final_url,
            .challenge_header = header,
            .traits = &traits,
            .content = content};
  }
};
Answer answer(const std::string& content, const std::string& title = "News") {
  Answer made{.content = content, .traits = {}, .header = {}};
  made.traits.title = title;
  made.traits.words = static_cast<std::size_t>(std::count(content.begin(), content.end(), ' ')) + 1;
  return made;
}

std::string reason(const Answer& now, const Answer& before, std::string_view missing = {}) {
  const std::optional<Suspicion> found = suspicion(now.sighting(), before.sighting(), missing);
  return found ? std::string(name_of(*found)) : "";
}

class SuspicionTest : public testing::Test {
 protected:
  const Answer page_ = answer(article(1, 400));
};

TEST_F(SuspicionTest, an_ordinary_change_is_none) {
  EXPECT_EQ(reason(answer(page_.content + "one more sentence"), page_), "");
  EXPECT_EQ(reason(answer(article(2, 380)), page_), "") << "a new edition";
  EXPECT_EQ(reason(answer(article(1, 200)), page_), "") << "half of it";
}

TEST_F(SuspicionTest, a_challenge_that_says_so_is_certain) {
  Answer now = page_;
  now.header = "challenge";
  EXPECT_EQ(reason(now, page_), "bot challenge");
  now.header = "captcha";
  EXPECT_EQ(reason(now, page_), "bot challenge");
  now.header = "none";
  EXPECT_EQ(reason(now, page_), "");
}

TEST_F(SuspicionTest, a_mark_or_title_of_a_challenge_counts_where_the_page_is_lost) {
  Answer now = answer("Verifying you are human this may take a few seconds", "Just a moment...");
  EXPECT_EQ(reason(now, page_), "bot challenge");
  now.traits.title = "News";
  now.traits.markers = {"_cf_chl_opt"};
  EXPECT_EQ(reason(now, page_), "bot challenge");
  Answer before = page_;
  before.traits.markers = {"_cf_chl_opt"};
  EXPECT_NE(reason(now, before), "bot challenge") << "it had the mark when it was believed";
  Answer full = page_;
  full.content += " new";
  full.traits.markers = {"_cf_chl_opt"};
  EXPECT_EQ(reason(full, page_), "") << "the page is all there";
}

TEST_F(SuspicionTest, a_password_field_counts_where_text_was_lost_or_the_answer_is_from_elsewhere) {
  Answer now = answer("Please log in to go on User name Password Forgot your password", "Log in");
  now.traits.password_fields = 1;
  EXPECT_EQ(reason(now, page_), "login wall");
  Answer moved = answer(article(3, 300), "Log in");
  moved.traits.password_fields = 1;
  moved.final_url = "https://example.org/account?next=/news";
  EXPECT_EQ(reason(moved, page_), "login wall");
  Answer box = answer(page_.content + " Log in User Password");
  box.traits.password_fields = 1;
  EXPECT_EQ(reason(box, page_), "") << "a login box beside the news";
  Answer login_page = now;
  EXPECT_EQ(reason(answer("Please log in User name Password"), login_page), "")
      << "watching a login page";
}

TEST_F(SuspicionTest, a_redirect_to_single_sign_on_is_a_login_wall) {
  Answer now = answer("Continue with your company account", "Accounts");
  now.final_url = "https://sso.example.com/login?to=news";
  EXPECT_EQ(reason(now, page_), "login wall");
}

TEST_F(SuspicionTest, a_consent_page_comes_from_elsewhere) {
  Answer now = answer("Before you continue we and our partners use cookies Accept all Reject all");
  now.final_url = "https://consent.example.org/collect?return=/news";
  EXPECT_EQ(reason(now, page_), "consent page");
  Answer banner = answer("We use cookies Accept all " + page_.content);
  EXPECT_EQ(reason(banner, page_), "");
}

TEST_F(SuspicionTest, a_page_like_the_hosts_answer_for_nothing_is_a_soft_404) {
  const std::string missing =
      "Oops " + article(9, 60) + "the page /does-not-exist-17 was not found here";
  const Answer now = answer("Oops " + article(9, 60) + "the page /news was not found here");
  EXPECT_EQ(reason(now, answer(article(1, 100)), missing), "soft 404");
  EXPECT_EQ(reason(now, answer(article(1, 100)), ""), "");
  EXPECT_EQ(reason(answer(now.content + "x"), now, missing), "")
      << "an application that answers alike everywhere";
}

TEST_F(SuspicionTest, not_found_in_the_text_proves_nothing) {
  EXPECT_EQ(reason(answer(page_.content + "404 page not found error access denied"), page_), "");
}

TEST_F(SuspicionTest, a_maintenance_page_has_a_title_and_little_else) {
  const Answer now = answer("We will be back soon", "Scheduled maintenance");
  EXPECT_EQ(reason(now, page_), "maintenance");
  EXPECT_EQ(reason(answer(page_.content + "x", "Maintenance of bicycles"), page_), "");
  const Answer small = answer(article(4, 30));
  EXPECT_EQ(reason(now, small), "maintenance") << "small pages, too";
}

TEST_F(SuspicionTest, a_collapse_needs_something_to_collapse) {
  EXPECT_EQ(reason(answer("Hello"), page_), "collapse");
  EXPECT_EQ(reason(answer(article(1, 79)), page_), "collapse");
  EXPECT_EQ(reason(answer(article(1, 81)), page_), "");
  EXPECT_EQ(reason(answer("Hello"), answer(article(1, 40))), "") << "there was little";
}

TEST_F(SuspicionTest, without_traits_the_words_of_the_content_count) {
  const std::string before = article(1, 100), now = "[]";
  const Sighting last{.asked_url = "u",
                      .final_url = "u",
                      .challenge_header = {},
                      .traits = nullptr,
                      .content = before};
  const Sighting next{.asked_url = "u",
                      .final_url = "u",
                      .challenge_header = {},
                      .traits = nullptr,
                      .content = now};
  EXPECT_EQ(suspicion(next, last, {}), Suspicion::collapse);
}

TEST_F(SuspicionTest, leaving_a_wall_is_none) {
  Answer wall = answer("Please log in User name Password", "Log in");
  wall.traits.password_fields = 1;
  wall.final_url = "https://example.org/login";
  EXPECT_EQ(reason(page_, wall), "");
}

TEST(Similarity, it_goes_from_nothing_to_all) {
  const std::string text = article(1, 300);
  EXPECT_DOUBLE_EQ(similarity(text, text), 1);
  EXPECT_LT(similarity(text, article(2, 300)), 0.01);
  EXPECT_DOUBLE_EQ(similarity("", ""), 1);
  EXPECT_DOUBLE_EQ(similarity("", "a b"), 0);
  EXPECT_DOUBLE_EQ(similarity("not found", "not found "), 1);
  EXPECT_LT(similarity("error", text + " error"), 0.02);
}

TEST(Similarity, one_word_in_thirty_is_little) {
  const std::string head = article(1, 15), tail = article(2, 15);
  EXPECT_GT(similarity(head + "/one " + tail, head + "/two " + tail), 0.95);
}

TEST(Similarity, half_in_common_is_about_a_half) {
  const std::string common = article(1, 200);
  EXPECT_NEAR(similarity(common + article(2, 200), common + article(3, 200)), 0.5, 0.02);
}

}  // namespace
}  // namespace pollux::extract
