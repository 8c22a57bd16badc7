// What looking into a changed page costs: one of 100 KB with three rules, how that grows with the
// size, 10 MiB of every hostile kind, and 300 changed pages of 1 MiB at once in the real program.
//   bench_detect [hostile|cost|many]
#include "engine/known_texts.hpp"
#include "engine/look.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mib = 1u << 20;
constexpr std::size_t hostile_bytes = 10 * mib;
constexpr const char* html_type = "text/html; charset=utf-8";

const char* verdict(bool ok) {
  return ok ? "ok" : "MISSED";
}

// An article after the other, with links, lists and a sidebar.
std::string article_page(std::size_t bytes, int version) {
  std::string page = "<!doctype html><html><head><title>News</title></head><body><main>\n";
  for (int i = 0; page.size() + 400 < bytes; ++i) {
    const std::string number = std::to_string(i);
    page += "<article class=\"item n" + number + "\"><h2><a href=\"/story/" + number + "\">Story " +
            number + " of the day</a></h2><p>Something has <b>happened</b> at place " + number +
            ", and <i>version " + (i % 50 == 0 ? std::to_string(version) : "none") +
            "</i> of it is told here in a few more words than needed.</p><div class=ad>Buy " +
            number + "</div><ul><li>one</li><li>updated 3 minutes ago</li></ul></article>\n";
  }
  return page + "</main></body></html>\n";
}

extract::SharedRules three_rules() {
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, "main article"}};
  rules.remove = {{extract::Selector::Language::css, ".ad"}};
  rules.ignore = {"updated \\d+ (minutes|hours) ago"};
  return extract::compile(rules).value();
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}
// The median: the machine has other things to do.
double median_ms(int times, const std::function<void(int)>& run) {
  std::vector<double> took;
  for (int i = 0; i < times; ++i) {
    const double start = cpu_ms();
    run(i);
    took.push_back(cpu_ms() - start);
  }
  std::nth_element(took.begin(), took.begin() + times / 2, took.end());
  return took[static_cast<std::size_t>(times) / 2];
}

double extract_ms(const std::string& page, const extract::SharedRules& rules, int times) {
  return median_ms(times, [&](int) {
    const auto kept = extract::extract({page, html_type}, *rules, {});
    if (!std::holds_alternative<extract::Kept>(kept)) std::puts("   it failed");
  });
}
double hash_ms(const std::string& page, int times) {
  return median_ms(times, [&](int) {
    detect::Digest digest;
    digest.update(page);
    digest.finish();
  });
}

// Everything a detection thread does: extract, compare with the version before, tell the words.
double look_ms(std::size_t bytes, const extract::SharedRules& rules, int times) {
  engine::KnownTexts texts;
  std::optional<detect::Hash> known;
  const auto look_at = [&](int version) {
    engine::LookTask task;
    task.url = task.final_url = task.final_before = "http://example.org/";
    task.content_type = html_type;
    task.body = article_page(bytes, version);
    task.rules = rules;
    task.known = known;
    return task;
  };
  known = engine::look(look_at(1), texts).hash;
  std::vector<engine::LookTask> tasks;
  for (int i = 0; i < times; ++i) tasks.push_back(look_at(i + 2));
  return median_ms(times, [&](int i) {
    known = engine::look(std::move(tasks[static_cast<std::size_t>(i)]), texts).hash;
  });
}

void one_page() {
  const extract::SharedRules rules = three_rules();
  const std::string page = article_page(100'000, 1);
  const double hash = hash_ms(page, 51), kept = extract_ms(page, rules, 51);
  const double whole = look_ms(100'000, rules, 51);
  std::printf(
      "   a changed page of 100 KB with three rules: %.2f ms to extract (wanted: 5 or less) "
      "%s, %.0f times its SHA-256 (%.3f ms); compared and told %.2f ms\n",
      kept, verdict(kept <= 5), kept / hash, hash, whole);
  std::printf("   by size, to extract, and compared and told:\n");
  for (const std::size_t bytes : {10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
    const int times = bytes > 1'000'000 ? 3 : 11;
    const std::string sized = article_page(bytes, 1);
    const auto got = extract::extract({sized, html_type}, *rules, {});
    const auto* failure = std::get_if<extract::Failure>(&got);
    const double took =
        failure == nullptr ? extract_ms(sized, rules, times) : median_ms(times, [&](int) {
          (void)extract::extract({sized, html_type}, *rules, {});
        });
    std::printf("     %8zu bytes %8.2f ms %8.2f ms, %.1f ns a byte%s%s\n", bytes, took,
                look_ms(bytes, rules, times), 1e6 * took / static_cast<double>(bytes),
                failure != nullptr ? "; refused: " : "",
                failure != nullptr ? failure->message.c_str() : "");
  }
}

std::string repeated(std::string_view part, std::size_t bytes = hostile_bytes) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}
std::string random_bytes(bool letters) {
  std::string text(hostile_bytes, ' ');
  std::uint64_t state = 7;
  for (char& c : text) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto byte = static_cast<unsigned char>(state >> 56U);
    c = static_cast<char>(letters ? (byte % 7 == 0 ? ' ' : 'a' + byte % 26) : byte);
  }
  return text;
}
std::string entity_bomb() {
  std::string text = "<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c <= 'k'; ++c) {
    text += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) text += std::string("&") + static_cast<char>(c - 1) + ";";
    text += "\">";
  }
  return text + "]><rss version=\"2.0\"><channel><title>" + repeated("&k;", hostile_bytes - 2000) +
         "</title></channel></rss>";
}

