// What a rendered page costs: `./dev bench render [PAGES]`. Pages made by scripts, two at a time,
// of an origin beside it; CPU and memory of all of the browser's processes, and our own, from
// /proc.
#include "pollux/render/renderer.hpp"
#include "support/behaviours.hpp"
#include "support/chromium.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <unistd.h>

namespace {

using namespace pollux;
using Clock = std::chrono::steady_clock;

struct Usage {
  double cpu = 0;     // seconds, of those that have ended, too
  double pss_mb = 0;  // of those that run
  int processes = 0;
};

// Of everything below this process.
Usage usage_below() {
  struct Process {
    int parent = 0;
    double cpu = 0;
  };
  std::map<int, Process> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (pid == 0 || !std::getline(file, line)) continue;
    std::istringstream rest(line.substr(line.rfind(')') + 2));
    std::string state, skipped;
    Process process;
    rest >> state >> process.parent;
    for (int i = 0; i < 9; ++i) rest >> skipped;
    for (int i = 0; i < 4; ++i) {  // its own, and that of children that have ended
      double ticks = 0;
      rest >> ticks;
      process.cpu += ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
    all[pid] = process;
  }
  Usage usage;
  const std::function<void(int)> add = [&](int parent) {
    for (const auto& [pid, process] : all) {
      if (process.parent != parent) continue;
      ++usage.processes;
      usage.cpu += process.cpu;
      std::ifstream rollup("/proc/" + std::to_string(pid) + "/smaps_rollup");
      for (std::string word; rollup >> word;) {
        double kb = 0;
        if (word == "Pss:" && rollup >> kb) usage.pss_mb += kb / 1024;
      }
      add(pid);
    }
  };
  add(getpid());
  return usage;
}

struct Handler : fetch::Handler {
  fetch::Fetcher* fetcher = nullptr;
  int done = 0, failed = 0;
  void on_ready(fetch::Token token) override { fetcher->send(token); }
  void on_piece(fetch::Token token, std::string piece) override {
    fetcher->grant(token, piece.size());
  }
  void on_done(fetch::Response response) override {
    ++done;
    if (response.failure != fetch::Failure::none || response.status != 200) {
      ++failed;
      std::printf("failed: %s\n", response.failure_text.c_str());
    }
  }
};

double own_cpu() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const int pages = argc > 1 ? std::atoi(argv[1]) : 40;
  if (!test::has_chromium()) {
    std::printf("no %s\n", test::chromium.c_str());
    return 1;
  }
  test::Origin origin;
  origin.on("/", test::serve::page(
                     "<!DOCTYPE html><title>List</title><main id=m></main><script>"
                     "fetch('/data').then(r => r.json()).then(all => { for (const one of all) {"
                     "const p = document.createElement('p'); p.textContent = one; m.append(p) } })"
                     "</script>",
                     "Content-Type: text/html\r\n"));
  std::string data = "[\"first\"";
  for (int i = 0; i < 500; ++i) data += ",\"line " + std::to_string(i) + " of many\"";
  origin.on("/data", test::serve::page(data + "]", "Content-Type: application/json\r\n"));

  boost::asio::io_context io{1};
  Handler handler;
  render::Options options;
  options.program = test::chromium;
  fetch::Options network;
  network.allow = {"127.0.0.1"};
  auto made = render::make_renderer(io, options, network, handler);
  if (!made.ok()) {
    std::printf("%s\n", made.error().message.c_str());
    return 1;
  }
  handler.fetcher = made->get();
  std::uint64_t token = 0;
  double peak = 0;
  double looking = 0;  // seconds that the measuring itself took
  auto sampled = Clock::now();
  const auto render = [&](int count) {
    const int wanted = handler.done + count;
    for (int i = 0; i < count; ++i) {
      fetch::Request request;
      request.token = fetch::Token{++token};
      request.url = origin.url("/");
      handler.fetcher->start(std::move(request));
    }
    io.restart();
    while (handler.done < wanted && io.run_one() > 0) {
      if (Clock::now() - sampled < std::chrono::milliseconds(200)) continue;
      const double looking_from = own_cpu();
      peak = std::max(peak, usage_below().pss_mb);
      looking += own_cpu() - looking_from;
      sampled = Clock::now();
    }
  };
  const auto begin = Clock::now();
  render(1);
  const std::chrono::duration<double> first = Clock::now() - begin;
  const Usage before = usage_below();
  looking = 0;
  const double own_before = own_cpu();
  const auto start = Clock::now();
  for (int left = pages; left > 0; left -= 4) render(std::min(left, 4));
  const std::chrono::duration<double> took = Clock::now() - start;
  const Usage after = usage_below();
  std::printf("   browser and first page: %.2f s; at rest %d processes, %.0f MB (PSS)\n",
              first.count(), before.processes, before.pss_mb);
  std::printf(
      "   %d pages, %zu at a time: %.2f s each, %.0f ms CPU each in the browser, %.1f ms in "
      "us and the origin, at most %.0f MB (PSS), %d failed\n",
      pages, options.pages, took.count() / pages, 1000 * (after.cpu - before.cpu) / pages,
      1000 * (own_cpu() - looking - own_before) / pages, std::max(peak, after.pss_mb),
      handler.failed);
  return handler.failed == 0 ? 0 : 1;
}
