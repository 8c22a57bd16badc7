// The real daemon behind network.proxy: what the proxy does wrong is an error of nobody's content.
#include "support/proxy.hpp"

#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

namespace pollux::test {
namespace {

class BehindProxy : public RunningDaemon {
 protected:
  void watch_through(const std::string& proxy_url) {
    origin_.on("/page", serve::page("content"));
    std::ofstream(folder_ / "pollux.yaml")
        << "budget: 50\ndatabase: test.db\nlearner: { seed: 7 }\n"
        << "network: { proxy: '" << proxy_url << "' }\n"
        << "hosts: { delay: 0s, robots: ignore }\ndefaults: { min_interval: 0s, timeout: 5s }\n"
        << "pages: [ " << url_ << " ]\n";
    start();
  }
  // After some good polls the proxy goes wrong.
  void expect_error_after(const std::function<void()>& go_wrong, std::string_view error) {
    ASSERT_TRUE(eventually([&] { return progress(url_).polls >= 3; })) << daemon_->text("err");
    EXPECT_EQ(progress(url_).last_error, "");
    const std::string hash = progress(url_).content_hash;
    EXPECT_EQ(hash.size(), 64u);
    go_wrong();
    ASSERT_TRUE(eventually([&] { return progress(url_).errors > 0; }));
    EXPECT_EQ(stop().exit_code, 0);
    const store::PageProgress page = progress(url_);
    EXPECT_TRUE(page.last_error.starts_with(error)) << page.last_error;
    EXPECT_EQ(page.changes, 0) << "an error is never a change";
    EXPECT_EQ(page.content_hash, hash);
    EXPECT_TRUE(page.retry_at.has_value());
  }

  const std::string url_ = "http://site.test/page";
  Origin origin_;
  Proxy proxy_{origin_.port()};
};

TEST_F(BehindProxy, pages_are_polled_through_it_and_its_502_is_no_change) {
  watch_through(proxy_.url());
  expect_error_after([&] { proxy_.set_refusal(502); }, "HTTP 502");
  EXPECT_GE(proxy_.requests("site.test"), 3u);
}

TEST_F(BehindProxy, a_proxy_that_hangs_up_is_no_change) {
  watch_through(proxy_.url());
  expect_error_after([&] { proxy_.set_broken(true); }, "connection_lost");
}

TEST_F(BehindProxy, socks_that_refuses_is_no_change) {
  watch_through(proxy_.url("socks5h"));
  expect_error_after(
      [&] {
        proxy_.set_refusal(502);
        origin_.on("/page", [](Exchange& x) -> Step {
          x.close();  // so that a new tunnel is needed
          co_return;
        });
      },
      "connect");
}

}  // namespace
}  // namespace pollux::test
