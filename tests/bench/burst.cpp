// A site of 300 pages among 2 000 is deployed anew, all of it at once, at a budget of 20 polls per
// second: how soon its pages are seen with `learner.follow` as it is by default and with 0, side by
// side, on the same changes; what the servers say of the limits; and why `explain` says a page was
// looked at.
//   bench_burst [WARM_UP_SECONDS] [REDEPLOYS] [SECONDS_EACH] [AS]     350 3 120 auto unless told
#include "pollux/store/reader.hpp"
#include "support/program.hpp"
#include "support/site_web.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t site_pages = 300;
constexpr int budget = 20;

struct Plan {
  std::chrono::seconds warm_up{350}, each{120};
  int redeploys = 3;
  std::string as = "auto";
};

// After one redeploy, in seconds; infinite: not within the time.
struct Seen {
  std::vector<double> asked;     // the first request for each page, sorted
  std::vector<double> recorded;  // the first change of each page, sorted
  std::size_t requests = 0, to_site = 0;
  std::size_t to_site_until_most = 0;  // when 80 % of its pages had been asked for
  // Until so many of the site's pages were; infinite when that did not happen.
  static double until(const std::vector<double>& times, double part) {
    const auto nth = static_cast<std::size_t>(part * site_pages);
    return times.size() < nth ? INFINITY : times[nth - 1];
  }
};

struct Watched {
  std::vector<Seen> bursts;
  std::vector<std::string> complaints;
  std::string explained;
};

void write_config(const SiteWeb& web, const TempFolder& folder, const std::string& follow,
                  const std::string& as) {
  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: " << budget
         << "\ndatabase: burst.db\nnetwork: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n"
         << "learner: { seed: 7" << follow << " }\n"
         << "defaults: { min_interval: 5s, timeout: 5s, content: { as: " << as << " } }\n"
         << "hosts: { delay: 100ms, connections: 1, adaptive_delay: 0, robots: ignore }\npages:\n";
  for (const std::string& url : web.urls()) config << "  - " << url << "\n";
}

std::vector<store::ChangeView> changes_in(const std::string& database) {
  auto reader = store::Reader::open(database);
  if (!reader.ok()) return {};
  store::Reader::ChangeQuery every;
  every.limit = 10'000'000;
  auto changes = (*reader)->changes(every);
  return changes.ok() ? std::move(*changes) : std::vector<store::ChangeView>();
}

// Where it says why the page was looked at.
std::string explain(const TempFolder& folder, const std::string& url) {
  Program program(POLLUX_BINARY, folder, {"explain", "--database", folder.file("burst.db"), url});
  const std::string said = program.wait().out;
  const std::size_t at = said.find("out of turn");
  if (at == std::string::npos) return {};
  const std::size_t begin = said.rfind('\n', at) + 1, end = said.find('\n', at);
  return said.substr(begin, end - begin);
}

Seen seen_between(const SiteWeb& web, const std::vector<store::ChangeView>& changes,
                  SteadyTime from, SteadyTime to) {
  Seen seen;
  std::set<std::size_t> pages;
  for (const SiteWeb::Request& one : web.log()) {
    if (one.came < from || one.came >= to) continue;
    ++seen.requests;
    if (!web.is_of_site(one.page)) continue;
    ++seen.to_site;
    if (pages.size() < site_pages * 8 / 10) ++seen.to_site_until_most;
    if (pages.insert(one.page).second) seen.asked.push_back(Seconds(one.came - from).count());
  }
  const auto wall_now = std::chrono::system_clock::now();
  const auto steady_now = std::chrono::steady_clock::now();
  std::map<std::string, double> first;
  for (const store::ChangeView& change : changes) {
    if (change.url.find(SiteWeb::site_host()) == std::string::npos) continue;
    const SteadyTime at = steady_now + std::chrono::duration_cast<SteadyTime::duration>(
                                           change.row.found_at - wall_now);
    if (at < from || at >= to) continue;
    const double after = Seconds(at - from).count();
    const auto [entry, added] = first.emplace(change.url, after);
    if (!added) entry->second = std::min(entry->second, after);
  }
  for (const auto& [url, after] : first) seen.recorded.push_back(after);
  std::sort(seen.recorded.begin(), seen.recorded.end());
  return seen;
}

