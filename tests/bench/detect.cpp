// What looking into a changed page costs: one of 100 KB with three rules, how that grows with the
// size, 10 MiB of every hostile kind, kept versions, differences, and 300 changed pages of 1 MiB at
// once in the real program.
//   bench_detect [hostile [NAME]|cost|versions|diff|many]
#include "bench/detect/figures.hpp"
#include "engine/known_texts.hpp"
#include "engine/look.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <malloc.h>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

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

double median_ms(int times, const std::function<void(int)>& run) {
  return times_of(times, run).median;
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

// Everything a look thread does with a page that has changed before and has masks: what is kept,
// how it is to be trusted, how it differs from the versions in the file, in which words.
double look_ms(std::size_t bytes, const extract::SharedRules& rules, int times) {
  constexpr int known_versions = 2;
  const TempFolder folder;
  const std::string database = folder.file("look.db"), url = "http://example.org/";
  std::string note;
  auto content = store::Content::open(database, {}, note);
  if (!content.ok()) std::puts("   no versions are kept");
  engine::KnownTexts texts(database);
  const auto masks = std::make_shared<const engine::Masks>(
      engine::Masks{{extract::TokenKind::number, {"words", "than", "needed"}, {"viewed", "times"}},
                    {extract::TokenKind::hex, {"session"}, {"end"}}});
  engine::Look before;
  const auto task_of = [&](int version) {
    engine::LookTask task;
    task.url = task.final_url = task.final_before = url;
    task.content_type = html_type;
    task.body = article_page(bytes, version);
    task.rules = rules;
    task.masks = masks;
    task.now = WallTime(std::chrono::hours(480'000 + version));
    return task;
  };
  const auto look_at = [&](engine::LookTask task) {
    if (!before.text.empty()) task.known = before.hash;
    task.traits_before = before.traits;
    task.kept_before = before.as;
    before = engine::look(std::move(task), texts);
  };
  const auto keep = [&](int version) {
    const WallTime seen(std::chrono::hours(480'000 + version));
    if (content.ok() && !before.failure)
      (void)(*content)->put({{url, detect::to_hex(before.hash), "text", before.text, seen}});
  };
  int version = 1;
  for (; version <= known_versions; ++version) {
    look_at(task_of(version));
    keep(version);
  }
  std::vector<double> took;
  for (; version <= known_versions + times; ++version) {
    engine::LookTask task = task_of(version);
    const double start = cpu_ms();
    look_at(std::move(task));
    took.push_back(cpu_ms() - start);
    keep(version);
  }
  std::sort(took.begin(), took.end());
  return took[took.size() / 2];
}

void one_page() {
  const extract::SharedRules rules = three_rules();
  const std::string page = article_page(100'000, 1);
  const double hash = hash_ms(page, 51), kept = extract_ms(page, rules, 51);
  const double whole = look_ms(100'000, rules, 51);
  std::printf(
      "   a changed page of 100 KB with three rules: %.2f ms (wanted: 5 or less) %s, of which "
      "%.2f ms to extract; %.0f times its SHA-256 (%.3f ms)\n",
      whole, verdict(whole <= 5), kept, whole / hash, hash);
  std::printf("   by size, to extract, and with comparing and telling:\n");
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
  mallopt(M_MMAP_THRESHOLD, 64 << 10);  // as the daemon has them
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
  const std::string_view only = argc > 1 ? argv[1] : "";
  // The children of this one count its memory as theirs: they go first.
  if (only.empty() || only == "hostile") pollux::test::hostile_inputs(argc > 2 ? argv[2] : "");
  if (only.empty() || only == "cost") pollux::test::one_page();
  if (only.empty() || only == "versions") pollux::test::kept_versions();
  if (only.empty() || only == "diff") pollux::test::differences();
  if (only.empty() || only == "many") pollux::test::many_at_once();
}
