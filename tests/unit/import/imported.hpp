// What the tests of this module ask of an import, and of the list that it makes.
#pragma once

#include "pollux/config/config.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/import/import.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::import {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline Imported imported(const std::string& text, Format format = Format::automatic,
                         const std::string& name = "list") {
  const std::vector<File> files = {{name, text}};
  Result<Imported> result = import_files(files, format);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? std::move(*result) : Imported{};
}

inline Error refused(const std::string& text, Format format = Format::automatic) {
  const std::vector<File> files = {{"list", text}};
  const Result<Imported> result = import_files(files, format);
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error{} : result.error();
}

inline bool has_note(const Notes& notes, std::uint32_t line, std::string_view part) {
  return std::any_of(notes.kept.begin(), notes.kept.end(), [&](const Note& note) {
    return note.line == line && contains(note.url + ": " + note.what, part);
  });
}

inline std::string all_of(const Notes& notes) {
  std::string out;
  for (const Note& note : notes.kept)
    out += std::to_string(note.line) + ": " + note.url + ": " + note.what + "\n";
  return out;
}

inline std::vector<std::string> urls_of(const Imported& list) {
  std::vector<std::string> urls;
  for (const Page& page : list.pages) urls.push_back(page.url);
  return urls;
}

// The list as the daemon reads it, with its secrets in files.
inline config::Config loaded(const Imported& list) {
  const test::TempFolder folder;
  std::vector<std::string> files;
  for (const Secret& secret : secrets_of(list)) {
    files.push_back("secret-" + std::to_string(files.size()));
    folder.write(files.back(), secret.value + "\n");
  }
  const std::string yaml = pages_yaml(list, files, "a test");
  folder.write("pages.yaml", yaml);
  const std::string file =
      folder.write("pollux.yaml", "budget: unlimited\npages_file: pages.yaml\n");
  Result<config::Loaded> result = config::load(file);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message) << "\n" << yaml;
  return result.ok() ? std::move(result->config) : config::Config{};
}

// What is written means what was found: every page comes back with all that it says.
inline void expect_same_when_loaded(const Imported& list) {
  const config::Config config = loaded(list);
  ASSERT_EQ(config.pages.size(), list.pages.size());
  for (std::size_t i = 0; i < list.pages.size(); ++i) {
    const Page& page = list.pages[i];
    const config::PageSettings& settings = config.settings[config.pages[i].settings];
    const config::Label& label = config.labels[config.pages[i].label];
    EXPECT_EQ(config.pages[i].url, page.url);
    EXPECT_EQ(label.name, page.name);
    EXPECT_EQ(label.tags, page.tags);
    EXPECT_EQ(settings.importance, page.importance.value_or(1));
    EXPECT_EQ(settings.limits.max_interval, page.max_interval.value_or(std::chrono::hours(24)));
    EXPECT_EQ(settings.limits.min_interval, page.min_interval.value_or(std::chrono::seconds(5)));
    EXPECT_EQ(settings.timeout, page.timeout.value_or(std::chrono::seconds(20)));
    if (!page.user_agent.empty()) {
      EXPECT_EQ(settings.user_agent, page.user_agent);
    }
    EXPECT_EQ(extract::rules_of(*config.contents[settings.content]), page.content) << page.url;
    const std::size_t lines = page.headers.size() + (page.login.empty() ? 0 : 1);
    ASSERT_EQ(settings.headers == 0 ? 0 : config.header_sets[settings.headers]->size(), lines);
    for (const Header& header : page.headers) {
      const config::HeaderLines& sent = *config.header_sets[settings.headers];
      EXPECT_NE(std::find(sent.begin(), sent.end(), header.name + ": " + header.value), sent.end());
    }
  }
}

// What is kept of a document under these rules, with a line feed at its end; the message if nothing
// is.
inline std::string kept(const extract::Rules& rules, std::string_view body,
                        std::string_view type = "text/html; charset=utf-8") {
  const auto compiled = extract::compile(rules);
  if (!compiled) return "does not compile: " + compiled.error().message;
  const auto found = extract::extract({.body = body, .content_type = type}, **compiled, {});
  if (const auto* failure = std::get_if<extract::Failure>(&found)) return failure->message;
  std::string content = std::get<extract::Kept>(found).content;
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  return content;
}

}  // namespace pollux::import
