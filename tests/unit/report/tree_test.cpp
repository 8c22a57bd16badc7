#include "pollux/report/tree.hpp"

#include "unit/report/facts.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

store::PageRow listed(const std::string& url, double share, std::optional<double> rate) {
  store::PageRow page = busy_page();
  page.spec.url = url;
  page.progress.share = share;
  page.progress.change_rate_per_day = rate;
  return page;
}

std::vector<store::PageRow> listed_pages() {
  return {listed("https://example.org/", 0.1, 2), listed("https://example.org/news/1", 0.2, 3),
          listed("https://example.org/news/2?a=/b/", 0.2, std::nullopt),
          listed("https://example.org/shop/x/1", 0.3, 1),
          listed("http://other.test:8080/a", 0.2, 0.5)};
}

// The tree has runs of pages, too: of those with one prefix the largest stands for it.
std::vector<store::NodeRow> learnt_nodes() {
  return {{.value = 1.25,
           .first_url = "https://example.org/",
           .prefix = "https://example.org/",
           .pages = 4,
           .share = 0.8,
           .affinity = 0.4,
           .tried = 10,
           .found = 4},
          {.value = 0.9,
           .first_url = "https://example.org/news/1",
           .prefix = "https://example.org/news/",
           .pages = 2,
           .share = 0.4,
           .affinity = 0.75,
           .tried = 20,
           .found = 15},
          {.value = 7,
           .first_url = "https://example.org/",
           .prefix = "https://example.org/",
           .pages = 3,
           .share = 0.5,
           .affinity = 0.1,
           .tried = 1,
           .found = 0}};
}

std::vector<std::string> prefixes(const std::vector<TreePart>& parts) {
  std::vector<std::string> names;
  for (const TreePart& part : parts) names.push_back(part.prefix);
  return names;
}

TEST(Tree, hosts_with_their_directories_and_what_was_learnt_there) {
  const std::vector<TreePart> parts = tree_parts(listed_pages(), learnt_nodes(), "");
  ASSERT_EQ(prefixes(parts),
            (std::vector<std::string>{"http://other.test:8080/", "https://example.org/",
                                      "https://example.org/news/", "https://example.org/shop/"}));
  const TreePart& host = parts[1];
  EXPECT_EQ(host.depth, 0);
  EXPECT_EQ(host.pages, 4);
  EXPECT_NEAR(host.share, 0.8, 1e-12);
  EXPECT_NEAR(host.change_rate_per_day, 6, 1e-12) << "a rate that nobody knows counts for nothing";
  EXPECT_EQ(host.affinity, 0.4) << "of the node with the most pages";
  EXPECT_EQ(host.correction, 1.25);
  const TreePart& news = parts[2];
  EXPECT_EQ(news.depth, 1);
  EXPECT_EQ(news.pages, 2) << "slashes of a query are no directories";
  EXPECT_EQ(news.tried, 20);
  EXPECT_EQ(news.found, 15);
  EXPECT_FALSE(parts[0].affinity) << "nothing was learnt there";
  EXPECT_EQ(parts[3].pages, 1);
}

TEST(Tree, a_prefix_chooses_a_host_or_a_directory_with_or_without_its_scheme) {
  for (const char* prefix : {"https://example.org/", "example.org", "example.org/"}) {
    EXPECT_EQ(prefixes(tree_parts(listed_pages(), {}, prefix)),
              (std::vector<std::string>{"https://example.org/", "https://example.org/news/",
                                        "https://example.org/shop/"}))
        << prefix;
  }
  EXPECT_EQ(prefixes(tree_parts(listed_pages(), {}, "https://example.org/shop/")),
            (std::vector<std::string>{"https://example.org/shop/", "https://example.org/shop/x/"}));
  EXPECT_EQ(prefixes(tree_parts(listed_pages(), {}, "other.test:8080")),
            std::vector<std::string>{"http://other.test:8080/"});
  EXPECT_TRUE(tree_parts(listed_pages(), {}, "nobody.test").empty());
}

TEST(Tree, as_a_table_directories_are_indented_and_what_is_not_known_is_a_dash) {
  const Table table = tree_table(tree_parts(listed_pages(), learnt_nodes(), ""));
  const auto row = [&](std::size_t at) {
    std::string text;
    for (const Cell& cell : table.rows[at]) text += cell.text + "|";
    return text;
  };
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(row(0), "http://other.test:8080/|1|20.00 %|0.5|-|-|-|");
  EXPECT_EQ(row(1), "https://example.org/|4|80.00 %|6|0.40|10.0|1.250|");
  EXPECT_EQ(row(2), "  https://example.org/news/|2|40.00 %|3|0.75|20.0|0.900|");
}

TEST(Tree, as_json_with_the_names_of_the_table_in_the_database) {
  const boost::json::array rows =
      tree_json(tree_parts(listed_pages(), learnt_nodes(), "example.org"));
  ASSERT_EQ(rows.size(), 3U);
  const boost::json::object& news = rows[1].as_object();
  EXPECT_EQ(news.at("prefix"), "https://example.org/news/");
  EXPECT_EQ(news.at("depth"), 1);
  EXPECT_EQ(news.at("pages"), 2);
  EXPECT_DOUBLE_EQ(news.at("share").as_double(), 0.4);
  EXPECT_DOUBLE_EQ(news.at("change_rate_per_day").as_double(), 3);
  EXPECT_DOUBLE_EQ(news.at("affinity").as_double(), 0.75);
  EXPECT_DOUBLE_EQ(news.at("tried").as_double(), 20);
  EXPECT_DOUBLE_EQ(news.at("found").as_double(), 15);
  EXPECT_DOUBLE_EQ(news.at("correction").as_double(), 0.9);
  EXPECT_TRUE(rows[2].at("affinity").is_null());
}

TEST(Tree, above_a_page_are_its_host_and_its_directories_from_the_host_down) {
  const auto above = nodes_above("https://example.org/news/1", learnt_nodes());
  ASSERT_EQ(above.size(), 2U);
  EXPECT_EQ(above[0].prefix, "https://example.org/");
  EXPECT_EQ(above[0].pages, 4);
  EXPECT_EQ(above[1].prefix, "https://example.org/news/");
  EXPECT_TRUE(nodes_above("https://example.com/", learnt_nodes()).empty());
}

}  // namespace
}  // namespace pollux::report
