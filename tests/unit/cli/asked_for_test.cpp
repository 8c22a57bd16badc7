// Names, tags, health and rules: what pages are asked for by, and told with.
#include "read_commands.hpp"

namespace pollux::cli {
namespace {

TEST_F(ReadCommands, names_and_tags_are_shown_and_asked_for) {
  std::vector<store::PageSpec> pages;
  for (const char* name : {"busy", "quiet", "broken", "new"}) {
    pages.push_back({.url = std::string("https://example.org/") + name, .host = "example.org:443"});
  }
  pages[0].name = "Release notes";
  pages[0].tags = R"(["releases","work"])";
  pages[1].name = "Quiet place";
  pages[1].tags = R"(["work"])";
  ASSERT_TRUE(store_->reconcile(pages, now_).ok());

  EXPECT_TRUE(run({"pages"}).says("Release notes")) << run({"pages"}).out;
  const Outcome chosen = run({"pages", "--columns", "name,tags", "--tag", "releases"});
  EXPECT_EQ(chosen.out, "NAME           TAGS\nRelease notes  releases, work\n");
  EXPECT_EQ(json::parse(run({"pages", "--tag", "work", "--json"}).out).as_array().size(), 2U);
  EXPECT_EQ(json::parse(run({"pages", "--tag", "wor", "--json"}).out).as_array().size(), 0U);

  EXPECT_TRUE(run({"changes"}).says("Release notes")) << run({"changes"}).out;
  EXPECT_FALSE(run({"changes"}).says("https://example.org/busy")) << run({"changes"}).out;
  EXPECT_TRUE(run({"changes", "--tag", "releases"}).says("Release notes"));
  EXPECT_TRUE(run({"changes", "--tag", "other"}).says("No change found"));
  EXPECT_TRUE(run({"changes", "--columns", "url,tags"}).says("https://example.org/busy"));
  EXPECT_TRUE(run({"changes", "--url", "release NOTES"}).says("Release notes"));

  const Outcome explained = run({"explain", "Release notes"});
  EXPECT_TRUE(explained.out.starts_with("Release notes (https://example.org/busy)\n"));
  EXPECT_TRUE(explained.says("tags          releases, work")) << explained.out;
  EXPECT_EQ(run({"explain", "Release"}).exit_code, 66) << "a name is written whole";
}

TEST_F(ReadCommands, pages_are_asked_for_by_their_health) {
  EXPECT_EQ(json::parse(run({"pages", "--health", "noisy", "--json"}).out).as_array().size(), 0U);
  Batch batch;
  batch.polls.push_back(quiet(id_of("quiet")));
  batch.polls[0].progress.health = "noisy";
  batch.polls[0].progress.health_reason = "it differs at every look";
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const json::value noisy = json::parse(run({"pages", "--health", "noisy", "--json"}).out);
  ASSERT_EQ(noisy.as_array().size(), 1U);
  EXPECT_EQ(noisy.at(0).at("health_reason"), "it differs at every look");
  EXPECT_TRUE(run({"pages"}).says("it differs at every look"));
  EXPECT_EQ(run({"pages", "--health", "fine"}).exit_code, 64);
}

TEST_F(ReadCommands, explain_tells_the_rules_of_the_content_where_the_configuration_is_at_hand) {
  const std::string file = (folder_ / "pollux.yaml").string();
  std::ofstream(file) << "budget: 2\nrules:\n  - match: \"https://example.org/*\"\n"
                         "    content: { select: [\".price\"] }\n"
                         "pages: [https://example.org/busy]\n";
  const Outcome told = run({"explain", "busy", "--config", file}, false);
  EXPECT_TRUE(
      told.says("select: ['.price']   (the rule for https://example.org/*, " + file + ":4)"))
      << told.out << told.err;
  Batch batch;
  batch.meta = {{"config_file", file}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_TRUE(run({"explain", "busy"}).says("select: ['.price']"));
  // The file that the daemon named may be another one from here.
  std::ofstream(file, std::ios::app) << "database: another.db\n";
  EXPECT_FALSE(run({"explain", "busy"}).says("select:"));
}

TEST_F(ReadCommands, wrong_words_are_told_with_the_right_ones) {
  const Outcome wrong = run({"pages", "--order", "colour"});
  EXPECT_TRUE(
      wrong.complains("--order: 'colour' is not known; write one of share, changes, "
                      "last_changed, url, errors, next_due"))
      << wrong.err;
}

}  // namespace
}  // namespace pollux::cli