Watched watch(const std::string& follow, const Plan& plan) {
  SiteWeb web({.site_pages = site_pages, .other_pages = 2000 - site_pages});
  const TempFolder folder;
  write_config(web, folder, follow, plan.as);
  std::optional<Program> daemon(
      std::in_place, POLLUX_BINARY, folder,
      std::vector<std::string>{"run", "--config", folder.file("pollux.yaml")});
  std::this_thread::sleep_for(plan.warm_up);
  std::vector<SteadyTime> moments;
  for (int i = 0; i < plan.redeploys; ++i) {
    moments.push_back(web.redeploy());
    std::this_thread::sleep_for(plan.each);
  }
  moments.push_back(std::chrono::steady_clock::now());
  daemon->send(SIGTERM);
  const Finished finished = daemon->wait();
  if (finished.exit_code != 0) std::printf("   it ended with %d\n", finished.exit_code);

  Watched watched;
  const auto changes = changes_in(folder.file("burst.db"));
  for (std::size_t i = 0; i + 1 < moments.size(); ++i)
    watched.bursts.push_back(seen_between(web, changes, moments[i], moments[i + 1]));
  watched.complaints =
      complaints(web, {.delay = 100ms, .min_interval = 5s, .connections = 1, .budget = budget});
  const bool has_looks = follow.empty();
  for (std::size_t i = 0; has_looks && i < site_pages && watched.explained.empty(); ++i)
    watched.explained = explain(folder, web.urls()[i]);
  return watched;
}

void print(const char* who, const Watched& watched) {
  for (std::size_t i = 0; i < watched.bursts.size(); ++i) {
    const Seen& seen = watched.bursts[i];
    std::printf(
        "   %-10s redeploy %zu: asked for 30 %% after %5.1f s, 80 %% after %5.1f s; recorded 30 %% "
        "after %5.1f s, 80 %% after %5.1f s; %zu of %zu requests to the site (%zu until 80 %%), "
        "%zu pages changed\n",
        who, i + 1, Seen::until(seen.asked, .3), Seen::until(seen.asked, .8),
        Seen::until(seen.recorded, .3), Seen::until(seen.recorded, .8), seen.to_site, seen.requests,
        seen.to_site_until_most, seen.recorded.size());
  }
}

int bench(const Plan& plan) {
  auto without = std::async(std::launch::async, [&] { return watch(", follow: 0", plan); });
  const Watched with = watch("", plan);
  const Watched plain = without.get();
  std::printf("   2000 pages, %zu of them one site, budget %d/s, delay 100 ms, as: %s\n",
              site_pages, budget, plan.as.c_str());
  print("follow", with);
  print("follow: 0", plain);
  bool kept = true;  // whatever is promised
  for (const Watched* one : {&with, &plain}) {
    for (std::size_t i = 0; i < one->complaints.size() && i < 5; ++i)
      std::printf("   limit broken: %s\n", one->complaints[i].c_str());
    kept = kept && one->complaints.empty();
  }
  std::printf("   limits as the servers see them (wanted: all kept) %s\n", kept ? "ok" : "MISSED");
  for (std::size_t i = 0; i < with.bursts.size(); ++i) {
    const double ours = Seen::until(with.bursts[i].recorded, .8);
    // Not reached within the time: it took at least that.
    const double theirs =
        std::min(Seen::until(plain.bursts[i].recorded, .3), Seconds(plan.each).count());
    kept = kept && ours <= theirs;
    std::printf(
        "   redeploy %zu: 80 %% with looks took %.2f of the time of 30 %% without (wanted: 1 or "
        "less) %s\n",
        i + 1, ours / theirs, ours <= theirs ? "ok" : "MISSED");
  }
  std::printf("   explain: %s\n", with.explained.c_str());
  return kept && !with.explained.empty() ? 0 : 1;
}

}  // namespace
}  // namespace pollux::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  pollux::test::Plan plan;
  if (argc > 1) plan.warm_up = std::chrono::seconds(std::atoi(argv[1]));
  if (argc > 2) plan.redeploys = std::atoi(argv[2]);
  if (argc > 3) plan.each = std::chrono::seconds(std::atoi(argv[3]));
  if (argc > 4) plan.as = argv[4];
  if (plan.warm_up.count() < 1 || plan.redeploys < 1 || plan.each.count() < 1) return 64;
  return pollux::test::bench(plan);
}
