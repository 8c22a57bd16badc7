#include "loaded.hpp"

namespace pollux::config {
namespace {

TEST(ContentSettings, kept_versions_have_an_age_a_number_and_a_size) {
  const Config config =
      loaded(
          "storage: { content: { keep: 7d, per_page: 0, max_size: 64MiB } }\npages: "
          "[http://a.example/]\n")
          .config;
  EXPECT_EQ(config.storage.content.keep, std::chrono::hours(24 * 7));
  EXPECT_EQ(config.storage.content.per_page, 0);
  EXPECT_EQ(config.storage.content.max_size, 64 << 20);
  for (const char* bad : {"keep: 5", "per_page: -1", "per_page: many", "max_size: 1"}) {
    EXPECT_TRUE(contains(
        refused(std::string("storage: { content: { ") + bad + " } }\npages: [http://a.example/]\n")
            .message,
        "storage.content."))
        << bad;
  }
}

TEST(ContentSettings, asking_for_a_missing_page_can_be_switched_off_for_one_host_or_all) {
  const Config config =
      loaded(
          "hosts: { probe: false, overrides: { a.example: { probe: true } } }\npages: "
          "[http://a.example/, http://b.example/]\n")
          .config;
  EXPECT_TRUE(config.politeness("a.example:80").probe);
  EXPECT_FALSE(config.politeness("b.example:80").probe);
  EXPECT_TRUE(contains(refused("hosts: { probe: maybe }\npages: [http://a.example/]\n").message,
                       "neither true nor false"));
}

}  // namespace
}  // namespace pollux::config
