#include "chaos/subject.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace pollux::chaos {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr double most_mb = 256;
// Then it counts as running. What became due meanwhile comes at once when it is ready or goes on,
// and would make up for polls that are missing later: counted from the first moment, more than all
// polls are had.
constexpr std::chrono::milliseconds to_start = 1000ms, to_thaw = 500ms;

SteadyTime now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

Subject::Subject(const Options& options, const Web& web, Observer& observer)
    : memory{.name = "memory", .wanted = "<= 256 MB"},
      exits{.name = "ends only when told, and well", .wanted = "always", .worst = "0 wrong"},
      deletions{.name = "a deleted database comes back", .wanted = "in 7 s", .worst = "-"},
      options_(options),
      web_(web),
      observer_(observer),
      disk_(folder_ / "disk", "size=64m"),
      clock_(folder_ / "clock") {
  std::ofstream(folder_ / "ca.pem") << web.ca_pem();
  for (unsigned i = 0; i < late_hosts / 2; ++i) {
    late_pages_.insert(i);
    observer_.listed(address(Group::late, i), true);
  }
  write_configuration();
}

void Subject::write_configuration() const {
  std::ofstream file(folder_ / "new.yaml");
  file << "budget: " << options_.told.budget
       << "\ndatabase: disk/chaos.db\nlearner: { seed: " << options_.seed
       << " }\nlog: { level: " << (std::getenv("POLLUX_CHAOS_LOG") ? "debug" : "info")
       << " }\nnetwork: { allow: [127.0.0.0/8], ca_file: ca.pem }\n"
          "rules: [{ match: \"*\", content: { as: raw } }]\n"
       << "defaults: { min_interval: " << interval.count() << "ms, timeout: 5s"
       << (options_.told.user_agent.empty() ? "" : ", user_agent: " + options_.told.user_agent)
       << " }\nhosts:\n  delay: " << options_.told.delay.count()
       << "ms\n  robots: " << (options_.told.obey_robots ? "obey" : "ignore") << "\n  overrides:\n";
  for (unsigned i = 0; i < patient_hosts; ++i) {
    file << "    \"" << address(Group::patient, i) << "\": { delay: " << patient_delay.count()
         << "ms }\n";
  }
  file << "pages:\n";
  for (unsigned i = 0; i < healthy_hosts; ++i) {
    file << "  - { url: '" << web_.url(Group::healthy, i)
         << "', min_interval: " << healthy_interval.count() << "ms }\n";
  }
  for (unsigned i = 0; i < patient_hosts; ++i)
    file << "  - " << web_.url(Group::patient, i) << "\n";
  for (unsigned i = 0; i < victim_hosts; ++i) file << "  - " << web_.url(Group::victim, i) << "\n";
  file << "  - " << web_.url(Group::silenced, 0) << "\n";
  for (const unsigned i : late_pages_) file << "  - " << web_.url(Group::late, i) << "\n";
  file.close();
  fs::rename(folder_ / "new.yaml", folder_ / "pollux.yaml");
}

// --- The process.

void Subject::start() {
  if (daemon_) return;
  daemon_ = std::make_unique<test::Program>(
      options_.binary, folder_.path(),
      std::vector<std::string>{"run", "--config", (folder_ / "pollux.yaml").string()},
      clock_.environment(options_.clock_library));
  ready_ = false;
}

void Subject::notice_ready() {
  if (ready_ || daemon_->text("err").find("watching ") == std::string::npos) return;
  ready_ = true;
  begin_stretch(to_start);
}

void Subject::begin_stretch(std::chrono::milliseconds in) {
  running_since_ = now() + in;
}

void Subject::end_stretch() {
  if (running_since_ && *running_since_ < now()) running_.push_back({*running_since_, now()});
  running_since_.reset();
}

