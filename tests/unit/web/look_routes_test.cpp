#include "unit/web/control_fixture.hpp"

#include <filesystem>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

class LookRoutes : public ControlTest {
 protected:
  std::vector<std::string> urls(const std::string& query) {
    const Answer answer = get("/pages" + query);
    EXPECT_EQ(answer.status, 200u) << query << answer.error();
    std::vector<std::string> all;
    if (!answer.body.contains("pages")) return all;
    for (const auto& page : answer.body.at("pages").as_array()) {
      const std::string url(page.at("url").as_string());
      all.push_back(url.substr(url.find('/', 8) + 1));
    }
    return all;
  }
  void find_changes(int count) {
    const auto page = store::Reader::open(database_).value()->page("https://example.org/a");
    ASSERT_TRUE(page.ok());
    store::Batch batch;
    for (int i = 0; i < count; ++i) {
      store::PollRecord poll{.page = page->id, .progress = page->progress, .change = {}};
      poll.progress.polls = i + 1;
      poll.change = store::ChangeRow{.page = page->id,
                                     .found_at = WallTime(std::chrono::hours(490'001 + i)),
                                     .previous_poll_at = WallTime(std::chrono::hours(490'000 + i)),
                                     .old_hash = "old",
                                     .new_hash = "new",
                                     .url = page->spec.url,
                                     .summary = "<script>alert(1)</script>\n\x1b[31m"};
      batch.polls.push_back(std::move(poll));
    }
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
};

using Urls = std::vector<std::string>;

TEST_F(LookRoutes, status_says_how_the_daemon_fares) {
  const Answer answer = get("/status");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.text("database"), database_);
}

TEST_F(LookRoutes, pages_are_listed_by_url_and_continue_behind_one) {
  EXPECT_EQ(urls(""), (Urls{"a", "b", "c", "news/one", "news/two"}));
  EXPECT_EQ(urls("?limit=2"), (Urls{"a", "b"}));
  EXPECT_EQ(get("/pages?limit=2").text("next"), "https://example.org/b");
  EXPECT_EQ(urls("?limit=2&after=https%3A%2F%2Fexample.org%2Fb"), (Urls{"c", "news/one"}));
  EXPECT_TRUE(get("/pages").body.at("next").is_null());
}

TEST_F(LookRoutes, pages_are_found_by_part_tag_glob_and_health) {
  EXPECT_EQ(urls("?q=NEWS"), (Urls{"news/one", "news/two"}));
  EXPECT_EQ(urls("?tag=news"), (Urls{"news/one", "news/two"}));
  EXPECT_EQ(urls("?match=*%2Fnews%2F*e"), (Urls{"news/one"}));
  EXPECT_EQ(urls("?match=*&limit=1&after=https://example.org/c"), (Urls{"news/one"}));
  EXPECT_EQ(urls("?match=https://example.org"), Urls{}) << "the whole URL is meant";
  EXPECT_EQ(urls("?health=failing"), Urls{});
}

TEST_F(LookRoutes, one_page_is_explained) {
  const Answer answer = get("/pages/one?url=HTTPS%3A%2F%2FExample.org%2Fa");
  EXPECT_EQ(answer.status, 200u) << answer.error();
  EXPECT_EQ(answer.text("url"), "https://example.org/a");
  const Answer missing = get("/pages/one?url=https://example.org/none");
  EXPECT_EQ(missing.status, 404u);
  EXPECT_NE(missing.error().find("is not in the database"), std::string::npos);
}

TEST_F(LookRoutes, changes_come_newest_first_or_behind_an_id) {
  find_changes(3);
  const Answer all = get("/changes");
  ASSERT_EQ(all.body.at("changes").as_array().size(), 3u);
  EXPECT_EQ(all.body.at("changes").at(0).at("id"), 3);
  const Answer behind = get("/changes?after=1&limit=1");
  ASSERT_EQ(behind.body.at("changes").as_array().size(), 1u);
  EXPECT_EQ(behind.body.at("changes").at(0).at("id"), 2);
  EXPECT_EQ(get("/changes?url=https://example.org/b").body.at("changes").as_array().size(), 0u);
}

TEST_F(LookRoutes, masks_of_all_pages_or_one) {
  EXPECT_TRUE(get("/masks").body.at("masks").as_array().empty());
  EXPECT_EQ(get("/masks?url=https://example.org/a").status, 200u);
  EXPECT_EQ(get("/masks?url=https://example.org/none").status, 404u);
}

TEST_F(LookRoutes, notifications_that_wait_or_could_not_be_told) {
  const auto page = store::Reader::open(database_).value()->page("https://example.org/a");
  ASSERT_TRUE(page.ok());
  store::Batch batch;
  batch.notices.push_back({.page = page->id,
                           .event = "failing",
                           .at = WallTime(std::chrono::hours(490'001)),
                           .url = page->spec.url,
                           .summary = "HTTP 500",
                           .wishes = {{.rule = "team"}}});
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Answer waiting = get("/notifications");
  ASSERT_EQ(waiting.status, 200u) << waiting.error();
  ASSERT_EQ(waiting.body.at("notifications").as_array().size(), 1u);
  EXPECT_EQ(waiting.body.at("notifications").at(0).at("rule"), "team");
  EXPECT_TRUE(get("/notifications?state=dead").body.at("notifications").as_array().empty());
}

TEST_F(LookRoutes, settings_say_where_they_come_from) {
  const Answer answer = get("/settings");
  ASSERT_EQ(answer.status, 200u) << answer.error();
  const auto& rows = answer.body.at("settings").as_array();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("from"), "live");
  EXPECT_EQ(rows[1].at("from"), "default");
  EXPECT_EQ(rows[2].at("from"), "file");
  EXPECT_EQ(rows[2].at("key"), "web.listen");
  EXPECT_EQ(get("/settings?x=1").status, 400u);
}

TEST_F(LookRoutes, what_is_not_understood_is_a_400_that_names_it) {
  for (const char* path :
       {"/status?x=1", "/pages?limit=0x", "/pages?limit=1001", "/pages?order=x", "/pages?q=%",
        "/pages/one", "/pages/one?page=1", "/changes?after=x", "/changes?limit=-1", "/masks?id=1",
        "/notifications?state=lost", "/events?what=all", "/events?since=1"}) {
    const Answer answer = get(path);
    EXPECT_EQ(answer.status, 400u) << path;
    EXPECT_FALSE(answer.error().empty()) << path;
  }
}

TEST_F(LookRoutes, a_database_that_was_put_back_is_read_anew) {
  EXPECT_EQ(urls("?q=news/").size(), 2u);
  store_.reset();
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(database_ + end);
  auto store = store::Store::open(database_);
  ASSERT_TRUE(store.ok()) << store.error().message;
  const std::vector<store::PageSpec> pages = {
      {.url = "https://other.example/x", .host = "other.example:443"}};
  ASSERT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(490'000))).ok());
  store_ = std::move(*store);
  EXPECT_EQ(urls(""), (Urls{"x"}));
}

TEST_F(LookRoutes, an_unknown_path_is_a_404_that_names_the_known_ones) {
  const Answer answer = get("/nothing");
  EXPECT_EQ(answer.status, 404u);
  EXPECT_NE(answer.text("cure").find("/api/v1/status"), std::string::npos);
}

}  // namespace
}  // namespace pollux::web
