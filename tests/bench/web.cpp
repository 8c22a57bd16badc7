// The web server beside the engine. First: how late polls are at 500 a second, without and with
// 5 000 requests per second, in turn. Then: questions about many pages. Last: the size of the page.
//   bench_web [ALTERNATIONS [SECONDS_EACH [PAGES...]]]
#include "bench/web/asker.hpp"
#include "bench/web/large_list.hpp"
#include "support/program.hpp"
#include "support/steady_polls.hpp"
#include "support/temp_folder.hpp"
#include "web/page_files.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace pollux;
using namespace pollux::test;
using namespace pollux::bench;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr double requests_per_second = 5'000;
constexpr double page_bar_kb = 300;

std::string web_line(std::uint16_t port) {
  return "web: { listen: \"127.0.0.1:" + std::to_string(port) + "\" }\n";
}

double cpu_seconds(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  double user = 0, system = 0;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct Phase {
  SteadyTime from, to;
  double cpu = 0;  // of the daemon, in cores
  double answered = 0, answer_p50_ms = 0, answer_p99_ms = 0;
  int failed = 0;
};

Phase run_phase(const Program& daemon, std::uint16_t port, int seconds, bool with_requests) {
  Phase phase;
  const double cpu = cpu_seconds(daemon.pid());
  phase.from = SteadyClock::now();
  if (with_requests) {
    const TempFolder folder;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    // A process of its own, as a browser or Prometheus would be.
    Program load(self, folder,
                 {"--load", std::to_string(port), std::to_string(requests_per_second),
                  std::to_string(seconds)});
    std::istringstream said(load.wait().out);
    said >> phase.answered >> phase.answer_p50_ms >> phase.answer_p99_ms >> phase.failed;
  } else {
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
  }
  phase.to = SteadyClock::now();
  phase.cpu = (cpu_seconds(daemon.pid()) - cpu) /
              std::chrono::duration<double>(phase.to - phase.from).count();
  return phase;
}

bool polls_beside_requests(int alternations, int seconds) {
  const TempFolder folder;
  const SteadyPolls polls;
  const std::uint16_t port = free_port();
  folder.write("pollux.yaml", web_line(port) + polls.yaml());
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  wait_until_ready(port);
  std::this_thread::sleep_for(12s);  // every page has been polled twice
  std::vector<Phase> phases;
  for (int i = 0; i < 2 * alternations; ++i)
    phases.push_back(run_phase(daemon, port, seconds, i % 2 == 1));
  daemon.send(SIGTERM);
  daemon.wait();

  std::vector<double> late[2], rate[2], cpu[2], answered;
  int failed = 0;
  for (int i = 0; i < alternations; ++i) {
    for (const int with : {0, 1}) {
      const Phase& phase = phases[static_cast<std::size_t>(2 * i + with)];
      const SteadyPolls::Seen seen = polls.seen(phase.from, phase.to);
      late[with].push_back(seen.late_p99_ms);
      rate[with].push_back(seen.per_second);
      cpu[with].push_back(phase.cpu);
    }
    const Phase& busy = phases[static_cast<std::size_t>(2 * i + 1)];
    answered.push_back(busy.answered);
    failed += busy.failed;
    std::printf(
        "   without: late by %.1f ms at p99, %.1f polls/s; with %.0f requests/s answered (%.1f ms "
        "at p50, %.1f at p99): %.1f ms, %.1f polls/s\n",
        late[0].back(), rate[0].back(), busy.answered, busy.answer_p50_ms, busy.answer_p99_ms,
        late[1].back(), rate[1].back());
  }
  const double before = median(late[0]), after = median(late[1]);
  const double rate_before = median(rate[0]), rate_after = median(rate[1]);
  std::printf("   medians: %.1f and %.1f ms (wanted: 10 %% or 2 ms more at most)\n", before, after);
  std::printf("   %.1f and %.1f polls/s, ratio %.3f (wanted: above 0.95)\n", rate_before,
              rate_after, rate_after / rate_before);
  std::printf(
      "   %.0f requests/s answered of %.0f, %d failed (wanted: 0); CPU of the daemon %.2f "
      "and %.2f cores, %.0f us per request\n",
      median(answered), requests_per_second, failed, median(cpu[0]), median(cpu[1]),
      (median(cpu[1]) - median(cpu[0])) / std::max(median(answered), 1.0) * 1e6);
  return after <= std::max(before * 1.1, before + 2) && rate_after > 0.95 * rate_before &&
         median(answered) > 0.95 * requests_per_second && failed == 0;
}

// Everything that the program serves of its page, as a browser would ask for it.
bool page_size() {
  const TempFolder folder;
  const std::uint16_t port = free_port();
  folder.write("pollux.yaml", web_line(port) +
                                  "budget: 1\ndatabase: page.db\nlog: { level: warn }\n"
                                  "network: { allow: [127.0.0.0/8] }\n"
                                  "pages: [\"http://127.0.0.1:9/\"]\n");
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  wait_until_ready(port);
  Asker asker(port);
  double plain = 0, gzip = 0, brotli = 0;
  int files = 0;
  for (const web::PageFile& file : web::page_files()) {
    const std::string name = file.name;
    if (name.ends_with(".gz") || name.ends_with(".br")) continue;
    ++files;
    const auto bytes = [&](const std::string& accepted) {
      const Reply reply = asker.get("/" + name, accepted);
      return reply.status == 200 ? static_cast<double>(reply.body.size()) : 1e9;
    };
    plain += bytes("");
    gzip += bytes("Accept-Encoding: gzip\r\n");
    brotli += bytes("Accept-Encoding: br\r\n");
  }
  daemon.send(SIGTERM);
  daemon.wait();
  std::printf(
      "   the page: %d files, %.1f KB, by gzip %.1f KB (wanted: %.0f, ratio %.2f), by "
      "brotli %.1f KB\n",
      files, plain / 1e3, gzip / 1e3, page_bar_kb, gzip / 1e3 / page_bar_kb, brotli / 1e3);
  if (files == 0) std::puts("   the program was built without its page");
  return files > 0 && gzip / 1e3 < page_bar_kb;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  if (given.size() == 4 && given[0] == "--load") {
    return run_load(static_cast<std::uint16_t>(std::atoi(given[1].c_str())),
                    std::atof(given[2].c_str()), std::atoi(given[3].c_str()));
  }
  const int alternations = given.empty() ? 5 : std::atoi(given[0].c_str());
  const int seconds = given.size() < 2 ? 20 : std::atoi(given[1].c_str());
  std::vector<int> sizes;
  for (std::size_t i = 2; i < given.size(); ++i) sizes.push_back(std::atoi(given[i].c_str()));
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000};
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool good = page_size();
  if (alternations > 0) good &= polls_beside_requests(alternations, seconds);
  for (const int pages : sizes) {
    if (pages > 0) good &= large_list(pages);
  }
  std::puts(good ? "   all as wanted" : "   NOT as wanted");
  return good ? 0 : 1;
}
