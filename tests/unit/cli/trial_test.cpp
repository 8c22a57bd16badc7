#include "cli/trial.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

using extract::As;
using Language = extract::Selector::Language;

TEST(Trial, a_selector_is_read_as_in_the_configuration) {
  const auto language = [](const char* text, As as = As::automatic) {
    return selector_of(text, as).language;
  };
  EXPECT_EQ(language("main article"), Language::css);
  EXPECT_EQ(language("//h2"), Language::xpath);
  EXPECT_EQ(language("(//h2)[1]"), Language::xpath);
  EXPECT_EQ(language(".items[]", As::json), Language::jq);
  EXPECT_EQ(selector_of("jq:.a", As::automatic), (extract::Selector{Language::jq, ".a"}));
  EXPECT_EQ(selector_of("css:a", As::json), (extract::Selector{Language::css, "a"}));
}

TEST(Trial, what_is_given_replaces_what_was_there) {
  extract::Rules rules;
  rules.select = {{Language::css, "main"}};
  rules.ignore = {"old"};
  const Result<extract::Rules> made =
      with(rules, {.as = "text", .select = {"h1", "//h2"}, .remove = {}, .ignore = {}});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->as, As::text);
  EXPECT_EQ(made->select.size(), 2u);
  EXPECT_EQ(made->ignore, std::vector<std::string>{"old"});
  const Result<extract::Rules> wrong =
      with({}, {.as = "music", .select = {}, .remove = {}, .ignore = {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().exit_code, ExitCode::usage);
}

Trial looked_at(const std::string& final_url, const std::string& body) {
  Trial trial;
  trial.url = "https://example.org/news";
  trial.looks.push_back({.body = body, .content_type = "text/html", .final_url = final_url});
  judge(trial, **extract::compile(trial.rules));
  return trial;
}

TEST(Trial, a_redirect_to_a_login_is_suspect_and_a_login_form_alone_is_not) {
  const std::string form = "<title>Sign in</title><form><input type=password></form>";
  EXPECT_EQ(looked_at("https://example.org/login", form).suspect, extract::Suspicion::login);
  EXPECT_FALSE(looked_at("https://example.org/news", form + "<p>And the news").suspect);
}

TEST(Trial, long_content_is_cut_for_people) {
  std::string body;
  for (int i = 0; i < 50; ++i) body += "<p>paragraph " + std::to_string(i) + "</p>";
  const std::string text =
      trial_text(looked_at("https://example.org/news", body), {.width = 80, .colour = false});
  EXPECT_NE(text.find("paragraph 19\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("paragraph 20\n"), std::string::npos) << text;
  EXPECT_NE(text.find("⋯ 30 more lines; --json has all of it"), std::string::npos) << text;
  EXPECT_EQ(text.find("To paste"), std::string::npos) << "nothing was given";
}

}  // namespace
}  // namespace pollux::cli
