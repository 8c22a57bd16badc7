#include "loaded.hpp"

namespace pollux::config {
namespace {

TEST(Labels, pages_have_names_and_tags_and_equal_ones_are_kept_once) {
  const Config config = loaded(R"(
pages:
  - http://a.example/plain
  - { url: http://a.example/1, name: "Größe & co", tags: [work, releases, work] }
  - { url: http://a.example/2, tags: releases }
  - { url: http://a.example/3, tags: [releases], importance: 2 }
  - { url: http://a.example/4, tags: }
)")
                            .config;
  ASSERT_EQ(config.labels.size(), 3u);
  EXPECT_EQ(config.labels[0], Label{});
  EXPECT_EQ(config.pages[0].label, 0u);
  EXPECT_EQ(config.labels[config.pages[1].label], (Label{"Größe & co", {"work", "releases"}}));
  EXPECT_EQ(config.labels[config.pages[2].label], (Label{"", {"releases"}}));
  EXPECT_EQ(config.pages[3].label, config.pages[2].label);
  EXPECT_EQ(config.pages[4].label, 0u);
  EXPECT_EQ(config.pages[2].settings, 0u) << "a label is no setting";
}

TEST(Labels, what_no_terminal_can_show_is_no_name) {
  for (const char* bad : {"\"a\\nb\"", "\"a\\eb\"", "''", "[a]", "{}", "' a'"}) {
    const std::string error =
        refused(std::string("pages: [{ url: http://a.example/, name: ") + bad + " }]").message;
    EXPECT_TRUE(contains(error, "write 1 to 200 printable characters")) << error;
  }
  EXPECT_TRUE(contains(refused("pages: [{ url: http://a.example/, tags: [a, [b]] }]").message,
                       "write 1 to 200 printable characters"));
  EXPECT_TRUE(contains(refused("pages: [{ url: http://a.example/, tags: { a: b } }]").message,
                       "write a list of words"));
}

TEST(Labels, a_url_that_stands_twice_keeps_its_first_name) {
  const Loaded read = loaded(
      "budget: 2/d\npages:\n - { url: http://a.example/, name: one }\n - { url: "
      "http://a.example/, name: two }\n");
  ASSERT_FALSE(read.warnings.empty());
  EXPECT_TRUE(contains(read.warnings[0].message, "the first is kept, with its options"));
  EXPECT_EQ(read.config.labels[read.config.pages[0].label].name, "one");
}

}  // namespace
}  // namespace pollux::config
