#include "cli/unit_costs.hpp"

#include "agent/messages.hpp"
#include "brains/messages.hpp"
#include "cli/temporary_folder.hpp"
#include "engine/lists.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/config/config.hpp"
#include "pollux/lab/cost_experiment.hpp"
#include "pollux/store/store.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;
using lab::UnitCosts;

constexpr std::size_t rows_to_write = 20'000, batches_to_write = 400;
// What a daemon waits for until it writes, or sends polls to an agent.
constexpr double seconds_of_a_batch = 0.5, seconds_of_a_message = 0.005;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Given to write() and its kin by this process.
double written_bytes() {
  std::ifstream file("/proc/self/io");
  double bytes = 0;
  for (std::string word; file >> word;) {
    if (word == "wchar:") file >> bytes;
  }
  return bytes;
}

std::string url_of(std::size_t page) {
  return "https://www.site" + std::to_string(page / 50) + ".example/section/page-" +
         std::to_string(page) + ".html";
}

// A poll that found nothing new.
store::PollRecord row_of(PageId page, WallTime now) {
  store::PollRecord record;
  record.page = page;
  record.progress.polls = 10;
  record.progress.last_polled_at = record.progress.last_confirmed_at = now;
  record.progress.last_status = 200;
  record.progress.content_hash = record.progress.body_hash = std::string(64, 'a');
  record.progress.body_bytes = 20'000;
  record.progress.share = 1e-6;
  record.progress.next_due_at = now + std::chrono::hours(1);
  record.progress.change_rate_per_day = 0.1;
  record.progress.slow_hits = 1;
  record.progress.slow_miss_time = 1e6;
  return record;
}

Status build_list(const std::string& folder, std::size_t pages, double rate, std::uint64_t seed,
                  UnitCosts& costs) {
  const auto count = static_cast<double>(pages);
  const std::string file = folder + "/cost.db";
  const SystemClock clock;
  const double before = resident_bytes(), begun = cpu_seconds();
  auto opened = store::Store::open(file);
  if (!opened) return opened.error();
  store::Store& store = **opened;
  std::string text = "budget: 1000\npages:\n";
  for (std::size_t i = 0; i < pages; ++i) text += "  - " + url_of(i) + "\n";
  auto loaded = config::load_text(text, "pollux.yaml");
  if (!loaded) return loaded.error();
  text = {};
  engine::Lists lists(std::move(loaded->config));
  const engine::Moment now{clock.now(), clock.wall()};
  if (Status made = lists.make_learner(now.now); !made) return made;
  {
    const engine::WantedPages wanted(lists.config);
    if (Status filled = lists.fill(store, wanted, now); !filled) return filled;
    static_cast<void>(lists.take_read_settings());
  }
  // Puts the learner's tree in order, as the first decision does.
  static_cast<void>(lists.policy->share(PageSlot{0}));
  costs.start_us_per_page = (cpu_seconds() - begun) / count * 1e6;
  costs.memory_bytes_per_page = (resident_bytes() - before) / count;
  costs.learner_bytes_per_page =
      static_cast<double>(lists.policy->memory_bytes() + lists.scheduler->memory_bytes()) / count;

  std::vector<PageId> ids;
  static_cast<void>(lists.pages.append_ids(ids, lists.pages.slots()));
  std::erase(ids, PageId{});  // slots that are free
  Rng rng(seed);
  const auto rows_at_once = static_cast<std::size_t>(
      std::clamp(rate * seconds_of_a_batch, 1.0, static_cast<double>(rows_to_write)));
  const std::size_t batches =
      std::clamp<std::size_t>(rows_to_write / rows_at_once, 1, batches_to_write);
  const auto rows = static_cast<double>(batches * rows_at_once);
  const double cpu = cpu_seconds(), written = written_bytes();
  for (std::size_t done = 0; done < batches; ++done) {
    store::Batch batch;
    for (std::size_t i = 0; i < rows_at_once; ++i)
      batch.polls.push_back(row_of(ids[rng.below(ids.size())], now.wall));
    if (const auto wrote = store.write(batch, "htraa"); !wrote) return wrote.error();
  }
  costs.row_us = (cpu_seconds() - cpu) / rows * 1e6;
  if (Status finished = store.finish(); !finished) return finished;
  opened->reset();  // what the log holds goes into the file
  costs.row_bytes = (written_bytes() - written) / rows;
  costs.file_bytes_per_page = static_cast<double>(fs::file_size(file)) / count;
  return success();
}

