#include "pollux/config/live.hpp"

#include "loaded.hpp"
#include "pollux/config/export.hpp"
#include "pollux/extract/extract.hpp"
#include "support/temp_folder.hpp"

#include <gtest/gtest.h>

namespace pollux::config {
namespace {

using std::chrono::hours;

constexpr char yaml[] = R"(budget: 1
defaults: { importance: 2, headers: { X-All: "1" }, content: { remove: [footer] } }
hosts: { overrides: { "b.example": { headers: { X-Host: "2" } } } }
rules:
  - { tag: heads, content: { +remove: [nav] } }
  - { match: "https://b.example/*", content: { select: main } }
pages:
  - https://a.example/plain
  - { url: "https://a.example/own", name: Own, tags: [x], importance: 5, timeout: 7s, content: { as: text } }
)";

class Live : public testing::Test {
 protected:
  Config fragment_with(const std::vector<LiveEntry>& entries) {
    Config fragment = fragment_of(loaded_.config.book);
    problems_ = add_live(fragment, entries);
    return fragment;
  }
  std::string problem(LiveSettings settings) {
    fragment_with({{"https://a.example/new", std::move(settings)}});
    return problems_.empty() ? "" : problems_.front().why;
  }
  static const PageSettings& settings(const Config& config, std::size_t page) {
    return config.settings[config.pages[page].settings];
  }
  static extract::Rules rules(const Config& config, std::size_t page) {
    return extract::rules_of(*config.contents[settings(config, page).content]);
  }
  Loaded loaded_ = load_text(yaml, "pollux.yaml").value();
  std::vector<LiveProblem> problems_;
};

TEST_F(Live, pages_get_defaults_rules_and_headers_as_if_they_were_listed) {
  // Compared with the same pages in the file.
  const Loaded listed =
      load_text(std::string(yaml) +
                    "  - https://b.example/x\n  - { url: \"https://a.example/t\", "
                    "tags: [heads], importance: 9 }\n",
                "pollux.yaml")
          .value();
  const Config live = fragment_with(
      {{"https://b.example/x"}, {"https://a.example/t", {.tags = {{"heads"}}, .importance = 9}}});
  ASSERT_TRUE(problems_.empty()) << problems_.front().why;
  ASSERT_EQ(live.pages.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const PageSettings& is = settings(live, i);
    const PageSettings& should = settings(listed.config, i + 2);
    EXPECT_EQ(live.pages[i].url, listed.config.pages[i + 2].url);
    EXPECT_EQ(live.pages[i].host, listed.config.pages[i + 2].host);
    EXPECT_EQ(is.importance, should.importance);
    EXPECT_EQ(is.limits.min_interval, should.limits.min_interval);
    EXPECT_EQ(*live.header_sets[is.headers], *listed.config.header_sets[should.headers]);
    EXPECT_EQ(rules(live, i), rules(listed.config, i + 2));
    EXPECT_EQ(live.labels[live.pages[i].label],
              listed.config.labels[listed.config.pages[i + 2].label]);
  }
}

TEST_F(Live, rules_that_do_not_go_together_are_the_fault_of_their_page_alone) {
  loaded_ = load_text(R"(budget: 1
rules:
  - { match: "https://json.example/*", content: { as: json } }
  - { match: "*/head", content: { select: "h1 > a" } }
pages: [https://a.example/]
)",
                      "pollux.yaml")
                .value();
  const Config live = fragment_with({{"https://json.example/head"},
                                     {"https://a.example/next"},
                                     {"https://json.example/x/head"},
                                     {"https://a.example/last", {.importance = 3}}});
  ASSERT_EQ(problems_.size(), 2U);
  EXPECT_EQ(problems_[0].entry, 0U);
  EXPECT_EQ(problems_[1].entry, 2U) << "as wrong as the first one";
  EXPECT_EQ(problems_[0].why, problems_[1].why);
  ASSERT_EQ(live.pages.size(), 2U);
  EXPECT_EQ(live.pages[0].url, "https://a.example/next");
  EXPECT_EQ(live.pages[1].url, "https://a.example/last");
}

TEST_F(Live, patterns_that_would_fill_the_memory_are_refused) {
  const auto content = [](int number, const char* pattern, int count) {
    std::string text = R"({"ignore": [)";
    for (int i = 0; i < count; ++i)
      text += (i > 0 ? ", \"" : "\"") + std::string(pattern) + std::to_string(number + i) + "\"";
    return LiveSettings{.content = text + "]}"};
  };
  EXPECT_NE(problem(content(0, "\\\\pL{200}", 3)).find("its patterns are too large"),
            std::string::npos);
  EXPECT_EQ(problem(content(0, "updated \\\\d+ (minutes|hours) ago", 20)), "");
  std::vector<LiveEntry> entries;
  for (int i = 0; i < 20; ++i)
    entries.push_back({"https://a.example/" + std::to_string(i), content(i, "\\\\pL{20}", 2)});
  entries.push_back({"https://a.example/last", {.importance = 3}});
  Config fragment = fragment_of(loaded_.config.book);
  problems_ = add_live(fragment, entries, 50'000);
  ASSERT_FALSE(problems_.empty());
  EXPECT_GT(problems_.front().entry, 0U) << "some are taken";
  EXPECT_EQ(problems_.back().entry, 19U) << "what brings none is taken, too";
  EXPECT_NE(problems_.back().why.find("as much as one command may bring"), std::string::npos);
}

TEST_F(Live, settings_are_laid_over_what_a_file_says_of_its_page) {
  const Config live =
      fragment_with({{"https://a.example/own", {.name = "Other"}, true},
                     {"https://a.example/own", {.tags = {{"heads"}}}, true},
                     {"https://a.example/own", {.content = R"({"as": "html"})"}, true},
                     {"https://a.example/own", {}, true}});
  ASSERT_TRUE(problems_.empty()) << problems_.front().why;
  EXPECT_EQ(live.labels[live.pages[0].label], (Label{"Other", {"x"}}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(settings(live, i).importance, 5);
    EXPECT_EQ(settings(live, i).timeout, std::chrono::seconds(7)) << "of the file alone";
  }
  EXPECT_EQ(rules(live, 0).as, extract::As::text);
  EXPECT_EQ(rules(live, 1).remove.size(), 2U) << "the rule for its new tag";
  EXPECT_EQ(rules(live, 1).as, extract::As::text) << "its own content stays";
  EXPECT_EQ(rules(live, 2).as, extract::As::html);
  EXPECT_EQ(rules(live, 3), rules(loaded_.config, 1));
}

TEST_F(Live, what_is_wrong_is_told_and_left_out) {
  EXPECT_EQ(problem({.importance = 0}), "importance: 0 does not do; write 0.001 to 1000");
  EXPECT_NE(problem({.name = " x"}).find("name: ' x' does not do"), std::string::npos);
  EXPECT_NE(problem({.tags = {{""}}}).find("tags: ''"), std::string::npos);
  EXPECT_NE(problem({.max_interval = Duration::zero()}).find("max_interval"), std::string::npos);
  EXPECT_NE(problem({.min_interval = hours(3), .max_interval = hours(1)}).find("is longer than"),
            std::string::npos);
  EXPECT_NE(problem({.content = "[1]"}).find("content is a list"), std::string::npos);
  EXPECT_NE(problem({.content = "{"}).find("content: "), std::string::npos);
  EXPECT_NE(problem({.content = R"({"pipe": ["sh"]})"}).find("content.pipe: may run a program"),
            std::string::npos);
  EXPECT_NE(problem({.content = R"({"render": true})"}).find("content.render: may run a program"),
            std::string::npos);
  EXPECT_NE(problem({.content = R"({"auth": {}})"}).find("'auth' is none of"), std::string::npos);
  EXPECT_NE(problem({.content = R"({"select": "p[["})"}).find("p[["), std::string::npos);
  EXPECT_NE(problem({.content = R"x({"ignore": "(?=x)"})x"}).find("(?=x)"), std::string::npos);
  EXPECT_NE(problem({.content = std::string(70'000, ' ')}).find("longer than"), std::string::npos);
  // The same mistake twice is told twice, and does not hide what is right.
  const Config live = fragment_with({{"https://a.example/1", {.content = R"({"select": "p[["})"}},
                                     {"https://a.example/2", {.content = R"({"select": "p[["})"}},
                                     {"https://a.example/3", {.content = R"({"select": "p"})"}}});
  EXPECT_EQ(problems_.size(), 2U);
  ASSERT_EQ(live.pages.size(), 1U);
  EXPECT_EQ(live.pages[0].url, "https://a.example/3");
}

TEST(LivePlaces, tell_file_and_line) {
  std::unordered_map<std::string, std::string> places{{"https://a.example/own", ""},
                                                      {"https://a.example/none", ""}};
  ASSERT_TRUE(load_text(yaml, "pollux.yaml", {.places = &places}).ok());
  EXPECT_EQ(places["https://a.example/own"], "pollux.yaml:9");
  EXPECT_EQ(places["https://a.example/none"], "");
}

TEST(Export, read_again_it_is_the_same_list) {
  const test::TempFolder folder;
  folder.write("token", "s3cret");
  const std::string head = R"(budget: 1
defaults: { importance: 2, content: { remove: [footer] } }
rules: [{ tag: heads, content: { +remove: [nav] } }]
)";
  const std::string file = folder.write("pollux.yaml", head + R"(pages:
  - https://a.example/plain
  - { url: "https://a.example/own", name: "Größe: \"1\"", tags: [x, "y z"], importance: 5, timeout: 7s,
      headers: { Accept-Language: de, Cookie: s3cret }, auth: { bearer_file: token },
      content: { as: text, +ignore: ["a\\d+", '\\'], alert: { appears: "x: y" } } }
pages_file: more.txt
)");
  folder.write("more.txt", "https://b.example/1\nhttps://b.example/2\n");
  const std::vector<LiveEntry> live = {
      {"https://b.example/2", {.name = "Two", .importance = 0.3, .max_interval = hours(36)}, true},
      {"https://c.example/live",
       {.tags = {{"heads"}},
        .content = R"({"select": ["main", {"css": "p"}], "min_change": "2%"})"}},
      {"https://a.example/plain", {.name = "the file's by now"}, false}};
  const Result<Exported> exported = export_pages(file, live);
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  EXPECT_EQ(exported->pages, 5U);
  EXPECT_EQ(exported->yaml.find("s3cret"), std::string::npos);
  ASSERT_EQ(exported->left_out.size(), 1U);
  EXPECT_EQ(exported->left_out[0], "https://a.example/own: Cookie");
  folder.write("list.yaml", exported->yaml);
  const std::string again = folder.write("again.yaml", head + "pages_file: list.yaml\n");
  const Result<Loaded> second = load(again);
  ASSERT_TRUE(second.ok()) << second.error().message << exported->yaml;
  // As the daemon has it: the files' list with what is live laid over it.
  Config first = load(file).value().config;
  ASSERT_TRUE(add_live(first, std::vector(live.begin(), live.begin() + 2)).empty());
  first.pages.erase(first.pages.begin() + 3);
  const Config& read = second->config;
  ASSERT_EQ(read.pages.size(), first.pages.size());
  for (std::size_t i = 0; i < read.pages.size(); ++i) {
    const PageSettings &is = read.settings[read.pages[i].settings],
                       &should = first.settings[first.pages[i].settings];
    EXPECT_EQ(read.pages[i].url, first.pages[i].url);
    EXPECT_EQ(read.labels[read.pages[i].label], first.labels[first.pages[i].label]) << i;
    EXPECT_EQ(is.importance, should.importance) << i;
    EXPECT_EQ(is.limits.max_interval, should.limits.max_interval) << i;
    EXPECT_EQ(is.timeout, should.timeout) << i;
    EXPECT_EQ(extract::rules_of(*read.contents[is.content]),
              extract::rules_of(*first.contents[should.content]))
        << i;
  }
  const HeaderLines& headers = *read.header_sets[read.settings[read.pages[1].settings].headers];
  EXPECT_EQ(headers, (HeaderLines{"Accept-Language: de", "Authorization: Bearer s3cret"}));
}

}  // namespace
}  // namespace pollux::config
