#include "pollux/store/content.hpp"
#include "pollux/web/routes.hpp"
#include "store/content_codec.hpp"
#include "support/json_schema.hpp"
#include "unit/web/control_fixture.hpp"
#include "web/operations.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace pollux::web {
namespace {

class ListRoutes : public ControlTest {
 protected:
  store::PageRow row(const std::string& path) {
    return store::Reader::open(database_).value()->page("https://example.org/" + path).value();
  }
  // Shares 1/15, 2/15 … in the order of the paths, one poll each.
  void poll_all() {
    store::Batch batch;
    int number = 0;
    for (const char* path : {"a", "b", "c", "news/one", "news/two"}) {
      const store::PageRow page = row(path);
      ++number;
      store::PollRecord poll{.page = page.id, .progress = page.progress, .change = {}};
      poll.progress.share = number / 15.0;
      poll.progress.polls = 10 - number;
      poll.progress.change_rate_per_day = number;
      poll.progress.last_polled_at = clock_.wall();
      poll.progress.last_confirmed_at = clock_.wall();
      batch.polls.push_back(std::move(poll));
    }
    batch.meta = {{"budget", "2"}, {"poll_rate", "2"}, {"policy", "htraa"}};
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
  void keep(const std::string& text, int hour) {
    std::string note;
    auto content = store::Content::open(database_, {}, note);
    ASSERT_TRUE(content.ok());
    const WallTime at{std::chrono::hours(490'000 + hour)};
    ASSERT_TRUE((*content)
                    ->put({{"https://example.org/a", store::sha256_of(text), "text", text, at}})
                    .ok());
  }
  std::vector<std::string> paths(const std::string& query) {
    const Answer answer = get("/pages" + query);
    EXPECT_EQ(answer.status, 200u) << query << answer.error();
    std::vector<std::string> all;
    if (!answer.body.contains("pages")) return all;
    for (const auto& page : answer.body.at("pages").as_array())
      all.push_back(std::string(page.at("url").as_string()).substr(20));
    return all;
  }
};
using Paths = std::vector<std::string>;

TEST_F(ListRoutes, pages_are_sorted_by_a_column_and_go_on_behind_a_cursor) {
  poll_all();
  EXPECT_EQ(paths("?sort=share&order=desc"), (Paths{"news/two", "news/one", "c", "b", "a"}));
  EXPECT_EQ(paths("?sort=polls"), (Paths{"news/two", "news/one", "c", "b", "a"}));
  const Answer first = get("/pages?sort=rate&order=desc&limit=2");
  EXPECT_EQ(first.body.at("total").to_number<int>(), 5);
  const std::string next = first.text("next");
  EXPECT_EQ(paths("?sort=rate&order=desc&limit=2&after=" + next), (Paths{"c", "b"}));
  EXPECT_EQ(paths("?order=desc&limit=2&after=https://example.org/c"), (Paths{"b", "a"}));
  EXPECT_EQ(get("/pages?sort=weight").status, 400u);
  EXPECT_EQ(get("/pages?sort=rate&after=nonsense").status, 400u);
}

TEST_F(ListRoutes, a_page_that_was_polled_since_is_sorted_by_what_it_is_now) {
  EXPECT_EQ(paths("?sort=share&order=desc&limit=1"), (Paths{"a"}));
  poll_all();
  // Refreshed as often as it may be: never later than a small list takes twenty times.
  Paths now;
  for (int i = 0; i < 1000 && now != Paths{"news/two"}; ++i)
    now = paths("?sort=share&order=desc&limit=1");
  EXPECT_EQ(now, (Paths{"news/two"}));
}

TEST_F(ListRoutes, what_matches_is_counted) {
  EXPECT_EQ(get("/pages?q=NEWS&limit=1").body.at("total").to_number<int>(), 2);
  EXPECT_EQ(get("/pages?limit=1").body.at("total").to_number<int>(), 5);
  EXPECT_EQ(paths("?host=example.org:443&tag=news"), (Paths{"news/one", "news/two"}));
}

TEST_F(ListRoutes, a_diff_has_its_words_and_versions_their_text) {
  EXPECT_TRUE(get("/versions?url=https://example.org/a").body.at("versions").as_array().empty());
  keep("one two\n", 1);
  keep("one <b>three</b>\n", 2);
  const Answer diff = get("/diff?url=https://example.org/a");
  ASSERT_EQ(diff.status, 200u) << diff.error();
  const std::string lines = boost::json::serialize(diff.body.at("lines"));
  EXPECT_NE(lines.find("\"remove\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("three"), std::string::npos) << lines;
  EXPECT_EQ(get("/versions?url=https://example.org/a").body.at("versions").as_array().size(), 2u);
  EXPECT_EQ(get("/versions/one?url=https://example.org/a&at=1").text("text"), "one two\n");
  EXPECT_EQ(get("/versions/one?url=https://example.org/a").text("text"), "one <b>three</b>\n");
  EXPECT_EQ(get("/diff?url=https://example.org/a&to=1").status, 404u);
  EXPECT_EQ(get("/diff?change=99").status, 404u);
  EXPECT_EQ(get("/diff").status, 400u);
}

TEST_F(ListRoutes, a_diff_of_one_long_line_is_cut) {
  keep(std::string(3u << 20, 'a') + " end\n", 1);
  keep(std::string(3u << 20, 'b') + " end\n", 2);
  const Answer diff = get("/diff?url=https://example.org/a");
  ASSERT_EQ(diff.status, 200u) << diff.error();
  EXPECT_TRUE(diff.body.at("cut").as_bool());
  const std::size_t size = boost::json::serialize(diff.body.at("lines")).size();
  EXPECT_GT(size, 500u << 10);
  EXPECT_LT(size, 600u << 10);
}

TEST_F(ListRoutes, the_diff_of_a_change_is_that_of_its_moment_though_the_page_went_back) {
  for (int hour = 1; hour <= 4; ++hour) keep(hour % 2 == 1 ? "open\n" : "shut\n", hour);
  const store::PageRow page = row("a");
  store::PollRecord poll{.page = page.id, .progress = page.progress, .change = {}};
  poll.change = store::ChangeRow{.page = page.id,
                                 .found_at = WallTime(std::chrono::hours(490'003)),
                                 .previous_poll_at = WallTime(std::chrono::hours(490'002)),
                                 .old_hash = "shut",
                                 .new_hash = "open",
                                 .url = page.spec.url,
                                 .summary = "open"};
  store::Batch batch;
  batch.polls.push_back(std::move(poll));
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Answer diff = get("/diff?change=1");
  ASSERT_EQ(diff.status, 200u) << diff.error();
  EXPECT_EQ(diff.body.at("to").at("number").to_number<int>(), 3);
}

TEST_F(ListRoutes, the_cells_of_a_tree_add_up) {
  poll_all();
  for (const std::string query : {"", "?depth=2", "?by=tag", "?prefix=https://example.org/"}) {
    const Answer tree = get("/tree" + query);
    ASSERT_EQ(tree.status, 200u) << tree.error();
    double sum = 0;
    for (const auto& cell : tree.body.at("cells").as_array())
      sum += cell.at("share").to_number<double>();
    EXPECT_NEAR(sum, 1, 1e-6) << query;
    EXPECT_NEAR(tree.body.at("total_share").to_number<double>(), 1, 1e-6) << query;
  }
  const Answer below = get("/tree?prefix=https://example.org/");
  const auto& first = below.body.at("cells").as_array().front().as_object();
  EXPECT_EQ(first.at("prefix").as_string(), "https://example.org/news/");
  EXPECT_EQ(first.at("pages").to_number<int>(), 2);
}

TEST_F(ListRoutes, without_rates_nobody_can_say_what_a_budget_would_bring) {
  EXPECT_EQ(get("/what-if").status, 409u);
}

TEST_F(ListRoutes, more_budget_brings_more) {
  poll_all();
  const Answer answer = get("/what-if?budget=4");
  ASSERT_EQ(answer.status, 200u) << answer.error();
  EXPECT_GT(answer.body.at("changes_per_day").to_number<double>(),
            answer.body.at("now").at("changes_per_day").to_number<double>());
  EXPECT_GE(answer.body.at("curve").as_array().size(), 9u);
  EXPECT_EQ(get("/what-if?budget=-1").status, 400u);
  EXPECT_EQ(get("/what-if?importance=news").status, 400u);
  EXPECT_EQ(get("/what-if?importance=news:2").status, 200u);
}

TEST_F(ListRoutes, overview_budget_policy_hosts_and_sparks) {
  poll_all();
  const Answer overview = get("/overview?hours=3");
  EXPECT_EQ(overview.body.at("hours").as_array().size(), 3u);
  EXPECT_EQ(overview.body.at("pages").to_number<int>(), 5);
  EXPECT_GT(overview.body.at("uniform_per_hour").to_number<double>(), 0);
  EXPECT_EQ(get("/budget").body.at("budget").to_number<double>(), 2);
  EXPECT_EQ(get("/policy").text("policy"), "htraa");
  const Answer hosts = get("/hosts");
  ASSERT_EQ(hosts.body.at("hosts").as_array().size(), 1u);
  EXPECT_EQ(hosts.body.at("hosts").at(0).at("pages").to_number<int>(), 5);
  EXPECT_EQ(get("/hosts?q=EXAMPLE").body.at("hosts").as_array().size(), 1u);
  EXPECT_TRUE(get("/hosts?q=other").body.at("hosts").as_array().empty());
  const std::string id = std::to_string(value(row("a").id));
  EXPECT_EQ(get("/sparks?ids=" + id).body.at("sparks").at(id).as_array().size(), 14u);
  EXPECT_EQ(get("/sparks?ids=x").status, 400u);
  EXPECT_EQ(get("/access-points").status, 200u);
}

TEST_F(ListRoutes, shares_are_noted_by_the_store_and_told) {
  poll_all();
  ASSERT_TRUE(store_->tidy({}, clock_.wall()).ok());
  const Answer times = get("/shares");
  ASSERT_EQ(times.body.at("times").as_array().size(), 1u);
  const std::string at(times.body.at("times").at(0).as_string());
  const Answer shares = get("/shares?at=" + at);
  ASSERT_EQ(shares.status, 200u) << shares.error();
  ASSERT_EQ(shares.body.at("shares").as_array().size(), 2u);
  EXPECT_EQ(shares.body.at("shares").at(0).at("prefix").as_string(), "https://example.org/");
  EXPECT_NEAR(shares.body.at("shares").at(0).at("share").to_number<double>(), 1, 1e-6);
  EXPECT_EQ(shares.body.at("shares").at(1).at("prefix").as_string(), "https://example.org/news/");
  ASSERT_TRUE(store_->tidy({}, clock_.wall() + std::chrono::minutes(1)).ok());
  EXPECT_EQ(get("/shares").body.at("times").as_array().size(), 1u) << "not before 10 minutes";
  ASSERT_TRUE(store_->tidy({}, clock_.wall() + std::chrono::hours(24 * 31)).ok());
  EXPECT_EQ(get("/shares").body.at("times").as_array().size(), 1u) << "the old ones go";
}

TEST_F(ListRoutes, words_that_are_noise_become_a_rule) {
  keep("News\nUpdated 12:30 (3 comments)\n", 1);
  const std::string body = R"json({"url": "https://example.org/a", "text": "(3 comments)", )json";
  const Answer preview = post("/masks", body + "\"dry_run\": true}");
  ASSERT_EQ(preview.status, 200u) << preview.error();
  EXPECT_EQ(preview.body.at("rule").at("ignore").as_string(), "\\([0-9]+ comments\\)");
  ASSERT_EQ(preview.body.at("hides").as_array().size(), 1u);
  EXPECT_EQ(last(), "set https://example.org/a dry");
  EXPECT_EQ(post("/masks", body + "\"dry_run\": false}").status, 200u);
  EXPECT_EQ(steering_.last_set().more_ignore.value_or(""), "\\([0-9]+ comments\\)");
  EXPECT_EQ(post("/masks", R"({"url": "https://example.org/a", "text": " "})").status, 400u);
}

}  // namespace
}  // namespace pollux::web
