// Hosts whose answers are not the page, and give it away only by what else they answer: a "not
// found" with status 200 that no title tells, and one page in the place of many.
#include "integration/running_daemon.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <atomic>
#include <map>

namespace pollux::test {
namespace {

constexpr char quick_looks[] =
    "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { as: auto } }\n";

std::string page_about(const std::string& thing) {
  std::string text = "<html><head><title>Harbour</title></head><body><p>";
  for (int i = 0; i < 120; ++i) text += thing + std::to_string(i) + " ";
  return text + "</p></body></html>";
}

// Outside of the coroutines: g++ 12 frees the temporaries of a condition in one twice.
std::string ferries(bool gone) {
  return page_about(gone ? "sorry" : "ferry");
}
std::string line(const std::string& path, bool busy) {
  return page_about(busy ? "busy" : "line" + path.substr(1));
}

class LyingHost : public RunningDaemon {
 protected:
  bool polled(const std::string& url, int more) {
    const auto before = progress(url).polls;
    return eventually([&] { return progress(url).polls >= before + more; });
  }
  bool has_health(const std::string& url, const std::string& health) {
    return eventually([&] { return progress(url).health == health; });
  }
};

TEST_F(LyingHost, says_that_a_page_is_gone_with_the_words_of_any_missing_page) {
  Origin origin;
  std::atomic<bool> gone{false};
  std::atomic<int> asked{0};
  origin.otherwise([&](Exchange& x) -> Step {
    const bool missing = x.path.starts_with("/no-such-page-");
    if (missing) ++asked;
    const std::string body = ferries(missing || gone);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  const std::string url = origin.url("/ferries");
  configure({url}, "20", quick_looks);
  start();
  ASSERT_TRUE(polled(url, 8));
  EXPECT_EQ(asked, 0);
  gone = true;
  ASSERT_TRUE(has_health(url, "suspect"));
  EXPECT_EQ(progress(url).health_reason, "soft 404");
  ASSERT_TRUE(polled(url, 5));
  EXPECT_EQ(asked, 1);
  gone = false;
  ASSERT_TRUE(has_health(url, "ok"));
  EXPECT_EQ(progress(url).changes, 0) << "neither leaving nor coming back is a change";
  EXPECT_EQ(stop().exit_code, 0);
}

// Neither a restart, after which nobody knows what the host says of missing pages, nor new rules
// make its words the page.
TEST_F(LyingHost, is_not_believed_after_a_restart_nor_under_new_rules) {
  Origin origin;
  std::atomic<bool> gone{false};
  origin.otherwise([&](Exchange& x) -> Step {
    const std::string body = ferries(x.path.starts_with("/no-such-page-") || gone);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  const std::string url = origin.url("/ferries");
  configure({url}, "20", quick_looks);
  start();
  ASSERT_TRUE(polled(url, 8));
  gone = true;
  ASSERT_TRUE(has_health(url, "suspect"));
  EXPECT_EQ(stop().exit_code, 0);
  start();
  ASSERT_TRUE(polled(url, 6));
  EXPECT_EQ(progress(url).health, "suspect");
  EXPECT_EQ(progress(url).health_reason, "soft 404");
  configure({url}, "20",
            "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { ignore: "
            "[\"119\"] } }\n");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded:"));
  ASSERT_TRUE(polled(url, 6));
  EXPECT_EQ(progress(url).health, "suspect");
  EXPECT_TRUE(progress(url).content_hash.empty()) << "a wall is no baseline";
  gone = false;
  ASSERT_TRUE(has_health(url, "ok"));
  ASSERT_TRUE(polled(url, 3));
  EXPECT_EQ(progress(url).changes, 0);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(LyingHost, shows_one_page_in_the_place_of_many) {
  Origin origin;
  std::atomic<bool> busy{false};
  std::map<std::string, int> seen_busy;  // on the origin's thread
  origin.otherwise([&](Exchange& x) -> Step {
    if (x.path.starts_with("/no-such-page-")) {
      co_await x.respond(404, "", "");
      co_return;
    }
    const bool now = busy;
    if (now) ++seen_busy[x.path];
    // However the polls fall, none is shown busy twice before all were once: who asks again has
    // seen it.
    const auto seen_by_all = [&] {
      return seen_busy.size() == 4 &&
             std::ranges::all_of(seen_busy, [](const auto& page) { return page.second > 1; });
    };
    while (now && seen_busy[x.path] > 1 && !seen_by_all())
      co_await x.sleep(std::chrono::milliseconds(5));
    const std::string body = line(x.path, now);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  std::vector<std::string> urls;
  for (const char* path : {"/a", "/b", "/c", "/d"}) urls.push_back(origin.url(path));
  configure(urls, "40", quick_looks);
  start();
  for (const std::string& url : urls) ASSERT_TRUE(polled(url, 8));
  busy = true;
  for (const std::string& url : urls) ASSERT_TRUE(has_health(url, "suspect")) << url;
  EXPECT_EQ(progress(urls[3]).health_reason, "same as other pages");
  busy = false;
  for (const std::string& url : urls) {
    ASSERT_TRUE(has_health(url, "ok")) << url;
    EXPECT_EQ(progress(url).changes, 0) << url;
  }
  EXPECT_EQ(stop().exit_code, 0);
}

}  // namespace
}  // namespace pollux::test
