#include "bench/web/large_list.hpp"

#include "bench/web/asker.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/steady_polls.hpp"
#include "support/temp_folder.hpp"
#include "web/page_columns.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;
using test::median;
using SteadyClock = std::chrono::steady_clock;

constexpr int list_hosts = 8, sections = 200, budget = 200;
constexpr double first_page_bar = 100, list_bar = 500, wal_bar_mb = 64;
constexpr const char* columns[] = {"url", "host",  "share",   "rate",   "changed",    "polled",
                                   "due", "polls", "changes", "errors", "importance", "health"};

// What a daemon would have learnt in weeks: all figures differ from page to page.
constexpr const char* weeks_of_polls =
    "UPDATE page SET polls = abs(random()) % 100000, changes = abs(random()) % 5000, "
    "errors = abs(random()) % 50, change_rate_per_day = (abs(random()) % 1000000) / 1e4, "
    "last_polled_at = (unixepoch() - abs(random()) % 86400) * 1000, "
    "last_changed_at = (unixepoch() - abs(random()) % 8640000) * 1000, "
    "last_confirmed_at = (unixepoch() - abs(random()) % 86400) * 1000;";

struct ListDaemon {
  explicit ListDaemon(const test::TempFolder& folder, std::uint16_t port)
      : program(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")}) {
    wait_until_ready(port);
  }
  void stop() {
    program.send(SIGTERM);
    program.wait();
  }
  double resident_bytes() const {
    std::ifstream status("/proc/" + std::to_string(program.pid()) + "/status");
    double kb = 0;
    for (std::string word; status >> word;) {
      if (word == "VmRSS:") status >> kb;
    }
    return kb * 1024;
  }
  test::Program program;
};

// The longest that the log of a database was.
class WalWatch {
 public:
  explicit WalWatch(std::string path) : path_(std::move(path)), thread_([this] { watch(); }) {}
  ~WalWatch() {
    ended_ = true;
    thread_.join();
  }
  double most_mb() const { return static_cast<double>(most_.load()) / 1e6; }

 private:
  void watch() {
    while (!ended_) {
      std::error_code problem;
      const auto bytes = std::filesystem::file_size(path_, problem);
      if (!problem) most_ = std::max<std::uintmax_t>(most_, bytes);
      std::this_thread::sleep_for(50ms);
    }
  }
  const std::string path_;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uintmax_t> most_ = 0;
  std::thread thread_;
};

struct Cost {
  double median = 0, worst = 0;
  std::string of = {};
};

Cost cost_of(Asker& asker, const std::string& target, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(asker.milliseconds(target));
  return {median(all), *std::max_element(all.begin(), all.end()), target};
}

// The dearest of several, by its median.
Cost dearest(Asker& asker, const std::vector<std::string>& targets, int times) {
  Cost most;
  for (const std::string& target : targets) {
    const Cost one = cost_of(asker, target, times);
    const double worst = std::max(most.worst, one.worst);
    if (one.median > most.median) most = one;
    most.worst = worst;
  }
  return most;
}

bool tell(const char* what, const Cost& cost, double wanted) {
  std::printf("     %-34s %8.1f ms, at most %8.1f", what, cost.median, cost.worst);
  if (wanted > 0) std::printf("   (wanted: %.0f, ratio %.2f)", wanted, cost.median / wanted);
  if (!cost.of.empty()) std::printf("   %s", cost.of.c_str());
  std::puts("");
  std::fflush(stdout);
  return wanted <= 0 || cost.median < wanted;
}

// The first page of the table, asked for again and again while the copy is read for another.
Cost while_loading(std::uint16_t port, double& loaded_s) {
  std::atomic<bool> loaded = false;
  std::thread other([&] {
    Asker asker(port);
    loaded_s = asker.milliseconds("/api/v1/pages?sort=share&order=desc") / 1000;
    loaded = true;
  });
  Asker asker(port);
  std::vector<double> all;
  do {
    all.push_back(asker.milliseconds("/api/v1/pages?limit=50"));
    std::this_thread::sleep_for(10ms);
  } while (!loaded);
  other.join();
  return {median(all), *std::max_element(all.begin(), all.end()), ""};
}

// Of the copy alone, as it is in the daemon.
double copy_bytes(const std::string& database) {
  const auto reader = store::Reader::open(database);
  if (!reader) return 0;
  web::PageColumns copy;
  copy.begin();
  const auto count = (*reader)->page_figures(
      0, INT64_MAX, [&](const store::PageFigures& page) { (void)copy.take(page); });
  copy.end(copy.url_order());
  return count && *count > 0 ? static_cast<double>(copy.bytes()) / static_cast<double>(*count) : 0;
}

