#include "bench/detect/documents.hpp"
#include "bench/detect/figures.hpp"
#include "engine/known_texts.hpp"
#include "engine/look.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/store/content.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::test {
namespace {

constexpr double most_seconds = 1, most_mb = 128;
constexpr const char* page_url = "http://example.org/";

// What a look is at: a page that is new, one that is known, or another answer of the same moment.
enum class Against { nothing, version, twin };

struct Cost {
  double seconds = 0, mb = 0;
  std::string end;  // kept, or why not
  bool ok() const { return seconds <= most_seconds && mb <= most_mb; }
};

// A sign in every thousand is another one.
std::string altered(std::string text) {
  for (std::size_t i = 500; i < text.size(); i += 1000) text[i] = text[i] == '7' ? '8' : '7';
  return text;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}
double processor_seconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    sum += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return sum;
}

// The memory of a process and of those it started, what they share counted once.
double tree_mb(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    char state = 0;
    int parent = 0;
    if (std::sscanf(text.c_str() + end + 1, " %c %d", &state, &parent) == 2)
      children.emplace(parent, std::stoi(name));
  }
  double kb = 0;
  std::vector<pid_t> left = {root};
  while (!left.empty()) {
    const pid_t pid = left.back();
    left.pop_back();
    std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
    double own = 0;
    for (std::string word; file >> word;) {
      if (word != "Pss:") continue;
      file >> own;
      break;
    }
    kb += own;
    for (auto [at, last] = children.equal_range(pid); at != last; ++at) left.push_back(at->second);
  }
  return kb / 1024;
}

std::string what_came_of(const engine::Look& look) {
  if (look.failure) return look.failure->message;
  return "kept as " + std::string(extract::name_of(look.as)) + ", " +
         std::to_string(look.text.size()) + " bytes";
}

// In the child. The version before, as the file of versions has it.
void put_version(const std::string& database, const std::string& text, const std::string& hash) {
  std::string note;
  auto content = store::Content::open(database, {}, note);
  if (!content.ok()) return;
  (void)(*content)->put({{page_url, hash, "text", text, WallTime{}}});
}

[[noreturn]] void look_and_tell(const Hostile& hostile, const extract::SharedRules& rules,
                                Against against, const TempFolder& folder, int to) {
  engine::LookTask task;
  task.url = task.final_url = task.final_before = page_url;
  task.content_type = hostile.type;
  task.rules = rules;
  task.known = detect::Hash{};
  task.body = hostile.make();
  if (against == Against::version) {
    engine::LookTask earlier = task;
    earlier.body = altered(std::move(earlier.body));
    engine::KnownTexts none;
    const engine::Look before = engine::look(std::move(earlier), none);
    task.known = before.hash;
    put_version(folder.file("a.db"), before.text, detect::to_hex(before.hash));
  }
  engine::KnownTexts texts(against == Against::version ? folder.file("a.db") : std::string());
  if (against == Against::twin) {
    task.reason = engine::LookReason::twin;
    task.texts.push_back(altered(task.body));
  }
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak from here on
  const double start = processor_seconds();
  const auto began = std::chrono::steady_clock::now();
  const engine::Look look = engine::look(std::move(task), texts);
  // The clock of the machine counts what others do, too.
  const double took =
      std::min(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
               processor_seconds() - start);
  std::ifstream status("/proc/self/status");
  double kb = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kb;
  }
  const std::string said =
      std::to_string(took) + " " + std::to_string(kb / 1024) + " " + what_came_of(look);
  _exit(write(to, said.data(), said.size()) > 0 ? 0 : 1);
}

// In a process of its own, so that its memory is known.
Cost cost_of(const Hostile& hostile, const extract::Rules& rules, Against against) {
  const auto compiled = extract::compile(rules);
  if (!compiled.ok()) return {1e9, 0, "no rule: " + compiled.error().message};
  const TempFolder folder;
  int ends[2];
  if (pipe(ends) != 0) return {1e9, 0, "no pipe"};
  const pid_t child = fork();
  if (child == 0) look_and_tell(hostile, *compiled, against, folder, ends[1]);
  close(ends[1]);
  Cost cost;
  pollfd told{ends[0], POLLIN, 0};
  while (poll(&told, 1, 20) == 0) cost.mb = std::max(cost.mb, tree_mb(child));
  std::string said(4096, '\0');
  const ssize_t got = read(ends[0], said.data(), said.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  char* rest = nullptr;
  if (got <= 0) return {1e9, cost.mb, "it crashed"};
  said.resize(static_cast<std::size_t>(got));
  cost.seconds = std::strtod(said.c_str(), &rest);
  cost.mb = std::max(cost.mb, std::strtod(rest, &rest));
  cost.end = rest + 1;
  return cost;
}

class Table {
 public:
  Cost row(const std::string& name, const Hostile& hostile, const extract::Rules& rules,
           Against against) {
    const Cost cost = cost_of(hostile, rules, against);
    longest_ = std::max(longest_, cost.seconds);
    largest_ = std::max(largest_, cost.mb);
    missed_ += cost.ok() ? 0 : 1;
    ++rows_;
    std::printf("     %-40.40s %6.3f s %5.0f MB %s  %.100s\n", name.c_str(), cost.seconds, cost.mb,
                verdict(cost.ok()), cost.end.c_str());
    return cost;
  }
  void total() const {
    std::printf("   of %d the longest %.2f s, the largest %.0f MB, %d missed %s\n", rows_, longest_,
                largest_, missed_, verdict(missed_ == 0));
  }

 private:
  int rows_ = 0, missed_ = 0;
  double longest_ = 0, largest_ = 0;
};

}  // namespace

void hostile_inputs(std::string_view only) {
  const auto is_asked_for = [only](const std::string& name) {
    return name.find(only) != std::string::npos;
  };
  std::printf("   10 MiB of each kind (wanted: 1 s and 128 MB or less, its 10 MiB included)\n");
  Table table;
  for (const Hostile& hostile : hostile_documents()) {
    if (!is_asked_for(hostile.name)) continue;
    const Cost cost = table.row(hostile.name, hostile, {}, Against::nothing);
    if (!cost.end.starts_with("kept as")) continue;
    table.row(hostile.name + ", changed", hostile, {}, Against::version);
    table.row(hostile.name + ", twins", hostile, {}, Against::twin);
  }
  for (const HostileRules& hostile : hostile_rules()) {
    const std::string name = hostile.name + " on " + hostile.document.name;
    if (is_asked_for(name)) table.row(name, hostile.document, hostile.rules, Against::nothing);
  }
  table.total();
}

}  // namespace pollux::test
