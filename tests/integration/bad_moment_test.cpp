// The list of bad commands, item by item: told to stop at the worst moment, and too few
// descriptors.
#include "integration/hostile_web.hpp"

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class BadMoment : public RunningDaemon {
 protected:
  void expect_quick_stop() {
    const auto asked = std::chrono::steady_clock::now();
    const Finished finished = stop();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
  }
};

TEST_F(BadMoment, sigterm_during_start) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  std::vector<std::string> urls;
  for (int i = 0; i < 20000; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "5");
  for (const auto wait : {30ms, 60ms, 120ms, 240ms}) {
    start();
    std::this_thread::sleep_for(wait);
    const auto asked = std::chrono::steady_clock::now();
    daemon_->send(SIGTERM);
    const Finished finished = daemon_->wait();
    daemon_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
    // Before anything is opened there is nothing to save, and the signal simply ends it.
    EXPECT_TRUE(finished.exit_code == 0 || finished.exit_code == -1) << finished.err;
  }
  start();
  ASSERT_TRUE(logged("watching 20000 pages"));
  expect_quick_stop();
}

TEST_F(BadMoment, sigterm_with_1000_in_flight) {
  std::vector<std::unique_ptr<Origin>> origins;
  std::vector<std::string> urls;
  // They answer once: hosts that never did get a few fetches only.
  std::atomic<bool> silent{false};
  while (urls.size() < 1000) {
    origins.push_back(std::make_unique<Origin>());
    origins.back()->otherwise([&](Exchange& x) -> Step {
      if (silent) co_return co_await x.wait_for_close();
      co_await x.respond(200, "", "here");
    });
    for (int i = 0; i < 60; ++i) urls.push_back(origins.back()->url("/" + std::to_string(i)));
  }
  configure(urls, "unlimited", "defaults: { timeout: 60s }\nfetch: { concurrency: 1000 }\n");
  start();
  ASSERT_TRUE(eventually([&] {
    return std::ranges::all_of(origins, [](const auto& origin) { return origin->requests() > 8; });
  }));
  silent = true;
  ASSERT_TRUE(eventually([&] {
    std::size_t open = 0;
    for (const auto& origin : origins) open += origin->open_connections();
    return open >= 1000;
  }));
  expect_quick_stop();
  EXPECT_EQ(reader()->summary()->errors, 0) << "given up because we stop: no fault of the pages";
}

TEST_F(BadMoment, emfile) {
  if (sanitizer_needs_descriptors) GTEST_SKIP() << "a sanitizer needs descriptors of its own";
  Origin origin;
  origin.otherwise([](Exchange& x) -> Step {
    co_await x.sleep(50ms);
    co_await x.respond(200, "", "x");
  });
  std::vector<std::string> urls;
  for (int i = 0; i < 64; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "unlimited");
  const std::string run =
      "ulimit -n 40 && exec " POLLUX_BINARY " run --config " + (folder_ / "pollux.yaml").string();
  daemon_ = std::make_unique<Program>("/bin/sh", folder_, std::vector<std::string>{"-c", run});
  const auto pages = [&] {
    const auto open = reader();
    store::Reader::PageQuery every;
    every.limit = 0;
    const auto found = open ? open->pages(every) : Error{};
    return found.ok() ? *found : std::vector<store::PageRow>();
  };
  ASSERT_TRUE(eventually([&] {
    const auto all = pages();
    return std::any_of(all.begin(), all.end(), [](const store::PageRow& page) {
      return page.progress.last_error.find("no descriptor left") != std::string::npos;
    });
  })) << daemon_->text("err");
  // Those that got one go on being polled.
  ASSERT_TRUE(eventually([&] {
    const auto all = pages();
    return std::any_of(all.begin(), all.end(),
                       [](const store::PageRow& page) { return page.progress.polls >= 5; });
  }));
  expect_quick_stop();
  for (const store::PageRow& page : pages()) EXPECT_EQ(page.progress.changes, 0);
}

}  // namespace
}  // namespace pollux::test
