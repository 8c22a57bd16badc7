// Several brains under one budget, on a virtual clock.
#include "pollux/lab/brains.hpp"

#include "pollux/lab/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

constexpr double days = 60;

BrainList small_list() {
  return synthetic_list(1000, days, 20, 3);
}

BrainsResult run(Split split, std::size_t brains, Divided divided = Divided::learnt,
                 std::uint64_t seed = 1) {
  const BrainList list = small_list();
  return run_brains(list, split_list(list, brains, split), days,
                    {.rate = 0.5, .seed = seed, .divided = divided});
}

TEST(BrainLists, every_page_is_one_brains_whatever_the_split) {
  const BrainList list = small_list();
  for (const Split split : {Split::hash, Split::lively, Split::sorted}) {
    std::set<std::uint32_t> seen;
    std::size_t all = 0;
    for (const auto& pages : split_list(list, 4, split)) {
      EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end()));
      seen.insert(pages.begin(), pages.end());
      all += pages.size();
    }
    EXPECT_EQ(all, 1000u);
    EXPECT_EQ(seen.size(), 1000u);
  }
}

TEST(BrainLists, a_domain_is_never_cut_apart_by_its_hash) {
  const BrainList list = small_list();
  std::vector<std::set<std::size_t>> brains_of(list.domains.size());
  const auto split = split_list(list, 4, Split::hash);
  for (std::size_t brain = 0; brain < split.size(); ++brain) {
    for (const std::uint32_t page : split[brain]) brains_of[list.domain[page]].insert(brain);
  }
  for (const auto& brains : brains_of) EXPECT_EQ(brains.size(), 1u);
}

TEST(BrainLists, copies_of_a_trace_have_its_changes_at_other_times) {
  Trace trace;
  trace.end = 10 * 86400;
  trace.changes = {{-5, 86400, 2 * 86400}, {9 * 86400, 9.5 * 86400}};  // the second: born later
  const BrainList list = list_of_traces(std::vector{trace}, 10, 2, 50);
  ASSERT_EQ(list.trace.changes.size(), 2u);
  EXPECT_EQ(list.domains.size(), 2u);
  EXPECT_EQ(list.trace.changes[0], (std::vector<double>{-1, 86400, 2 * 86400}));
  EXPECT_EQ(list.trace.changes[1], (std::vector<double>{-1, 6 * 86400, 7 * 86400}));
}

TEST(LabBrains, together_spend_the_budget_of_one) {
  for (const std::size_t brains : {1, 4}) {
    const BrainsResult result = run(Split::lively, brains);
    EXPECT_LE(result.polls, result.allowed + brains);
    EXPECT_GE(result.polls, result.allowed * 99 / 100);
    EXPECT_NEAR(result.largest_sum, 1, 1e-6);
  }
}

TEST(LabBrains, one_seed_gives_one_result) {
  const BrainsResult first = run(Split::hash, 4), again = run(Split::hash, 4);
  EXPECT_EQ(first.found, again.found);
  EXPECT_EQ(first.parts, again.parts);
  EXPECT_NE(run(Split::hash, 4, Divided::learnt, 2).parts, first.parts);
}

TEST(LabBrains, find_what_one_finds_however_unequal_they_are) {
  const auto one = static_cast<double>(run(Split::hash, 1).found);
  for (const Split split : {Split::hash, Split::lively, Split::sorted})
    EXPECT_GE(static_cast<double>(run(split, 4).found), 0.98 * one) << static_cast<int>(split);
}

TEST(LabBrains, find_much_less_where_the_budget_is_never_moved) {
  const auto learnt = static_cast<double>(run(Split::lively, 4).found);
  EXPECT_LT(static_cast<double>(run(Split::lively, 4, Divided::evenly).found), 0.9 * learnt);
  EXPECT_LT(static_cast<double>(run(Split::lively, 4, Divided::by_pages).found), 0.9 * learnt);
}

TEST(CostModel, multiplies_what_was_measured) {
  UnitCosts unit;
  unit.memory_bytes_per_page = 600;
  unit.row_bytes = 5000;
  unit.ask_bytes = 300;
  unit.grant_bytes = 100;
  const auto lines = cost_of({.brains = 20, .pages = 1e8, .rate = 2000}, unit);
  const auto line = [&](const std::string& what) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const CostLine& one) { return one.what == what; });
    EXPECT_NE(found, lines.end()) << what;
    return found == lines.end() ? CostLine{} : *found;
  };
  EXPECT_NEAR(line("memory").per_brain, 3, 1e-9);
  EXPECT_NEAR(line("memory").all, 60, 1e-9);
  EXPECT_NEAR(line("disk writes").per_brain, 0.5, 1e-9);
  EXPECT_NEAR(line("messages between brains").all, 40, 1e-9);
  EXPECT_NEAR(line("heard by each brain").per_brain, 21, 1e-9);
  EXPECT_NEAR(line("time to poll every page once").per_brain, 1e8 / 2000 / 3600, 1e-9);
}

}  // namespace
}  // namespace pollux::lab
