// Hundreds of compressed bodies that come in one moment, against the real daemon.
#include "integration/hostile_web.hpp"

#include <atomic>
#include <deque>

namespace pollux::test {
namespace {

class Unfolding : public RunningDaemon {
 protected:
  static constexpr std::size_t pages = 300, hosts = 5;
};

TEST_F(Unfolding, of_300_bodies_in_one_moment_keeps_the_memory_promise) {
  const auto body = std::make_shared<const std::string>(gzip(foldable_text(9u << 20)));
  ASSERT_LT(body->size(), 100'000u);
  std::atomic<std::size_t> waiting = 0;
  std::deque<Origin> origins(hosts);
  std::vector<std::string> urls;
  for (Origin& origin : origins) {
    origin.otherwise([&waiting, body](Exchange& x) -> Step {
      // It answers at first: a host that never did gets a few fetches only.
      if (x.nth == 1) co_return co_await x.respond(200, "", "here");
      if (x.nth > 2) co_return co_await x.wait_for_close();
      ++waiting;
      while (waiting < pages) co_await x.sleep(std::chrono::milliseconds(10));
      co_await x.respond(200, "Content-Encoding: gzip\r\n", *body);
    });
    for (std::size_t i = 0; i < pages / hosts; ++i)
      urls.push_back(origin.url("/" + std::to_string(i)));
  }
  configure(urls, "600",
            "defaults: { min_interval: 100ms, max_interval: 1d, timeout: 100s }\n"
            "fetch: { concurrency: 400 }\n");
  start();
  const auto seen = [&] {
    const auto open = reader();
    if (!open) return std::size_t{0};
    std::size_t count = 0;
    for (const std::string& url : urls) {
      const auto page = open->page(url);
      count += page.ok() && page->progress.changes > 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return waiting >= pages; })) << waiting;
  EXPECT_TRUE(eventually([&] { return seen() == pages; })) << seen();
  if (!sanitized) {
    EXPECT_LE(daemon_->peak_mb(), 256);
  }
  RecordProperty("peak_mb", static_cast<int>(daemon_->peak_mb()));
  EXPECT_EQ(stop().exit_code, 0);
}

// What is read as a document falls apart into millions of parts.
TEST_F(Unfolding, of_documents_of_many_parts_keeps_the_memory_promise) {
  constexpr std::size_t bytes = 9u << 20;
  const auto filled = [](std::string begin, std::string_view part, const std::string& end) {
    while (begin.size() + part.size() + end.size() < bytes) begin += part;
    return gzip(begin + end);
  };
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"application/xml", filled("<?xml version='1.0'?><r>", "<a/>", "</r>")},
      {"application/rss+xml",
       filled("<rss version='2.0'><channel>", "<item><title>a</title></item>", "</channel></rss>")},
      {"application/json", filled("[", "0,", "0]")},
      {"application/json", filled("[", "{},", "0]")},
      {"text/html", filled("<html><body>", "<b>", "")},
      {"text/plain", filled(std::string(), "a b ", "")},
      {"text/plain", filled(std::string(), "a\n\n", "")},
      {"text/html", filled("<title>404 not found</title><body>", "a b c<p>", "")}};
  const auto of_each = [](std::size_t kind) { return kind == 0 ? std::size_t{30} : 4; };
  std::atomic<std::size_t> waiting = 0;
  std::deque<Origin> origins(kinds.size());
  std::vector<std::string> urls;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const std::string type = "Content-Type: " + kinds[kind].first + "\r\n";
    origins[kind].otherwise([&, kind, type](Exchange& x) -> Step {
      const std::string small = type.find("json") != std::string::npos ? "[1]" : "<r>here</r>";
      if (x.nth == 1) co_return co_await x.respond(200, type, small);
      ++waiting;
      while (waiting < urls.size() && x.connected())
        co_await x.sleep(std::chrono::milliseconds(10));
      co_await x.respond(200, type + "Content-Encoding: gzip\r\n", kinds[kind].second);
    });
    for (std::size_t i = 0; i < of_each(kind); ++i)
      urls.push_back(origins[kind].url("/" + std::to_string(i)));
  }
  configure(
      urls, "600",
      "defaults: { min_interval: 100ms, max_interval: 1d, timeout: 100s, content: { as: auto } }\n"
      "fetch: { concurrency: 400 }\n");
  start();
  const auto seen = [&] {
    const auto open = reader();
    if (!open) return std::size_t{0};
    std::size_t count = 0;
    for (const std::string& url : urls) {
      const auto page = open->page(url);
      count += page.ok() && page->progress.changes + page->progress.errors > 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return waiting >= urls.size(); })) << waiting;
  EXPECT_TRUE(eventually([&] { return seen() == urls.size(); })) << seen();
  std::this_thread::sleep_for(std::chrono::seconds(5));  // those that were too many come again
  if (!sanitized) {
    EXPECT_LE(daemon_->peak_mb(), 256);
  }
  RecordProperty("peak_mb", static_cast<int>(daemon_->peak_mb()));
  EXPECT_EQ(stop().exit_code, 0);
}

}  // namespace
}  // namespace pollux::test
