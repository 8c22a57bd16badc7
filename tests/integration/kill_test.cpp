// kill -9 at random moments under load: the database stays intact, nothing that was reported is
// lost, learnt shares continue. POLLUX_KILLS sets how often (the benchmark asks for more than the
// tests).
#include "integration/running_daemon.hpp"
#include "pollux/base/rng.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <cstdlib>
#include <map>
#include <sstream>

namespace pollux::test {
namespace {

class Kill : public RunningDaemon {
 protected:
  // The answer of the sqlite3 command: the database as anybody would look at it.
  std::string sqlite(const std::string& sql) {
    const std::string command = "sqlite3 -readonly '" + database() + "' \"" + sql + "\"";
    std::string answer;
    if (FILE* pipe = popen(command.c_str(), "r")) {
      char buffer[256];
      while (fgets(buffer, sizeof buffer, pipe)) answer += buffer;
      pclose(pipe);
    }
    return answer.substr(0, answer.find_last_not_of('\n') + 1);
  }
  // What is stored of the hot pages, for whoever has to find out.
  std::string stored_rows() {
    return "\n" + sqlite(
                      "select url, share, slow_hits, slow_hit_time, slow_miss_time, fast_hits, "
                      "error_streak, last_error, retry_at, next_due_at from page order by share "
                      "desc limit 20");
  }
  double hot_share() {
    const std::string sum = sqlite("select sum(share) from page where url like '%/hot/%'");
    return sum.empty() ? 0 : std::stod(sum);
  }
};

TEST_F(Kill, nine_at_random_moments_loses_nothing_that_was_reported) {
  const char* wanted = std::getenv("POLLUX_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 20;
  // Longer than a batch waits, so that most runs have something on disk to lose.
  constexpr std::uint64_t longest_run = 900;
  Origin origin;
  origin.otherwise(serve::page("still"));
  std::vector<std::string> urls;
  for (int i = 0; i < 10; ++i) {
    origin.on("/hot/" + std::to_string(i), serve::changing_page());
    urls.push_back(origin.url("/hot/" + std::to_string(i)));
  }
  for (int i = 0; i < 190; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "800");
  // Some time to learn, so that there is something to lose.
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests() > 1500; }));
  EXPECT_EQ(stop().exit_code, 0);

  Rng rng(99);
  std::map<std::string, int> reported;
  for (int i = 0; i < kills; ++i) {
    const double share_before = hot_share();
    ASSERT_GT(share_before, 0.2) << "ten of two hundred pages have most of the changes";
    start();
    const std::size_t asked = origin.requests();
    ASSERT_TRUE(eventually([&] { return origin.requests() > asked + 20; }))
        << "start " << i + 1 << " polls nothing: " << daemon_->text("err") << stored_rows();
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(longest_run)));
    daemon_->send(SIGKILL);
    std::istringstream log(daemon_->wait().err);
    daemon_.reset();
    for (std::string line; std::getline(log, line);) {
      if (const auto at = line.find("changed: "); at != std::string::npos)
        ++reported[line.substr(at + 9)];
    }
    ASSERT_EQ(sqlite("pragma integrity_check"), "ok") << "after kill " << i + 1;
    std::istringstream rows(
        sqlite("select url, count(*) from change join page on page.id = page_id group by url"));
    std::map<std::string, int> stored;
    for (std::string row; std::getline(rows, row);) {
      const std::size_t bar = row.rfind('|');
      stored[row.substr(0, bar)] = std::stoi(row.substr(bar + 1));
    }
    for (const auto& [url, count] : reported) {
      ASSERT_GE(stored[url], count) << url << " after kill " << i + 1;
    }
    const double share_after = hot_share();
    // Each row has the share of its page's last poll, so the sum swings; pages that had to be
    // learnt anew would fall to a twentieth.
    ASSERT_GT(share_after, 0.5 * share_before)
        << "what was learnt was lost by kill " << i + 1 << stored_rows();
  }
  int changes = 0;
  for (const auto& [url, count] : reported) changes += count;
  std::printf("%d kills, %d changes reported, 0 missing, hot pages' share %.2f\n", kills, changes,
              hot_share());
  EXPECT_GT(changes, kills);
}

}  // namespace
}  // namespace pollux::test
