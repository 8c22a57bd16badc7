#include "bench/noise/urlwatch.hpp"

#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace pollux::noise {
namespace {

using Clock = std::chrono::system_clock;
constexpr const char* binary = "/usr/bin/urlwatch";

// HTML as text, as its manual advises; JSON and feeds as they come.
void write_jobs(const test::NoisyWeb& web, const test::TempFolder& folder) {
  std::ofstream file(folder.file("urls.yaml"));
  for (std::size_t i = 0; i < web.pages().size(); ++i) {
    const test::NoiseKind kind = web.pages()[i].kind;
    const bool is_html =
        kind < test::NoiseKind::json_key_order || kind > test::NoiseKind::feed_build_date;
    file << "---\nname: \"" << web.url(i) << "\"\nurl: " << web.url(i) << "\n"
         << (is_html ? "filter:\n  - html2text\n" : "");
  }
  std::ofstream(folder.file("urlwatch.yaml"))
      << "display: { new: false, error: false, unchanged: false }\n"
         "report: { text: { details: true, footer: false, line_length: 0, minimal: false }, "
         "stdout: { enabled: true, color: false } }\n";
}

// A heading "CHANGED: URL" and the difference under it, up to the next heading. Each run asks every
// page once, so the change was there since some time in this run.
void read_report(const std::string& report, Clock::time_point from,
                 std::vector<test::Recorded>& found) {
  constexpr std::string_view heading = "CHANGED: ";
  std::istringstream lines(report);
  test::Recorded* open = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(heading)) {
      open =
          &found.emplace_back(test::Recorded{line.substr(heading.size()), Clock::now(), from, {}});
    } else if (open != nullptr && line.starts_with('+') && !line.starts_with("+++")) {
      open->summary += line.substr(1) + "\n";
    }
  }
}

}  // namespace

bool urlwatch_is_installed() {
  return access(binary, X_OK) == 0;
}

std::vector<test::Recorded> run_urlwatch(const test::NoisyWeb& web, std::chrono::seconds length,
                                         std::chrono::seconds every) {
  const test::TempFolder folder;
  write_jobs(web, folder);
  std::vector<test::Recorded> found;
  const Clock::time_point end = Clock::now() + length;
  while (Clock::now() < end) {
    const Clock::time_point start = Clock::now();
    test::Program run(
        "/usr/bin/nice", folder,
        {binary, "--urls", folder.file("urls.yaml"), "--config", folder.file("urlwatch.yaml"),
         "--hooks", folder.file("hooks.py"), "--cache", folder.file("cache.db")});
    read_report(run.wait().out, start, found);
    std::this_thread::sleep_until(std::min(start + every, end));
  }
  return found;
}

}  // namespace pollux::noise
