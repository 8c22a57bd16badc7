#include "engine/live_rows.hpp"

#include "engine/live_changes.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

constexpr char yaml[] = R"(budget: 1
rules:
  - { match: "https://json.example/*", content: { as: json } }
  - { match: "*/head", content: { select: "h1 > a" } }
pages:
  - https://a.example/listed
)";

store::LiveRow live(const std::string& url) {
  store::LiveRow row{.url = url, .live = true};
  row.settings.url = url;
  return row;
}

std::vector<std::string> urls_of(const WantedPages& wanted) {
  std::vector<std::string> urls;
  for (const store::PageSpec& spec : wanted.specs) urls.push_back(spec.url);
  return urls;
}

// Two people mark noise at once: each names a pattern, and none knows of the other's.
TEST(LiveRows, patterns_of_noise_are_laid_over_each_other_as_they_come) {
  const config::LiveSettings one{.more_ignore = "[0-9]+ comments"},
      two{.more_ignore = "[0-9]+ views"};
  const config::LiveSettings both = merged(merged({}, one), two);
  EXPECT_EQ(both.content, R"({"+ignore":["[0-9]+ comments","[0-9]+ views"]})");
  EXPECT_FALSE(both.more_ignore) << "it has become a part of the content";
  EXPECT_EQ(merged(both, one), both) << "once is enough";
  const config::LiveSettings own{.content = R"({"select":"main","ignore":"a"})"};
  EXPECT_EQ(merged(own, one).content, R"({"select":"main","ignore":["a","[0-9]+ comments"]})");
}

TEST(LiveRows, one_url_that_no_longer_is_one_keeps_no_other_page_from_being_polled) {
  config::Config config = config::load_text(yaml, "pollux.yaml")->config;
  WantedPages wanted(config);
  config.pages.clear();
  store::LiveRow heavy = live("https://a.example/heavy");
  heavy.settings.importance = 7;
  store::LiveRow over = live("https://a.example/listed");
  over.live = false;
  over.settings.name = "Listed";
  apply_live({live("gopher://a.example/"), live("https://a.example/light"), heavy, over}, config,
             wanted);
  EXPECT_EQ(urls_of(wanted),
            (std::vector<std::string>{"https://a.example/listed", "https://a.example/light",
                                      "https://a.example/heavy"}));
  EXPECT_EQ(wanted.specs[0].name, "Listed") << "settings are those of their page";
  EXPECT_EQ(wanted.specs[1].importance, 1);
  EXPECT_EQ(wanted.specs[2].importance, 7);
}

TEST(LiveRows, a_page_whose_rules_no_longer_go_together_is_polled_by_the_defaults) {
  config::Config config = config::load_text(yaml, "pollux.yaml")->config;
  WantedPages wanted(config);
  config.pages.clear();
  store::LiveRow broken = live("https://json.example/head");
  broken.settings.importance = 3;
  apply_live({broken, live("https://b.example/head")}, config, wanted);
  ASSERT_EQ(wanted.specs.size(), 3u);
  EXPECT_EQ(wanted.specs[1].url, "https://json.example/head");
  EXPECT_EQ(wanted.specs[2].url, "https://b.example/head");
  EXPECT_EQ(config.settings[wanted.settings[1]].content, 0u);
  EXPECT_EQ(wanted.specs[1].importance, 3) << "what else was set of it holds";
  EXPECT_NE(config.settings[wanted.settings[2]].content, 0u) << "its rules are right";
}

TEST(LiveRows, what_is_resumed_leaves_out_a_url_that_no_longer_is_one) {
  const config::Config config = config::load_text(yaml, "pollux.yaml")->config;
  Resumed resumed;
  for (const char* url : {"https://a.example/1", "gopher://x", "https://a.example/2"}) {
    resumed.entries.push_back({url, {}, false});
    store::PageRow row;
    row.spec.url = url;
    resumed.change.change.fresh.emplace_back(std::move(row), 0);
  }
  resumed.entries.back().settings.importance = 4;
  const LiveChange change = resolve_resumed(config.book, std::move(resumed));
  ASSERT_EQ(change.change.fresh.size(), 2u);
  EXPECT_EQ(change.change.fresh[0].first.spec.url, "https://a.example/1");
  EXPECT_EQ(change.change.fresh[1].first.spec.url, "https://a.example/2");
  EXPECT_EQ(change.fragment->settings[change.change.fresh[1].second].importance, 4);
}

TEST(LiveChanges, of_a_million_pages_the_engine_is_handed_what_one_command_may_ask_for) {
  constexpr std::size_t pages = 50'000;
  Chosen chosen;
  for (std::size_t i = 0; i < pages; ++i) {
    store::ChosenPage page;
    page.url = "https://a.example/" + std::to_string(i);
    page.paused = i % 2 == 0;
    chosen.pages.push_back(std::move(page));
  }
  const Chosen fit = pollable(std::move(chosen));
  EXPECT_EQ(fit.pages.size(), Steering::most_polls);
  EXPECT_EQ(fit.pages.front().url, "https://a.example/1");
  const SteeringResult result = fit.tally.result();
  EXPECT_EQ(result.refused, pages - Steering::most_polls);
  EXPECT_EQ(result.pages.size(), SteeringResult::most_told);
}

}  // namespace
}  // namespace pollux::engine