void write_list(const test::TempFolder& folder, int pages, std::uint16_t port,
                const std::vector<std::unique_ptr<test::Origin>>& origins) {
  std::ofstream list(folder.file("list.txt"));
  for (int i = 0; i < pages; ++i) {
    list << origins[static_cast<std::size_t>(i % list_hosts)]->url(
                "/section-" + std::to_string(i / list_hosts % sections) + "/article-" +
                std::to_string(i) + ".html")
         << "\n";
  }
  std::ofstream(folder.file("pollux.yaml"))
      << "budget: " << budget << "\ndatabase: list.db\npages_file: list.txt\n"
      << "network: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n"
      << "hosts: { delay: 0s, connections: 16, robots: ignore }\n"
      << "web: { listen: \"127.0.0.1:" << port << "\" }\n";
}

bool ask_everything(std::uint16_t port, const ListDaemon& daemon, int pages) {
  Asker asker(port);
  bool good = tell("first page", cost_of(asker, "/api/v1/pages?limit=50", 21), first_page_bar);
  const double before = daemon.resident_bytes();
  double loaded_s = 0;
  good &= tell("first page, the copy being read", while_loading(port, loaded_s), first_page_bar);
  const double grown = daemon.resident_bytes() - before;
  std::vector<std::string> sorts;
  for (const char* column : columns) {
    for (const char* order : {"asc", "desc"})
      sorts.push_back(std::string("/api/v1/pages?sort=") + column + "&order=" + order);
  }
  good &= tell("sorted, the dearest column", dearest(asker, sorts, 5), list_bar);
  const std::string list = "/api/v1/pages?";
  good &= tell("searched, the dearest",
               dearest(asker,
                       {list + "q=article-77", list + "q=nothing-has-this",
                        list + "q=article-7" + "&sort=share&order=desc",
                        list + "match=*/section-17/*5.html"},
                       5),
               list_bar);
  good &= tell("filtered, the dearest",
               dearest(asker,
                       {list + "host=127.0.0.5&sort=rate", list + "host=127.0.0.3&sort=polls",
                        list + "health=ok&sort=changed"},
                       5),
               list_bar);
  for (const char* route :
       {"status", "overview", "tree?depth=2", "tree?by=tag", "hosts", "what-if", "policy"})
    tell(route, cost_of(asker, std::string("/api/v1/") + route, 3), 0);
  std::printf("     the copy was there after %.1f s; the daemon grew by %.0f bytes per page\n",
              loaded_s, grown / pages);
  return good;
}

}  // namespace

bool large_list(int pages) {
  std::printf("   %d pages, %d polls/s\n", pages, budget);
  const test::TempFolder folder;
  std::vector<std::unique_ptr<test::Origin>> origins;
  for (int host = 0; host < list_hosts; ++host) {
    test::Origin::Options options;
    options.address = "127.0.0." + std::to_string(host + 1);
    origins.push_back(std::make_unique<test::Origin>(options));
    origins.back()->otherwise(test::serve::page("a page"));
  }
  const std::uint16_t port = free_port();
  write_list(folder, pages, port, origins);
  const std::string database = folder.file("list.db");
  ListDaemon(folder, port).stop();
  const std::string update = "sqlite3 '" + database + "' \"" + weeks_of_polls + "\"";
  if (std::system(update.c_str()) != 0) {
    std::puts("     the pages could not be given a past: is sqlite3 there?");
    return false;
  }

  ListDaemon daemon(folder, port);
  std::this_thread::sleep_for(3s);
  bool good = true;
  {
    const WalWatch wal(database + "-wal");
    const auto polls = [&] {
      std::size_t sum = 0;
      for (const auto& origin : origins) sum += origin->requests();
      return static_cast<double>(sum);
    };
    const double polls_before = polls();
    const auto begin = SteadyClock::now();
    good &= ask_everything(port, daemon, pages);
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    std::printf("     %.0f polls/s meanwhile; the WAL grew to %.1f MB (wanted: %.0f)\n",
                (polls() - polls_before) / seconds, wal.most_mb(), wal_bar_mb);
    good &= wal.most_mb() < wal_bar_mb;
  }
  daemon.stop();
  std::printf("     the copy takes %.0f bytes per page, URLs of %zu letters included\n",
              copy_bytes(database), origins[0]->url("/section-100/article-500000.html").size());
  std::fflush(stdout);
  return good;
}

}  // namespace pollux::bench
