#include "pollux/learn/policy.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

// A quiet list of two sites; the first is redeployed again and again.
struct Sites {
  Sites() : policy(make_policy({.policy = "htraa", .seed = 3})) {
    for (std::uint32_t i = 0; i < 64; ++i) policy->add(PageSlot{i}, 1, std::nullopt);
    policy->set_sweep(64);
  }
  void sweep(bool burst, bool alone = false) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      now += 1;
      policy->feed(PageSlot{i},
                   {.changed = burst && i == 0, .elapsed = 64, .now = now, .alone = alone});
    }
  }
  std::unique_ptr<Policy> policy;
  double now = 0;
};

TEST(SiblingLooks, a_burst_is_followed_once_that_has_paid) {
  Sites sites;
  for (int i = 0; i < 20; ++i) sites.sweep(false);
  std::size_t proposed = 0;
  for (int burst = 0; burst < 400; ++burst) {
    sites.sweep(false);
    // The first page has changed, and so have all of its site.
    sites.now += 1;
    sites.policy->feed(PageSlot{0}, {.changed = true, .elapsed = 64, .now = sites.now});
    for (auto looks = sites.policy->take_looks(); !looks.empty();
         looks = sites.policy->take_looks()) {
      for (const Look& look : looks) {
        if (!sites.policy->still_wanted(look)) continue;
        ++proposed;
        sites.now += 0.01;
        sites.policy->feed(
            look.page,
            {.changed = index(look.page) < 32, .elapsed = 30, .now = sites.now, .look = look});
      }
    }
  }
  EXPECT_GT(proposed, 100U);
  const auto nodes = sites.policy->nodes_of(PageSlot{0});
  ASSERT_FALSE(nodes.empty());
  EXPECT_EQ(nodes.front().pages, 64U);
  EXPECT_GT(nodes[1].affinity, 0.5) << "its site";
  EXPECT_LT(nodes[0].affinity, nodes[1].affinity) << "the other site takes no part";
}

TEST(SiblingLooks, noise_is_passed_on_to_nobody) {
  Sites sites;
  for (int i = 0; i < 500; ++i) sites.sweep(i % 8 == 0, true);
  EXPECT_TRUE(sites.policy->take_looks().empty());
}

TEST(SiblingLooks, a_cascade_does_not_come_back_to_pages_polled_since_it_began) {
  Sites sites;
  for (int i = 0; i < 20; ++i) sites.sweep(false);
  int looked = 0;
  for (int burst = 0; burst < 200; ++burst) {
    sites.sweep(false);
    std::vector<int> polls(64, 0);
    std::vector<double> last;
    for (int i = 0; i < 64; ++i) last.push_back(sites.now - 63 + i);
    polls[0] = 1;
    sites.now += 1;
    sites.policy->feed(PageSlot{0}, {.changed = true, .elapsed = 64, .now = sites.now});
    for (auto looks = sites.policy->take_looks(); !looks.empty();
         looks = sites.policy->take_looks()) {
      for (const Look& look : looks) {
        if (!sites.policy->still_wanted(look) || look.trial) continue;
        ++looked;
        // Long after the first was found, and each changes only once.
        sites.now += 5;
        const bool changed = index(look.page) < 32 && polls[index(look.page)] == 0;
        EXPECT_EQ(polls[index(look.page)]++, 0) << index(look.page);
        sites.policy->feed(look.page, {.changed = changed,
                                       .elapsed = sites.now - last[index(look.page)],
                                       .now = sites.now,
                                       .look = look});
      }
    }
  }
  EXPECT_GT(looked, 1000);
}

TEST(SiblingLooks, a_page_that_was_polled_meanwhile_is_not_wanted_any_more) {
  Sites sites;
  std::vector<Look> looks;
  for (int i = 0; i < 2000 && looks.empty(); ++i) {
    sites.sweep(i % 8 == 0);
    looks = sites.policy->take_looks();
  }
  ASSERT_FALSE(looks.empty());
  sites.sweep(false);
  EXPECT_TRUE(std::none_of(looks.begin(), looks.end(),
                           [&](const Look& look) { return sites.policy->still_wanted(look); }));
}

}  // namespace
}  // namespace pollux::learn
