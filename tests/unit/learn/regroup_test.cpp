// What trees know when lists are divided and put together.
#include "pollux/learn/regroup.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::learn {
namespace {

constexpr int sites = 40, pages_each = 9;
constexpr double sweep = 100;

std::string url_of(int page) {
  return fmt::format("https://www.site{}.{}/{}/{}", page / pages_each,
                     page / pages_each % 3 == 0 ? "org" : "com", page % 3, page);
}
int site_of(int page) {
  return page / pages_each;
}
bool spans_sites(std::string_view prefix) {
  return prefix.find("site") == std::string_view::npos;
}

struct Places_ final : Places {
  std::vector<std::string> urls;
  std::string_view url(PageSlot page) const override { return urls[index(page)]; }
};

// A policy that has learnt for a while: some sites change more than their estimates say.
struct Learner {
  Places_ places;
  std::unique_ptr<Policy> policy = make_policy({.policy = "htraa", .seed = 5});
  std::vector<NodeMemory> nodes;

  Learner() {
    for (int page = 0; page < sites * pages_each; ++page) places.urls.push_back(url_of(page));
    policy->set_places(&places);
    policy->set_sweep(sweep);
    for (int page = 0; page < sites * pages_each; ++page)
      policy->add(PageSlot{static_cast<std::uint32_t>(page)}, 1, std::nullopt);
    Rng rng(3);
    for (int round = 0; round < 200; ++round) {
      for (int page = 0; page < sites * pages_each; ++page) {
        const double rate = 0.0005 * (1 + site_of(page) % 7) * (1 + page % 4);
        policy->feed(PageSlot{static_cast<std::uint32_t>(page)},
                     {.changed = rng.chance(1 - std::exp(-rate * sweep)),
                      .elapsed = sweep,
                      .now = sweep * (round + 1)});
      }
    }
    nodes = policy->take_changed_nodes(1'000'000);
  }
  PageMemory memory(int page) const {
    return policy->memory(PageSlot{static_cast<std::uint32_t>(page)});
  }
  LearntList list() const {
    LearntList all(sweep);
    for (int page = 0; page < sites * pages_each; ++page) all.add(url_of(page), 1, memory(page));
    all.restore(nodes);
    return all;
  }
};

std::vector<double> shares_of(const LearntList& list) {
  std::vector<double> shares;
  for (std::size_t at = 0; at < list.size(); ++at) shares.push_back(list.share(at));
  return shares;
}

// A daemon's start: pages with their memory, then nodes.
std::vector<double> shares_after_a_start(const Learner& learner, const std::vector<int>& pages,
                                         const std::vector<NodeMemory>& nodes) {
  LearntList started(sweep);
  for (const int page : pages) started.add(url_of(page), 1, learner.memory(page));
  started.restore(nodes);
  return shares_of(started);
}

void expect_in_ratio(const std::vector<double>& a, const std::vector<double>& b, double within) {
  ASSERT_EQ(a.size(), b.size());
  const double all_a = std::accumulate(a.begin(), a.end(), 0.0);
  const double all_b = std::accumulate(b.begin(), b.end(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i] / all_a / (b[i] / all_b), 1, within) << i;
}

TEST(Regroup, halves_give_their_pages_the_shares_they_had) {
  const Learner learner;
  ASSERT_GT(std::ranges::count_if(learner.nodes,
                                  [](const NodeMemory& node) { return spans_sites(node.prefix); }),
            10);
  const LearntList all = learner.list();
  const std::vector<double> before = shares_of(all);
  double without_fitting = 0;
  for (const int half : {0, 1}) {
    std::vector<int> pages;
    std::vector<double> shares;
    for (int page = 0; page < sites * pages_each; ++page) {
      if (site_of(page) * 7 % 5 % 2 != half) continue;
      pages.push_back(page);
      shares.push_back(before[static_cast<std::size_t>(page)]);
    }
    std::vector<NodeMemory> nodes;
    for (const NodeMemory& node : learner.nodes)
      if (!spans_sites(node.prefix)) nodes.push_back(node);
    LearntList part(sweep);
    for (const int page : pages) part.add(url_of(page), 1, learner.memory(page));
    part.restore(nodes);
    const std::vector<double> loose = shares_of(part);
    const double loose_all = std::accumulate(loose.begin(), loose.end(), 0.0);
    const double all_of_it = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t i = 0; i < loose.size(); ++i)
      without_fitting =
          std::max(without_fitting, std::abs(loose[i] / loose_all / (shares[i] / all_of_it) - 1));
    for (const NodeMemory& node : part.fit(shares, &spans_sites)) nodes.push_back(node);
    expect_in_ratio(shares_after_a_start(learner, pages, nodes), shares, 1e-4);
  }
  EXPECT_GT(without_fitting, 1e-3) << "there was nothing to show";
}

TEST(Regroup, estimates_travel_with_their_pages) {
  const Learner learner;
  LearntList part(sweep);
  for (int page = 5; page < 50; ++page) part.add(url_of(page), 1, learner.memory(page));
  for (int page = 5; page < 50; ++page) {
    const PageMemory before = learner.memory(page),
                     after = part.memory(static_cast<std::size_t>(page - 5));
    EXPECT_EQ(before.slow_hits, after.slow_hits);
    EXPECT_EQ(before.slow_hit_time, after.slow_hit_time);
    EXPECT_EQ(before.slow_miss_time, after.slow_miss_time);
    EXPECT_EQ(before.fast_hits, after.fast_hits);
    EXPECT_EQ(before.position, after.position);
  }
}

TEST(Regroup, what_was_divided_and_put_together_has_the_shares_it_had) {
  const Learner learner;
  LearntList all = learner.list();
  const std::vector<double> before = shares_of(all);
  std::vector<NodeMemory> nodes;
  for (const NodeMemory& node : learner.nodes)
    if (!spans_sites(node.prefix)) nodes.push_back(node);
  LearntList again(sweep);
  std::vector<int> pages;
  for (int page = 0; page < sites * pages_each; ++page) {
    pages.push_back(page);
    again.add(url_of(page), 1, learner.memory(page));
  }
  again.restore(nodes);
  for (const NodeMemory& node : again.fit(before, &spans_sites)) nodes.push_back(node);
  expect_in_ratio(shares_after_a_start(learner, pages, nodes), before, 1e-4);
}

}  // namespace
}  // namespace pollux::learn
