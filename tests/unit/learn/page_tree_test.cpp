#include "learn/page_tree.hpp"

#include "learn/place.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

class Urls final : public Places {
 public:
  std::string_view url(PageSlot page) const override { return urls.at(index(page)); }
  std::map<std::uint32_t, std::string> urls;
};

void no_words(std::uint32_t, NodeMemory&) {}

float half(float, float left, float right) {
  return left / (left + right);
}

struct Fixture {
  Fixture() { tree.set_places(&urls); }
  void add(std::uint32_t slot, std::string url) {
    urls.urls[slot] = std::move(url);
    tree.add(slot, 1);
  }
  double all_shares() {
    double sum = 0;
    for (const auto& [slot, url] : urls.urls) sum += tree.share(slot, half);
    return sum;
  }
  std::uint32_t deepest() {
    std::uint32_t most = 0;
    for (const auto& [slot, url] : urls.urls) most = std::max(most, tree.depth(slot));
    return most;
  }
  Urls urls;
  PageTree tree;
};

TEST(Place, hosts_stand_by_domain_and_pages_by_directory) {
  PlaceList list;
  const char* const in_order[] = {"https://example.com/",    "https://example.com/a",
                                  "https://example.com/a/b", "https://example.com/a/c?x=1",
                                  "https://example.com/aa",  "https://www.example.com/",
                                  "https://example.org/",    "http://127.0.0.1:8080/x"};
  const std::uint32_t order[] = {7, 0, 1, 2, 3, 4, 5, 6};  // numbers stand before letters
  for (std::uint32_t i = 8; i-- > 0;) list.add(in_order[i], i);
  list.sort();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(list.name(i), order[i]) << i;
}

TEST(Place, what_pages_have_in_common_is_said_in_plain_words) {
  EXPECT_EQ(common_prefix("https://a.example.org/x", "https://b.example.org/"), ".example.org");
  EXPECT_EQ(common_prefix("https://a.org/news/x", "https://a.org/news/y"), "https://a.org/news/");
  EXPECT_EQ(common_prefix("https://a.org/news", "https://a.org/new"), "https://a.org/");
  EXPECT_EQ(common_prefix("https://a.org/", "https://b.com/"), "");
  EXPECT_EQ(common_prefix("https://notexample.org/", "https://example.org/"), ".org");
}

TEST(PageTree, a_site_is_one_node_wherever_its_pages_come_in_the_list) {
  Fixture f;
  for (std::uint32_t i = 0; i < 60; ++i)
    f.add(i, "https://site" + std::to_string(i % 3) + ".org/page" + std::to_string(i));
  const auto path = f.tree.path(4, no_words);
  bool found = false;
  for (const NodeMemory& node : path) {
    if (node.prefix != "https://site1.org/" || node.pages != 20) continue;
    found = true;
  }
  EXPECT_TRUE(found);
}

TEST(PageTree, no_page_is_deeper_than_the_bound_however_nasty_the_urls_are) {
  Fixture f;
  std::string nested = "https://a.org/";
  for (std::uint32_t i = 0; i < 700; ++i) f.add(i, nested += "d/");
  EXPECT_LE(f.deepest(), PageTree::most_depth(700));
  EXPECT_NEAR(f.all_shares(), 1, 1e-4);
}

TEST(PageTree, pages_that_come_one_by_one_keep_the_bound_and_the_order) {
  Fixture f;
  f.add(0, "https://z.org/");
  EXPECT_EQ(f.tree.depth(0), 0U);  // built: what follows is inserted
  std::string nested = "https://a.org/";
  for (std::uint32_t i = 1; i < 600; ++i) {
    f.add(i, i % 2 == 0 ? nested += "d/" : "https://b.org/" + std::to_string(1000000 + i));
    ASSERT_LE(f.tree.depth(i), PageTree::most_depth(i + 1)) << i;
  }
  EXPECT_LE(f.deepest(), PageTree::most_depth(600));
  EXPECT_NEAR(f.all_shares(), 1, 1e-4);
}

TEST(PageTree, a_shrinking_list_keeps_the_bound_and_all_shares) {
  Fixture f;
  for (std::uint32_t i = 0; i < 3000; ++i)
    f.add(i, "https://h" + std::to_string(i % 50) + ".org/" + std::string(1 + i % 40, 'x') +
                 std::to_string(i));
  EXPECT_NEAR(f.all_shares(), 1, 1e-3);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    if (i % 100 == 7) continue;
    f.tree.remove(i);
    f.urls.urls.erase(i);
  }
  EXPECT_EQ(f.tree.pages(), 30U);
  EXPECT_LE(f.deepest(), PageTree::most_depth(30));
  EXPECT_NEAR(f.all_shares(), 1, 1e-4);
}

TEST(PageTree, what_was_learnt_is_found_again_in_an_edited_list) {
  Fixture f;
  for (std::uint32_t i = 0; i < 40; ++i)
    f.add(i, "https://s" + std::to_string(i / 20) + ".org/" + std::to_string(100 + i));
  // Looks across the node of a whole site.
  const std::uint32_t site = f.tree.meeting(0, 19);
  ASSERT_EQ(f.tree.node(site).pages, 20U);
  f.tree.set_looks(site, 4, 3);
  const auto stored = f.tree.take_changed(100, [&](std::uint32_t index, NodeMemory& node) {
    node.value = static_cast<double>(f.tree.value(index));
    node.tried = f.tree.node(index).tried.value();
    node.found = f.tree.node(index).found.value();
  });
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].prefix, "https://s0.org/");
  EXPECT_EQ(stored[0].first_url, "https://s0.org/100");

  Fixture edited;  // another order, a page more and a page less
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (i == 5) continue;
    edited.add(39 - i, f.urls.urls.at(i));
  }
  edited.add(90, "https://s0.org/1055");
  edited.add(91, "https://s0.org/1056");
  edited.tree.restore(stored);
  const std::uint32_t same = edited.tree.meeting(39, 20);
  EXPECT_EQ(edited.tree.node(same).pages, 21U);
  EXPECT_DOUBLE_EQ(edited.tree.node(same).tried.value(), 4);
  EXPECT_DOUBLE_EQ(edited.tree.node(same).found.value(), 3);
}

TEST(PageTree, a_node_whose_pages_change_leaves_no_row_behind) {
  Fixture f;
  for (std::uint32_t i = 0; i < 8; ++i) f.add(i, "https://a.org/" + std::to_string(i));
  f.tree.set_looks(f.tree.meeting(0, 7), 2, 0);
  ASSERT_EQ(f.tree.take_changed(100, no_words).size(), 1U);
  f.add(8, "https://a.org/8");
  const auto rows = f.tree.take_changed(100, no_words);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].gone);
  EXPECT_EQ(rows[0].pages, 8U);
  EXPECT_EQ(rows[1].pages, 9U);
}

}  // namespace
}  // namespace pollux::learn
