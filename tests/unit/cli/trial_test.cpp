#include "cli/trial.hpp"

#include "pollux/config/config.hpp"

#include <optional>
#include <string>
#include <variant>

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

// What the printed lines, pasted below a budget, make of a body.
std::string kept_by(const std::string& printed, const std::string& body) {
  const std::size_t yaml = printed.find("pages:\n");
  if (yaml == std::string::npos) return "no lines to paste in " + printed;
  const Result<config::Loaded> loaded = config::load_text(
      "budget: 1\ndatabase: pollux.db\n" + printed.substr(yaml), "pasted.yaml", {});
  if (!loaded) return loaded.error().message;
  const config::Config& config = loaded->config;
  const config::Page& page = config.pages.front();
  const extract::CompiledRules& rules = *config.contents[config.settings[page.settings].content];
  auto made = extract::extract({.body = body, .content_type = "text/html"}, rules, {});
  const auto* kept = std::get_if<extract::Kept>(&made);
  return kept == nullptr ? "nothing is kept" : kept->content;
}

TEST(Trial, what_is_printed_can_be_pasted_and_makes_both_looks_equal) {
  const auto body = [](const char* token, const char* time, const char* news) {
    return std::string("<h1>It's news: \"all\" of it</h1><p>Session ") + token +
           " is yours</p><p>" + news + "</p><p>Generated " + token + " in " + time +
           " ms, # 5 of 7</p><p>The end of this page, for now</p><a href='/x?sid=" + token +
           "'>more</a>";
  };
  const std::string first = body("4f9a0c31b7e2", "12", "Rain"),
                    second = body("77b1e04c2d91", "34", "Rain");
  Trial trial;
  trial.url = "https://example.org/news";
  trial.rules.ignore = {"It's"};
  trial.given.ignore = trial.rules.ignore;
  for (const std::string& look : {first, second})
    trial.looks.push_back({.body = look, .content_type = "text/html", .final_url = trial.url});
  judge(trial, **extract::compile(trial.rules));
  const std::string printed = trial_text(trial, {.width = std::nullopt, .colour = false});
  EXPECT_NE(printed.find("both looks are equal"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("‹"), std::string::npos) << printed;
  EXPECT_EQ(kept_by(printed, first), kept_by(printed, second)) << printed;
  EXPECT_NE(kept_by(printed, first).find("Rain"), std::string::npos) << kept_by(printed, first);
  EXPECT_EQ(kept_by(printed, first).find("It's"), std::string::npos) << "as before";
  EXPECT_NE(kept_by(printed, first), kept_by(printed, body("4f9a0c31b7e2", "12", "Sun")));
}

}  // namespace
}  // namespace pollux::cli
