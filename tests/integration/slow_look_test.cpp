// Looks that take long or much, through the real program: programs that hang, a stop among them,
// and more changed pages at once than fit into memory.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr char quick_polls[] =
    "defaults: { min_interval: 0s, max_interval: 1s, timeout: 20s, content: { as: auto } }\n";

std::string with_pipe(const std::string& url, const std::string& argv) {
  return "{ url: \"" + url + "\", content: { pipe: [" + argv + "] } }";
}

// Those of others do not sleep so oddly long.
std::string odd_nap() {
  return "31" + std::to_string(getpid());
}

std::size_t naps(const std::string& nap) {
  std::size_t found = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    found += line.starts_with("sleep") && line.find(nap) != std::string::npos ? 1 : 0;
  }
  return found;
}

class SlowLooks : public RunningDaemon {
 protected:
  // A port is a host by itself.
  void listen(std::size_t hosts, const Script& script) {
    for (std::size_t i = 0; i < hosts; ++i) {
      origins_.push_back(std::make_unique<Origin>());
      origins_.back()->otherwise(script);
    }
  }
  std::string url(std::size_t nth) const {
    return origins_[nth % origins_.size()]->url("/" + std::to_string(nth));
  }
  std::size_t requests() const {
    std::size_t all = 0;
    for (const auto& origin : origins_) all += origin->requests();
    return all;
  }
  std::int64_t polls(const std::vector<std::string>& urls) {
    std::int64_t all = 0;
    for (const std::string& url : urls) all += progress(url).polls;
    return all;
  }
  std::vector<std::unique_ptr<Origin>> origins_;
};

TEST_F(SlowLooks, programs_that_hang_keep_no_other_page_waiting) {
  listen(4, serve::changing_page());
  std::vector<std::string> hanging, pages;
  for (std::size_t i = 0; i < 8; ++i) {
    hanging.push_back(url(i));
    pages.push_back(with_pipe(hanging.back(), "sleep, \"30\""));
  }
  const std::string ordinary = url(8);
  pages.push_back(ordinary);
  configure(pages, "50", quick_polls);
  start();
  // The first of them end by their own time limit.
  ASSERT_TRUE(eventually([&] { return polls(hanging) >= 2; }));
  EXPECT_GE(progress(ordinary).polls, 5);
}

TEST_F(SlowLooks, sigterm_ends_programs_that_hang_and_their_children_in_time) {
  listen(6, serve::changing_page());
  const std::string nap = odd_nap();
  std::vector<std::string> hanging, pages;
  for (std::size_t i = 0; i < 12; ++i) {
    hanging.push_back(url(i));
    pages.push_back(
        with_pipe(hanging.back(), "sh, \"-c\", \"sleep " + nap + " & sleep " + nap + "; wait\""));
  }
  configure(pages, "50", quick_polls);
  start();
  ASSERT_TRUE(eventually([&] { return requests() >= 12 && naps(nap) >= 2; }));
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
  EXPECT_EQ(naps(nap), 0u);
  // Whether their programs would have ended in time, nobody knows: that is no fault of the pages.
  for (const std::string& url : hanging) EXPECT_EQ(progress(url).error_streak, 0) << url;
}

// Several hundred pages that all change, and all come in one moment.
struct Flood {
  int threads;
  std::size_t bytes;
};

class AFlood : public SlowLooks, public testing::WithParamInterface<Flood> {
 protected:
  static constexpr std::size_t pages = 300;

  // Made beforehand: who serves them has no time.
  static std::string edition(int number, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; out.size() < bytes; ++i) {
      out += i % 40 == 0 ? "</p>\n<p>" : " ";
      if (i % 997 == 0) out += "edition" + std::to_string(number);
      out += "word" + std::to_string((i * 2654435761u >> 7) % 100'000);
    }
    return out;
  }
  // Of every page another text.
  static std::string page(const std::string& path, const std::string& words) {
    return "<html><title>Page</title><body><p>" + path + words + "</p></body></html>";
  }
};

TEST_P(AFlood, of_changed_pages_stays_within_256_mb_and_is_nobodys_error) {
  // The daemon polls on until the fixture goes, after everything here.
  struct Served {
    std::array<std::string, 2> editions;
    std::atomic<std::size_t> now{0};
  };
  const auto served = std::make_shared<Served>();
  served->editions = {edition(1, GetParam().bytes), edition(2, GetParam().bytes)};
  listen(10, [served](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       page(x.path, served->editions[served->now]));
  });
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < pages; ++i) urls.push_back(url(i));
  configure(urls, "1000",
            std::string("fetch: { threads: ") + std::to_string(GetParam().threads) + " }\n" +
                "defaults: { min_interval: 0s, timeout: 20s, content: { as: auto } }\n");
  start();
  // How often each was polled, by one reader: the machine has enough to do.
  const auto polled = [&] {
    std::map<std::string, std::int64_t> times;
    const auto open = reader();
    for (const std::string& url : urls) {
      times[url] = 0;
      if (!open) continue;
      if (const auto page = open->page(url); page.ok()) times[url] = page->progress.polls;
    }
    return times;
  };
  std::map<std::string, std::int64_t> before;
  const auto all_polled = [&] {
    const auto times = polled();
    return std::ranges::all_of(urls,
                               [&](const std::string& url) { return times.at(url) > before[url]; });
  };
  ASSERT_TRUE(eventually(all_polled));
  served->now = 1;
  before = polled();
  // Whether one look is enough to believe it is another matter.
  ASSERT_TRUE(eventually(all_polled));
  // A sanitizer takes memory of its own.
  if constexpr (!sanitizer_needs_descriptors) {
    EXPECT_LE(daemon_->peak_mb(), 256);
  }
  RecordProperty("peak_mb", std::to_string(daemon_->peak_mb()));
  for (const std::string& url : urls)
    EXPECT_EQ(progress(url).errors, 0) << progress(url).last_error;
}

INSTANTIATE_TEST_SUITE_P(Threads, AFlood,
                         testing::Values(Flood{1, 1u << 20}, Flood{4, 1u << 20},
                                         Flood{4, 3u << 20}),
                         [](const testing::TestParamInfo<Flood>& flood) {
                           return std::to_string(flood.param.bytes >> 20) + "_mib_" +
                                  std::to_string(flood.param.threads) + "_fetch_threads";
                         });

}  // namespace
}  // namespace pollux::test