// A sign in every thousand is another one.
std::string altered(std::string text) {
  for (std::size_t i = 500; i < text.size(); i += 1000) text[i] = text[i] == '7' ? '8' : '7';
  return text;
}

struct Hostile {
  const char* name;
  const char* type;
  std::function<std::string()> make;
};
std::vector<Hostile> hostile_kinds() {
  const auto of = [](std::string part) { return [part] { return repeated(part); }; };
  return {{"nested <div>", html_type, of("<div>")},
          {"nested <table>", html_type, of("<table><tr><td>")},
          {"misnested <b><i>", html_type, of("<b><i><p></b>")},
          {"<a> in <a>", html_type, of("<a href=x>y")},
          {"many <p>", html_type, of("<p>word")},
          {"one attribute", html_type,
           [] { return "<p title=\"" + repeated("x", hostile_bytes - 100) + "\">text</p>"; }},
          {"many attributes", html_type,
           [] {
             std::string text = "<p ";
             for (int i = 0; text.size() < hostile_bytes; ++i)
               text += "a" + std::to_string(i) + "=1 ";
             return text + ">text</p>";
           }},
          {"<select><option>", html_type, of("<select><option>")},
          {"unclosed comment", html_type, of("<!-- -")},
          {"only <", html_type, of("<")},
          {"entities", html_type, of("&notin;&amp;&bogus")},
          {"NUL", html_type, [] { return std::string(hostile_bytes, '\0'); }},
          {"plain words", html_type, [] { return random_bytes(true); }},
          {"random bytes", html_type, [] { return random_bytes(false); }},
          {"numbers to mask", html_type, of("12:30 99 2026-01-01 3 minutes ago deadbeef01 ")},
          {"one line of text", "text/plain", of("word ")},
          {"nested JSON", "application/json", of("[")},
          {"nested objects", "application/json", of("{\"a\":")},
          {"many JSON numbers", "application/json",
           [] { return "[" + repeated("1,", hostile_bytes - 10) + "1]"; }},
          {"many JSON members", "application/json",
           [] {
             std::string text = "{";
             for (int i = 0; text.size() < hostile_bytes; ++i)
               text += "\"k" + std::to_string(i * 7919 % 1'000'003) + "\":1,";
             return text + "\"z\":1}";
           }},
          {"billion laughs", "application/rss+xml", entity_bomb},
          {"many feed items", "application/rss+xml",
           [] {
             return "<rss version=\"2.0\"><channel>" +
                    repeated("<item><title>t</title></item>", hostile_bytes - 100) +
                    "</channel></rss>";
           }},
          {"nested XML", "application/rss+xml", of("<a>")}};
}

struct Cost {
  double seconds = 0, mb = 0;
  std::string end;  // kept, or why not
};