void measure_messages(double rate, UnitCosts& costs) {
  brains::AskMessage ask{"0123456789abcdef", {}, {}};
  ask.ask.id = ask.ask.held = 100'000;
  ask.ask.knows = ask.ask.epoch = 12;
  ask.ask.rate = 51.2345678;
  ask.figures = {0.123456789, 5'000'000, 100'000, 123'456'789, 12'345'678, 1'234'567, 50.123456};
  const brains::GrantMessage grant{"0123456789abcdef",
                                   {12, 100'000, 51.2345678, std::chrono::seconds(20), false}};
  const std::string asked = brains::text_of(ask), granted = brains::text_of(grant);
  costs.ask_bytes = static_cast<double>(asked.size());
  costs.grant_bytes = static_cast<double>(granted.size());
  constexpr int times = 20'000;
  const double begun = cpu_seconds();
  std::size_t bytes = 0;
  for (int i = 0; i < times; ++i) {
    bytes += static_cast<std::size_t>(brains::read_ask(asked).has_value());
    bytes += brains::text_of(grant).size();
  }
  costs.message_us = bytes > 0 ? (cpu_seconds() - begun) / times * 1e6 : 0;

  const auto together = static_cast<std::size_t>(
      std::clamp(rate * seconds_of_a_message, 1.0, static_cast<double>(agent::most_polls_at_once)));
  agent::Polls polls{1, 2, std::chrono::seconds(3), {}};
  agent::Results results{1, 2, {}};
  for (std::uint64_t i = 0; i < together; ++i) {
    agent::Poll poll;
    poll.id = i;
    poll.request.url = url_of(i * 1000);
    poll.remote.known_body = fetch::Remote::Hash{};
    polls.polls.push_back(std::move(poll));
    agent::Result result;
    result.id = i;
    result.response.status = 200;
    result.response.body_bytes = 20'000;
    results.results.push_back(std::move(result));
  }
  costs.polls_per_message = static_cast<double>(together);
  costs.poll_bytes = static_cast<double>(agent::encode(polls).size()) / costs.polls_per_message;
  costs.result_bytes = static_cast<double>(agent::encode(results).size()) / costs.polls_per_message;
}

// What the child sends: the costs, or why there are none.
struct Report {
  UnitCosts costs;
  char trouble[256] = {};
};
static_assert(std::is_trivially_copyable_v<Report>);

Report measure(std::size_t pages, double rate, std::uint64_t seed) {
  Report report;
  spdlog::set_level(spdlog::level::warn);
  const auto say = [&report](const Error& error) {
    std::strncpy(report.trouble, error.message.c_str(), sizeof report.trouble - 1);
  };
  const Result<std::string> folder = make_temporary_folder("pollux-cost");
  if (!folder) {
    say(folder.error());
    return report;
  }
  report.costs.pages = static_cast<double>(pages);
  const Status built = build_list(*folder, pages, rate, seed, report.costs);
  std::error_code ignored;
  fs::remove_all(*folder, ignored);
  if (!built) say(built.error());
  measure_messages(rate, report.costs);
  report.costs.decision_us = lab::measure_cost("htraa", pages, seed).ns_per_decision / 1e3;
  return report;
}

}  // namespace

Result<UnitCosts> measure_units(std::size_t pages, double rate, std::uint64_t seed) {
  int ends[2];
  if (pipe(ends) != 0) return Error{"no pipe can be made", ExitCode::io};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Error{"no process can be made", ExitCode::io};
  if (child == 0) {
    const Report report = measure(pages, rate, seed);
    const bool sent = write(ends[1], &report, sizeof report) == ssize_t{sizeof report};
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Report report;
  std::size_t have = 0;
  while (have < sizeof report) {
    const ssize_t more =
        read(ends[0], reinterpret_cast<char*>(&report) + have, sizeof report - have);
    if (more <= 0) break;
    have += static_cast<std::size_t>(more);
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (have < sizeof report)
    return Error{"the process that measured has ended: is there enough memory?", ExitCode::io};
  if (report.trouble[0] != '\0') return Error{report.trouble, ExitCode::io};
  return report.costs;
}

}  // namespace pollux::cli
