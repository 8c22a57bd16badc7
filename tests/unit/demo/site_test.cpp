#include "pollux/demo/site.hpp"

#include "unit/demo/http_client.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace pollux::demo {
namespace {

namespace http = boost::beast::http;
using std::chrono::seconds;

class SiteTest : public ::testing::Test {
 protected:
  void start(std::size_t pages, double changes_per_second = 30) {
    SiteOptions options;
    options.world.pages = pages;
    options.world.changes_per_second = changes_per_second;
    options.world.seed = 11;
    auto started = Site::start(options, clock_);
    ASSERT_TRUE(started.ok()) << started.error().message;
    site_ = std::move(*started);
  }
  PageNumber with_role(Role role) const {
    for (std::uint32_t n = 1; n <= site_->pages(); ++n) {
      if (site_->role(PageNumber{n}) == role) return PageNumber{n};
    }
    ADD_FAILURE() << "no page with this role";
    return PageNumber{1};
  }
  static std::string path(PageNumber page) { return "/page/" + std::to_string(number(page)); }
  std::uint64_t changes_of(PageNumber page) const {
    std::uint64_t count = 0;
    for (const Change& change : site_->history()) count += change.page == page;
    return count;
  }

  ManualClock clock_{WallTime(std::chrono::milliseconds(784111777'000))};
  std::unique_ptr<Site> site_;
};

TEST_F(SiteTest, serves_what_its_history_says) {
  start(20);
  HttpClient client(site_->port());
  for (int step = 0; step < 10; ++step) {
    clock_.advance(std::chrono::milliseconds(700));
    for (std::uint32_t n = 1; n <= 20; ++n) {
      const auto response = client.get(path(PageNumber{n}));
      ASSERT_EQ(response.result_int(), 200u);
      const std::string version = "Version " + std::to_string(changes_of(PageNumber{n}) + 1) + ",";
      EXPECT_NE(response.body().find(version), std::string::npos) << response.body();
    }
  }
  EXPECT_GT(site_->history().size(), 100u);
}

TEST_F(SiteTest, counts_the_pages_seen_once_and_again) {
  start(20);
  HttpClient client(site_->port());
  EXPECT_EQ(site_->visits().once, 0u);
  for (const char* target : {"/", "/page/1", "/page/2", "/page/99", "/page/2", "/page/2"}) {
    client.get(target);
  }
  EXPECT_EQ(site_->visits().once, 2u);
  EXPECT_EQ(site_->visits().twice, 1u);
}

TEST_F(SiteTest, an_unchanged_page_is_a_304_and_a_changed_one_is_not) {
  start(1, 0.5);
  HttpClient client(site_->port());
  const auto first = client.get("/page/1");
  HttpClient::Fields known;
  known.set(http::field::if_none_match, first[http::field::etag]);
  const auto same = client.get("/page/1", known);
  EXPECT_EQ(same.result_int(), 304u);
  EXPECT_EQ(same[http::field::etag], first[http::field::etag]);
  EXPECT_TRUE(same.body().empty());
  while (changes_of(PageNumber{1}) == 0) clock_.advance(seconds(1));
  const auto changed = client.get("/page/1", known);
  EXPECT_EQ(changed.result_int(), 200u);
  EXPECT_NE(changed.body(), first.body());
  EXPECT_NE(changed[http::field::etag], first[http::field::etag]);
}

TEST_F(SiteTest, a_date_alone_is_enough_for_a_304) {
  start(1, 0.1);
  HttpClient client(site_->port());
  HttpClient::Fields known;
  known.set(http::field::if_modified_since, client.get("/page/1")[http::field::last_modified]);
  ASSERT_FALSE(known[http::field::if_modified_since].empty());
  EXPECT_EQ(client.get("/page/1", known).result_int(), 304u);
  while (changes_of(PageNumber{1}) == 0) clock_.advance(seconds(1));
  EXPECT_EQ(client.get("/page/1", known).result_int(), 200u);
}

TEST_F(SiteTest, the_tag_wins_over_the_date) {
  start(1, 0.1);
  HttpClient client(site_->port());
  HttpClient::Fields known;
  known.set(http::field::if_modified_since, client.get("/page/1")[http::field::last_modified]);
  known.set(http::field::if_none_match, "\"another\"");
  EXPECT_EQ(client.get("/page/1", known).result_int(), 200u);
}

TEST_F(SiteTest, a_version_of_this_second_has_no_date_yet) {
  start(1, 50);
  HttpClient client(site_->port());
  while (changes_of(PageNumber{1}) == 0) clock_.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(client.get("/page/1")[http::field::last_modified].empty());
}

TEST_F(SiteTest, content_does_not_depend_on_when_it_is_asked_for) {
  start(1, 0.01);
  HttpClient client(site_->port());
  const std::string first = client.get("/page/1").body();
  clock_.advance(std::chrono::milliseconds(5));
  EXPECT_EQ(client.get("/page/1").body(), first);
}

TEST_F(SiteTest, a_page_with_noise_never_answers_alike_and_has_no_validators) {
  start(60, 0.001);
  ASSERT_GT(site_->noisy(), 0u);
  HttpClient client(site_->port());
  std::size_t differing = 0;
  for (std::uint32_t n = 1; n <= 60; ++n) {
    if (site_->role(PageNumber{n}) != Role::plain) continue;
    const auto first = client.get(path(PageNumber{n}));
    clock_.advance(seconds(1));
    const auto second = client.get(path(PageNumber{n}));
    if (first.body() == second.body()) continue;
    ++differing;
    EXPECT_TRUE(second[http::field::etag].empty());
    EXPECT_TRUE(second[http::field::last_modified].empty());
  }
  EXPECT_EQ(differing, site_->noisy());
}

TEST_F(SiteTest, every_page_is_at_its_url_on_several_hosts) {
  start(60);
  std::set<std::string> hosts;
  for (std::uint32_t n = 1; n <= 60; ++n) {
    const std::string url = site_->url(PageNumber{n});
    hosts.insert(url.substr(0, url.find("/page/")));
    EXPECT_TRUE(url.ends_with(path(PageNumber{n})));
  }
  EXPECT_EQ(hosts.size(), 16u);
  HttpClient last(site_->port(), "127.0.0.16");
  EXPECT_EQ(last.get("/").result_int(), 200u);
}

TEST_F(SiteTest, troubled_pages_share_a_host_with_no_plain_one) {
  start(60);
  for (std::uint32_t n = 1; n <= 60; ++n) {
    const PageNumber page{n};
    const bool last = site_->url(page).find("//127.0.0.16:") != std::string::npos;
    EXPECT_EQ(last, site_->role(page) != Role::plain);
  }
}

TEST_F(SiteTest, a_moved_page_redirects_to_its_content) {
  start(60);
  HttpClient client(site_->port());
  const auto response = client.get(path(with_role(Role::moved)));
  EXPECT_EQ(response.result_int(), 302u);
  const auto landed = client.get(std::string(response[http::field::location]));
  EXPECT_EQ(landed.result_int(), 200u);
  EXPECT_FALSE(landed[http::field::etag].empty());
}

TEST_F(SiteTest, a_flaky_page_asks_to_retry_after_a_while) {
  start(60);
  HttpClient client(site_->port());
  const std::string flaky = path(with_role(Role::flaky));
  EXPECT_EQ(client.get(flaky).result_int(), 200u);
  EXPECT_EQ(client.get(flaky).result_int(), 200u);
  const auto busy = client.get(flaky);
  EXPECT_EQ(busy.result_int(), 503u);
  EXPECT_EQ(busy[http::field::retry_after], "2");
  EXPECT_EQ(client.get(flaky).result_int(), 200u);
}

TEST_F(SiteTest, a_broken_page_always_fails) {
  start(60);
  HttpClient client(site_->port());
  EXPECT_EQ(client.get(path(with_role(Role::broken))).result_int(), 500u);
  EXPECT_EQ(client.get(path(with_role(Role::broken))).result_int(), 500u);
}

TEST_F(SiteTest, a_resetting_page_resets_the_connection_and_still_counts) {
  start(60);
  HttpClient client(site_->port());
  EXPECT_THROW(client.get(path(with_role(Role::resetting))), boost::system::system_error);
  EXPECT_EQ(site_->requests(), 1u);
}

TEST_F(SiteTest, a_slow_page_takes_its_time_and_holds_up_nobody) {
  start(60);
  const auto begin = std::chrono::steady_clock::now();
  HttpClient slow(site_->port()), quick(site_->port());
  slow.send(path(with_role(Role::slow)));
  EXPECT_EQ(quick.get(path(with_role(Role::plain))).result_int(), 200u);
  EXPECT_EQ(slow.receive().result_int(), 200u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
}

TEST_F(SiteTest, unknown_pages_and_methods_are_refused) {
  start(3);
  HttpClient client(site_->port());
  for (const char* target : {"/page/0", "/page/4", "/page/", "/page/1x", "/page/-1",
                             "/page/99999999999999999999", "/moved/7"}) {
    EXPECT_EQ(client.get(target).result_int(), 404u) << target;
  }
  EXPECT_EQ(client.get("/robots.txt").result_int(), 200u);
  EXPECT_EQ(client.get("/page/1", {}, http::verb::delete_).result_int(), 405u);
  const auto head = client.get("/page/1", {}, http::verb::head);
  EXPECT_EQ(head.result_int(), 200u);
  EXPECT_TRUE(head.body().empty());
}

TEST_F(SiteTest, many_requests_on_one_connection_are_all_counted) {
  start(10);
  HttpClient client(site_->port());
  for (int i = 0; i < 500; ++i) ASSERT_EQ(client.get("/page/1").result_int(), 200u);
  EXPECT_EQ(site_->requests(), 500u);
}

TEST_F(SiteTest, history_goes_on_from_where_the_reader_stopped) {
  start(10);
  clock_.advance(seconds(3));
  const auto first = site_->history();
  clock_.advance(seconds(3));
  const auto rest = site_->history(first.size());
  EXPECT_EQ(first.size() + rest.size(), site_->history().size());
  EXPECT_TRUE(site_->history(1'000'000).empty());
}

TEST_F(SiteTest, a_taken_port_is_an_error_that_names_it) {
  start(3);
  SiteOptions options;
  options.port = site_->port();
  const auto second = Site::start(options, clock_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find(std::to_string(site_->port())), std::string::npos);
}

TEST_F(SiteTest, can_be_ended_while_clients_are_connected_and_waiting) {
  start(60);
  HttpClient idle(site_->port()), waiting(site_->port());
  waiting.send(path(with_role(Role::slow)));
  EXPECT_EQ(idle.get("/").result_int(), 200u);
  site_.reset();
  EXPECT_THROW(idle.get("/"), boost::system::system_error);
  EXPECT_THROW(waiting.receive(), boost::system::system_error);
}

}  // namespace
}  // namespace pollux::demo