void Subject::look_after() {
  if (deleted_at_ && fs::exists(database())) {
    const SteadyTime deleted = *std::exchange(deleted_at_, std::nullopt);
    longest_deleted_ =
        std::max(longest_deleted_, std::chrono::duration<double>(now() - deleted).count());
  }
  if (!daemon_) return;
  notice_ready();
  peak_mb_ = daemon_->peak_mb();
  memory.worst = std::to_string(static_cast<int>(
                     std::max(peak_mb_, memory.worst.empty() ? 0 : std::stod(memory.worst)))) +
                 " MB";
  memory.expect(peak_mb_ <= most_mb, std::to_string(static_cast<int>(peak_mb_)) + " MB");
  siginfo_t state{};
  const bool gone =
      waitid(P_PID, static_cast<id_t>(daemon_->pid()), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      state.si_pid != 0;
  if (!gone) {
    if (reload_waits_) tell_to_reload();
    return;
  }
  end_stretch();
  const test::Finished finished = daemon_->wait();
  daemon_.reset();
  ended(finished);
  // With a full disk it may refuse to start.
  exits.expect(
      disk_full_ && finished.exit_code == 74,
      (state.si_code == CLD_EXITED ? "it ended by itself with " : "it was ended by signal ") +
          std::to_string(state.si_status) + ": " +
          finished.err.substr(finished.err.size() > 300 ? finished.err.size() - 300 : 0));
  exits.worst = std::to_string(exits.violated) + " wrong";
  start();
}

void Subject::ended(const test::Finished& finished) {
  // For whoever looks for the reason of a violation.
  if (const char* file = std::getenv("POLLUX_CHAOS_LOG")) {
    std::ofstream(file, std::ios::app) << "--- ended " << observer_.moment(now()) << "\n"
                                       << finished.err;
  }
  std::istringstream log(finished.err);
  for (std::string line; std::getline(log, line);) {
    // A line cut by a kill was not reported.
    if (log.eof()) break;
    const auto at = line.find("changed: ");
    if (at == std::string::npos) continue;
    std::string url = line.substr(at + 9, line.find(' ', at + 9) - at - 9);
    if (url.back() == ':') url.pop_back();  // what changed follows
    ++reported_[url];
  }
}

void Subject::kill() {
  if (!daemon_) return;
  look_after();
  end_stretch();
  daemon_->send(SIGKILL);
  kills_.push_back({now(), unsure_since()});
  ended(daemon_->wait());
  daemon_.reset();
}

// A poll is on disk within a second of the program's time; while the disk is full it is not, and
// writing is tried again every two seconds.
SteadyTime Subject::unsure_since() const {
  SteadyTime unsure = now() - 1s;
  if (frozen_.to > unsure) unsure -= frozen_.to - frozen_.from;
  const bool unwritten = full_since_ && (!room_since_ || now() - *room_since_ < 4s);
  if (unwritten) unsure = std::min(unsure, *full_since_ - 1s);
  return unsure;
}

void Subject::stop() {
  if (!daemon_) return;
  end_stretch();
  const SteadyTime asked = now();
  const bool minds = daemon_->minds(SIGTERM);  // before that there is nothing to end well
  daemon_->send(SIGTERM);
  const test::Finished finished = daemon_->wait();
  daemon_.reset();
  ended(finished);
  exits.expect((finished.exit_code == 0 || !minds) && now() - asked < 10s,
               "told to stop, it ended with " + std::to_string(finished.exit_code) + ": " +
                   finished.err.substr(finished.err.size() > 300 ? finished.err.size() - 300 : 0));
}

void Subject::freeze() {
  end_stretch();
  if (!daemon_) return;
  daemon_->send(SIGSTOP);
  frozen_ = {now(), {}};
}

void Subject::thaw() {
  if (!daemon_) return;
  daemon_->send(SIGCONT);
  frozen_.to = now();
  if (ready_) begin_stretch(to_thaw);
}

// --- Its machine.

void Subject::fill_disk() {
  disk_full_ = true;
  full_since_ = now();
  room_since_.reset();
  disk_.fill();
}

void Subject::make_room() {
  disk_.make_room();
  disk_full_ = false;
  room_since_ = now();
}

// A machine that is busy with other things may need a while.
void Subject::await_start() {
  for (int i = 0; i < 200 && daemon_ && !ready_; ++i) {
    std::this_thread::sleep_for(100ms);
    look_after();
  }
}

void Subject::delete_database() {
  await_start();
  deleted_at_ = now();
  fs::remove(database());
}

void Subject::expect_database() {
  deletions.expect(fs::exists(database()), "it is still missing");
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", longest_deleted_);
  deletions.worst = seconds;
}

void Subject::reload(std::int64_t variant) {
  // Three others come or go.
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto page = static_cast<unsigned>((variant + 7 * i) % late_hosts);
    const bool added = late_pages_.erase(page) == 0;
    if (added) late_pages_.insert(page);
    observer_.listed(address(Group::late, page), added);
  }
  write_configuration();
  tell_to_reload();
}

// The kernel ends a program that is told to reload before its first instruction, while its
// libraries are being linked. Service managers wait for READY=1; we wait no longer than for the
// program.
void Subject::tell_to_reload() {
  reload_waits_ = daemon_ && !daemon_->minds(SIGHUP);
  if (daemon_ && !reload_waits_) daemon_->send(SIGHUP);
}

void Subject::reload_nonsense() {
  await_start();  // with this it would not even start
  std::ofstream(folder_ / "pollux.yaml") << "budget: [not, a, number\npages: }\n";
  tell_to_reload();
}

// --- The end.

// The database as anybody would look at it.
std::string Subject::sqlite(const std::string& sql) const {
  const std::string command = "sqlite3 -readonly '" + database() + "' \"" + sql + "\"";
  std::string answer;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char buffer[4096];
    while (fgets(buffer, sizeof buffer, pipe)) answer += buffer;
    pclose(pipe);
  }
  return answer.substr(0, answer.find_last_not_of('\n') + 1);
}

std::vector<Change> Subject::changes() {
  std::istringstream rows(
      sqlite("select url, lower(old_hash), lower(new_hash) from change join page "
             "on page.id = page_id order by change.id"));
  std::vector<Change> all;
  for (std::string row; std::getline(rows, row);) {
    const std::size_t last = row.rfind('|'), first = row.rfind('|', last - 1);
    all.push_back(
        {row.substr(0, first), row.substr(first + 1, last - first - 1), row.substr(last + 1)});
  }
  return all;
}

Invariant Subject::reported_changes() {
  Invariant held{.name = "no reported change missing", .wanted = "0"};
  std::map<std::string, std::uint64_t> stored;
  for (const Change& change : changes()) ++stored[change.url];
  std::uint64_t missing = 0;
  for (const auto& [url, count] : reported_) {
    missing += count - std::min(count, stored[url]);
    held.expect(stored[url] >= count, url + ": " + std::to_string(count) + " reported, " +
                                          std::to_string(stored[url]) + " stored");
  }
  held.checked = 0;
  for (const auto& [url, count] : reported_) held.checked += count;
  held.violated = missing;
  held.worst = std::to_string(missing) + " missing";
  return held;
}

Invariant Subject::database_is_sound() {
  Invariant held{.name = "the database is sound", .wanted = "ok"};
  held.worst = sqlite("pragma integrity_check").substr(0, 60);
  held.expect(held.worst == "ok", held.worst);
  return held;
}

}  // namespace pollux::chaos
