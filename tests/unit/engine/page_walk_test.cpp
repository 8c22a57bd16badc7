#include "engine/page_walk.hpp"

#include "engine/lists.hpp"
#include "pollux/base/url.hpp"
#include "pollux/store/store.hpp"
#include "support/temp_folder.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

config::Config list_of(std::size_t pages) {
  std::string text = "budget: 1\npages:\n";
  for (std::size_t i = 0; i < pages; ++i) text += "  - http://a.test/" + std::to_string(i) + "\n";
  return config::load_text(text, "pollux.yaml").value().config;
}

TEST(PageWalk, goes_over_a_long_list_a_little_at_a_time_and_then_anew) {
  constexpr std::size_t pages = 2 * PageWalk::pages_at_once + 1;
  const test::TempFolder folder;
  auto store = store::Store::open(folder.file("pages.db")).value();
  const Moment now{Instant{} + std::chrono::hours(1), WallTime(std::chrono::hours(490'000))};
  Lists lists(list_of(pages));
  ASSERT_TRUE(lists.make_learner(now.now).ok());
  const WantedPages wanted(lists.config);
  ASSERT_TRUE(store->reconcile(wanted.specs, now.wall).ok());
  ASSERT_TRUE(lists.fill(*store, wanted, now).ok());

  PageWalk walk(lists);
  for (int step = 0; step < 2; ++step) {
    walk.step(now.now);
    EXPECT_FALSE(walk.is_over());
    EXPECT_FALSE(walk.learner().has_value());
  }
  walk.step(now.now);
  EXPECT_TRUE(walk.is_over());
  ASSERT_TRUE(walk.learner().has_value());
  EXPECT_NEAR(walk.learner()->gini, 0, 1e-6) << "all pages alike yet";
  EXPECT_EQ(walk.blocked(), 0U);
  walk.step(now.now);
  EXPECT_FALSE(walk.is_over());
}

}  // namespace
}  // namespace pollux::engine