// In a process of its own, so that its memory is known. `twin`: it is compared with another look at
// the same page.
Cost cost_of(const Hostile& hostile, bool twin) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    engine::KnownTexts texts;
    engine::LookTask task;
    task.url = task.final_url = task.final_before = "http://example.org/";
    task.content_type = hostile.type;
    task.rules = extract::compile({}).value();
    task.known = detect::Hash{};
    task.body = hostile.make();
    if (twin) {
      task.reason = engine::LookReason::twin;
      task.texts.push_back(altered(task.body));
    }
    const auto start = std::chrono::steady_clock::now();
    const engine::Look look = engine::look(std::move(task), texts);
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string said =
        std::to_string(took) + " " +
        (look.failure ? look.failure->message
                      : "kept as " + std::string(extract::name_of(look.as)) + ", " +
                            std::to_string(look.text.size()) + " bytes");
    const bool told = write(ends[1], said.data(), said.size()) > 0;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  Cost cost;
  std::string said;
  char piece[512];
  for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  rusage used{};
  int status = 0;
  wait4(child, &status, 0, &used);
  cost.mb = static_cast<double>(used.ru_maxrss) / 1024;
  if (!WIFEXITED(status) || said.empty()) {
    cost.seconds = 1e9;
    cost.end = "it crashed";
    return cost;
  }
  // The clock of the machine counts what others do, too.
  cost.seconds = std::min(
      std::stod(said), 1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) +
                           static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
  cost.end = said.substr(said.find(' ') + 1);
  return cost;
}

void hostile_inputs() {
  std::printf("   10 MiB of each kind (wanted: 1 s and 128 MB or less)\n");
  double longest = 0, largest = 0;
  const auto run = [&](const Hostile& hostile, bool twin) {
    const Cost cost = cost_of(hostile, twin);
    longest = std::max(longest, cost.seconds);
    largest = std::max(largest, cost.mb);
    std::printf("     %-18s %6.3f s %5.0f MB %s  %s%s\n", hostile.name, cost.seconds, cost.mb,
                verdict(cost.seconds <= 1 && cost.mb <= 128), twin ? "as twins, " : "",
                cost.end.c_str());
    return cost;
  };
  for (const Hostile& hostile : hostile_kinds()) {
    if (run(hostile, false).end.starts_with("kept as text, 1")) run(hostile, true);
  }
  std::printf("   the longest %.2f s, the largest %.0f MB %s\n", longest, largest,
              verdict(longest <= 1 && largest <= 128));
}

void many_at_once() {
  constexpr int pages = 300;
  const TempFolder folder;
  Origin origin{Origin::Options{.address = "0.0.0.0"}};
  std::atomic<int> version{1};
  const std::string texts[] = {article_page(mib, 1), article_page(mib, 2)};
  origin.otherwise([&](Exchange& x) -> Step {
    co_await x.respond(200, std::string("Content-Type: ") + html_type + "\r\n",
                       texts[version - 1] + "<!-- " + x.path + " -->");
  });
  std::ofstream config(folder.file("pollux.yaml"));
  config
      << "budget: 100\ndatabase: detect.db\nnetwork: { allow: [127.0.0.0/8] }\n"
      << "log: { level: warn }\nlearner: { policy: uniform }\nfetch: { concurrency: 300 }\n"
      << "defaults: { min_interval: 0s }\nhosts: { delay: 0s, connections: 16, robots: ignore }\n"
      << "pages:\n";
  for (int i = 0; i < pages; ++i) {
    config << "  - "
           << origin.url_at("127.0.4." + std::to_string(1 + i % 30), "/" + std::to_string(i))
           << "\n";
  }
  config.close();
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  const auto all_have = [&](bool changed) {
    for (int i = 0; i < 1200; ++i) {
      std::this_thread::sleep_for(100ms);
      auto reader = store::Reader::open(folder.file("detect.db"));
      if (!reader.ok()) continue;
      store::Reader::PageQuery every;
      every.limit = 0;
      const auto rows = (*reader)->pages(every);
      if (!rows.ok()) continue;
      const auto ready = std::count_if(rows->begin(), rows->end(), [&](const store::PageRow& row) {
        return changed ? row.progress.changes > 0 : !row.progress.content_hash.empty();
      });
      if (ready == pages) return true;
    }
    return false;
  };
  const bool known = all_have(false);
  const double before = daemon.peak_mb();
  version = 2;
  const auto start = std::chrono::steady_clock::now();
  const bool found = known && all_have(true);
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double peak = daemon.peak_mb();
  daemon.send(SIGTERM);
  daemon.wait();
  std::printf(
      "   %d pages of 1 MiB changed at once: %s after %.0f s, peak %.0f MB, %.0f before "
      "(wanted: 256 or less) %s\n",
      pages, found ? "all found" : "not all found", took, peak, before,
      verdict(found && peak <= 256));
}

}  // namespace
}  // namespace pollux::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string_view only = argc > 1 ? argv[1] : "";
  // The children of this one count its memory as theirs: they go first.
  if (only.empty() || only == "hostile") pollux::test::hostile_inputs();
  if (only.empty() || only == "cost") pollux::test::one_page();
  if (only.empty() || only == "many") pollux::test::many_at_once();
}
