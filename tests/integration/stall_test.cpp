// Hosts that stall beside healthy ones, with the real program on real sockets: what they may cost
// the others, and what servers see when they all let go.
#include "integration/running_daemon.hpp"
#include "support/stalled_web.hpp"

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

std::string answers(const testing::TestParamInfo<std::chrono::milliseconds>& test) {
  return "answers_in_" + std::to_string(test.param.count()) + "_ms";
}

// Default settings: a time-out of 20 s, a pause of 1 s, robots.txt asked first, a poll every 5 s.
class StalledHosts : public testing::TestWithParam<std::chrono::milliseconds> {
 protected:
  // At every second, what the healthy pages got is what they get alone, with no more delay than the
  // stalling hosts' first requests take. Those that are alone run at the same time: a machine that
  // is busy is busy for all.
  static void expect_healthy_polls(StalledWeb::Where where, std::chrono::milliseconds answer) {
    constexpr double run = 15;
    // Polls come in clusters, by when their pages' first ones were: seconds either way.
    constexpr double rhythm = 2;
    StalledWeb alone(POLLUX_BINARY, {.answer = answer});
    std::vector<std::unique_ptr<StalledWeb>> beside;
    for (const int stalling : {10, 100, 300}) {
      beside.push_back(std::make_unique<StalledWeb>(
          POLLUX_BINARY,
          StalledWeb::Options{.stalling = stalling, .answer = answer, .where = where}));
    }
    while (beside.back()->seconds() < run + 0.5) std::this_thread::sleep_for(100ms);
    ASSERT_GE(alone.polls(0, run), 200u) << "a machine too slow to tell";
    for (const auto& web : beside) {
      for (double second = 1; second <= run; ++second) {
        const double wanted =
            0.95 * static_cast<double>(alone.polls(0, second - web->introduction() - rhythm));
        EXPECT_GE(static_cast<double>(web->polls(0, second)), wanted)
            << "in the first " << second << " s; the stalling hosts' first requests take "
            << web->introduction() << " s";
      }
    }
  }
};

TEST_P(StalledHosts, leave_the_healthy_pages_their_polls_from_the_first_second) {
  expect_healthy_polls(StalledWeb::Where::request, GetParam());
}

INSTANTIATE_TEST_SUITE_P(, StalledHosts, testing::Values(0ms, 50ms, 150ms), answers);

using StalledHandshakes = StalledHosts;
TEST_P(StalledHandshakes, leave_the_healthy_pages_their_polls_from_the_first_second) {
  expect_healthy_polls(StalledWeb::Where::handshake, GetParam());
}

INSTANTIATE_TEST_SUITE_P(, StalledHandshakes, testing::Values(50ms), answers);

// They are known and due like all others when they fall silent: nothing need be found out first.
TEST(StalledLater, hosts_cost_the_healthy_pages_no_poll_from_the_first_second) {
  const std::string more = "defaults: { min_interval: 10s }\nhosts: { robots: ignore }\n";
  StalledWeb alone(POLLUX_BINARY, {.more = more});
  StalledWeb beside(POLLUX_BINARY, {.stalling = 300, .more = more, .stall_later = true});
  while (beside.seconds() < 20) std::this_thread::sleep_for(50ms);
  beside.begin_to_stall();
  const double begin = beside.seconds();
  while (beside.seconds() < begin + 25.5) std::this_thread::sleep_for(50ms);
  // Any ten seconds hold one poll of every page.
  for (double second = begin; second <= begin + 15; ++second) {
    EXPECT_GE(static_cast<double>(beside.polls(second, second + 10)),
              0.95 * static_cast<double>(alone.polls(second, second + 10)) - 1)
        << second - begin << " s after they fell silent";
  }
}

class HeldHandshakes : public RunningDaemon {};

TEST_F(HeldHandshakes, released_together_reach_the_servers_at_the_budgets_pace) {
  constexpr int hosts = 200, budget = 20;
  std::string names;
  for (int i = 1; i <= hosts; ++i) names += ",IP:127.3.0." + std::to_string(i);
  Origin origin(Origin::Options{.tls = true,
                                .certificate = {.names = names.substr(1)},
                                .address = "0.0.0.0",
                                .measure_lateness = true});
  std::atomic<bool> released{false};
  origin.on_connect([&](Exchange& x) -> Step {
    while (!released) co_await x.sleep(10ms);
  });
  origin.otherwise(serve::page("here"));
  std::ofstream(folder_ / "ca.pem") << origin.ca_pem();
  std::ofstream file(folder_ / "pollux.yaml");
  file << "budget: " << budget << "\ndatabase: test.db\n"
       << "network: { allow: [127.0.0.0/8], ca_file: ca.pem }\n"
          "rules: [{ match: \"*\", content: { as: raw } }]\n"
       << "hosts: { robots: ignore }\ndefaults: { timeout: 2m }\npages:\n";
  for (int i = 1; i <= hosts; ++i) {
    file << "  - " << origin.url_at("127.3.0." + std::to_string(i), "/") << "\n";
  }
  file.close();
  start();
  ASSERT_TRUE(eventually([&] { return origin.open_connections() >= hosts; }))
      << origin.open_connections() << " came\n"
      << daemon_->text("err");
  ASSERT_EQ(origin.requests(), 0u);
  released = true;
  ASSERT_TRUE(eventually([&] { return origin.requests() >= hosts; }));
  EXPECT_EQ(stop().exit_code, 0);

  // On a busy machine a request leaves as late as the daemon's own event loop is, after it was paid
  // for.
  const auto open = reader();
  ASSERT_TRUE(open);
  const auto meta = open->meta();
  ASSERT_TRUE(meta.ok());
  const std::chrono::milliseconds stalled(std::stoll(meta->at("loop_stall_longest_ms")));
  if (stalled > 500ms) GTEST_SKIP() << "a machine too slow to tell";
  const std::vector<SteadyTime> arrivals = origin.arrivals();
  for (std::size_t last = budget + 1; last < arrivals.size(); ++last) {
    const SteadyTime first = arrivals[last - budget - 1];
    // Where our own thread was late, the first ones arrived earlier than it knows.
    ASSERT_GE(arrivals[last] - first + origin.lateness(first - 1s, arrivals[last]) + stalled, 1s)
        << "requests " << last - budget - 1 << " to " << last;
  }
}

}  // namespace
}  // namespace pollux::test
