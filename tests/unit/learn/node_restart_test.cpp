// What was learnt at nodes outlives a restart, in a list that is the same, grew, shrank or stands
// in another order. Rows are kept as the table learner_node keeps them.
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

// The table learner_node: a row per name.
class NodeTable {
 public:
  void save(Policy& policy) {
    for (const NodeMemory& node : policy.take_changed_nodes(1'000'000)) {
      const auto name = std::tuple(node.first_url, node.prefix, node.pages);
      if (node.gone) {
        rows_.erase(name);
      } else {
        rows_[name] = node;
      }
    }
  }
  std::vector<NodeMemory> rows() const {
    std::vector<NodeMemory> all;
    for (const auto& [name, node] : rows_) all.push_back(node);
    return all;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t>, NodeMemory> rows_;
};

// One run of the daemon over a list of URLs, in the order of their slots.
class OneRun : public Places {
 public:
  OneRun(std::vector<std::string> urls, const NodeTable& table) : urls_(std::move(urls)) {
    policy_->set_places(this);
    for (std::uint32_t i = 0; i < urls_.size(); ++i) policy_->add(PageSlot{i}, 1, std::nullopt);
    policy_->set_sweep(static_cast<double>(urls_.size()));
    policy_->restore_nodes(table.rows());
  }
  std::string_view url(PageSlot page) const override { return urls_[index(page)]; }
  Policy& policy() { return *policy_; }
  // A quiet sweep, and then the site is deployed anew as often as told; all looks are made.
  void redeploy(const std::string& site, int times) {
    for (int i = 0; i < times; ++i) {
      for (std::uint32_t p = 0; p < urls_.size(); ++p) feed(p, false, std::nullopt);
      const auto first = std::find_if(urls_.begin(), urls_.end(),
                                      [&](const auto& url) { return url.starts_with(site); });
      // It has just happened, after everybody was polled.
      feed(static_cast<std::uint32_t>(first - urls_.begin()), true, std::nullopt, 0.5);
      for (auto looks = policy_->take_looks(); !looks.empty(); looks = policy_->take_looks()) {
        for (const Look& look : looks) {
          if (!policy_->still_wanted(look)) continue;
          feed(index(look.page), urls_[index(look.page)].starts_with(site), look);
        }
      }
    }
  }
  // Of the largest node that stands for it.
  NodeMemory node(const std::string& prefix) const {
    NodeMemory largest;
    for (std::uint32_t p = 0; p < urls_.size(); ++p) {
      for (const NodeMemory& node : policy_->nodes_of(PageSlot{p})) {
        if (node.prefix == prefix && node.pages > largest.pages) largest = node;
      }
    }
    return largest;
  }

 private:
  void feed(std::uint32_t page, bool changed, const std::optional<Look>& look,
            double elapsed = 80) {
    now_ += look ? 0.01 : 1;
    policy_->feed(PageSlot{page},
                  {.changed = changed, .elapsed = elapsed, .now = now_, .look = look});
  }
  std::vector<std::string> urls_;
  std::unique_ptr<Policy> policy_ = make_policy({.policy = "htraa", .seed = 3});
  double now_ = 0;
};

std::vector<std::string> two_sites() {
  std::vector<std::string> urls;
  for (int i = 0; i < 40; ++i) {
    urls.push_back("https://busy.test/docs/part" + std::to_string(i / 10) + "/" +
                   std::to_string(i));
    urls.push_back("https://calm.test/" + std::to_string(i));
  }
  return urls;
}
constexpr const char* docs = "https://busy.test/docs/";

class NodeRestart : public testing::Test {
 protected:
  NodeRestart() {
    OneRun first(two_sites(), table_);
    first.redeploy("https://busy.test/", 60);
    before_ = first.node(docs);
    table_.save(first.policy());
  }
  // As before, but for the size of a row's numbers.
  void expect_as_before(const NodeMemory& node, double within = 0.02) {
    EXPECT_NEAR(node.tried, before_.tried, within * before_.tried);
    EXPECT_NEAR(node.found, before_.found, within * before_.found);
    EXPECT_NEAR(node.affinity, before_.affinity, 0.1);
  }
  NodeTable table_;
  NodeMemory before_;
};

TEST_F(NodeRestart, something_was_learnt) {
  EXPECT_EQ(before_.pages, 40U);
  EXPECT_GT(before_.tried, 5);
  EXPECT_GT(before_.affinity, 0.5);
  EXPECT_LE(before_.affinity, 1) << "it is a chance";
}

TEST_F(NodeRestart, the_same_list_knows_all_of_it) {
  OneRun again(two_sites(), table_);
  expect_as_before(again.node(docs));
}

TEST_F(NodeRestart, so_does_one_in_another_order) {
  std::vector<std::string> urls = two_sites();
  std::reverse(urls.begin(), urls.end());
  std::rotate(urls.begin(), urls.begin() + 17, urls.end());
  expect_as_before(OneRun(urls, table_).node(docs));
}

TEST_F(NodeRestart, one_that_grew) {
  std::vector<std::string> urls = two_sites();
  for (int i = 40; i < 52; ++i) urls.push_back("https://busy.test/docs/part9/" + std::to_string(i));
  for (int i = 0; i < 50; ++i) urls.push_back("https://new.test/" + std::to_string(i));
  OneRun grown(urls, table_);
  expect_as_before(grown.node(docs));
  EXPECT_EQ(grown.node(docs).pages, 52U);
  // And its row has the new name, alone.
  table_.save(grown.policy());
  const auto rows = table_.rows();
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const NodeMemory& row) {
                            return row.prefix == docs && (row.pages == 40 || row.pages == 52);
                          }),
            1);
}

TEST_F(NodeRestart, one_that_shrank) {
  std::vector<std::string> urls = two_sites();
  std::erase_if(urls,
                [](const std::string& url) { return url.find("/part3/") != std::string::npos; });
  OneRun shrunk(urls, table_);
  // The run of what is left may have had a row of its own.
  EXPECT_EQ(shrunk.node(docs).pages, 30U);
  EXPECT_GT(shrunk.node(docs).tried, 5);
  EXPECT_GT(shrunk.node(docs).affinity, 0.5);
}

TEST_F(NodeRestart, what_was_learnt_is_followed_at_once) {
  OneRun again(two_sites(), table_);
  again.redeploy("https://busy.test/", 1);
  const NodeMemory node = again.node(docs);
  EXPECT_GT(node.tried, before_.tried * 0.9) << "nothing starts anew";
}

}  // namespace
}  // namespace pollux::learn
