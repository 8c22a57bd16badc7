#include "pollux/learn/policy.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

PageSlot slot(std::uint32_t i) {
  return PageSlot{i};
}

std::unique_ptr<Policy> two_step(std::uint32_t pages) {
  auto policy = make_policy({.policy = "two-step", .seed = 3});
  for (std::uint32_t i = 0; i < pages; ++i) policy->add(slot(i), 1, std::nullopt);
  policy->set_sweep(pages);
  return policy;
}

TEST(TwoStep, a_long_list_is_planned_in_pieces) {
  constexpr std::uint32_t count = 6000;
  const auto policy = two_step(count);
  double now = 0;
  std::size_t moved = 0;
  for (std::uint32_t i = 0; i < 3 * count; ++i) {
    now += 1;
    policy->feed(slot(i % count), {.changed = i % 3 == 0,
                                   .elapsed = i < count ? now : static_cast<double>(count),
                                   .now = now});
    const std::size_t at_once = policy->take_moved().size();
    ASSERT_LE(at_once, 64U) << "poll " << i;
    moved += at_once;
  }
  EXPECT_GT(moved, 3U * count);  // a plan every quarter of a sweep, nearly all pages in each
}

TEST(TwoStep, a_page_removed_while_the_plan_is_made_is_not_moved) {
  constexpr std::uint32_t count = 6000;
  const auto policy = two_step(count);
  double now = 0;
  const auto poll = [&](std::uint32_t page) {
    now += 1;
    policy->feed(slot(page), {.changed = false, .elapsed = 1 + now / 2, .now = now});
  };
  for (std::uint32_t i = 0; i < count; ++i) poll(i);
  while (policy->take_moved().empty()) poll(0);  // a plan is being carried over to the pages
  for (std::uint32_t i = 1; i < count; i += 2) policy->remove(slot(i));
  policy->add(slot(1), 1, std::nullopt);  // another page in a slot of old
  for (std::uint32_t i = 0; i < count; i += 2) {
    poll(i);
    for (const PageSlot page : policy->take_moved()) EXPECT_EQ(index(page) % 2, 0U);
  }
}

}  // namespace
}  // namespace pollux::learn
