// The controller of fetches in the whole daemon.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/daemon_thread.hpp"
#include "support/origin.hpp"

#include <atomic>

#include <boost/json.hpp>

namespace pollux::test {
namespace {

class Robots : public RunningDaemon {
 protected:
  std::string yaml(const std::string& more, int pages) const {
    std::string text =
        "budget: unlimited\ndatabase: test.db\nlog: { level: warn }\n"
        "network: { allow: [127.0.0.0/8] }\n"
        "hosts: { delay: 0s, connections: 1000, robots: ignore }\n"
        "defaults: { min_interval: 0s }\n" +
        more + "pages:\n";
    for (int i = 0; i < pages; ++i) text += "  - " + origin_.url("/" + std::to_string(i)) + "\n";
    return text;
  }
  double meta(const char* key) {
    const auto all = reader()->meta().value();
    const auto found = all.find(key);
    return found == all.end() ? -1 : std::stod(found->second);
  }
  Origin origin_;
};

TEST_F(Robots, slow_detection_holds_fetches_back_before_its_queue_is_full) {
  origin_.otherwise(serve::page("a page"));
  std::atomic<int> detected = 0;
  engine::DaemonOptions options;
  options.on_detection = [&] {
    ++detected;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  options.grace = std::chrono::minutes(2);  // whatever is out, and waits then, shall be counted
  // Several fetch threads would hash what they fetch.
  DaemonThread daemon(yaml("fetch: { threads: 1, queue: 128 }\n", 1500), folder_.string(), options);
  ASSERT_TRUE(eventually([&] { return detected > 600; }));
  // The origin answers at once: without the controller 1024 would wait. None goes out while 128 do,
  // and on a machine that is slow itself 512 may be out then.
  const std::size_t requests = origin_.requests();
  EXPECT_LE(requests, static_cast<std::size_t>(detected) + 128 + 512);
  EXPECT_TRUE(daemon.stop());
  EXPECT_EQ(meta("detect_overflows"), 0);
  EXPECT_GT(meta("detect_rate"), 0);
  EXPECT_GT(meta("fetch_rate"), 0);
  const store::Summary all = reader()->summary().value();
  EXPECT_EQ(all.polls, static_cast<std::int64_t>(origin_.requests())) << "no page may be lost";
  EXPECT_EQ(all.errors, 0);
}

TEST_F(Robots, a_fixed_number_is_kept) {
  origin_.otherwise([](Exchange& x) -> Step {
    co_await x.sleep(std::chrono::milliseconds(20));
    co_await x.respond(200, "", "a page");
  });
  DaemonThread daemon(yaml("fetch: { concurrency: 3 }\n", 50), folder_.string(), {});
  ASSERT_TRUE(eventually([&] { return origin_.requests() > 60; }));
  EXPECT_TRUE(daemon.stop());
  EXPECT_EQ(origin_.max_concurrent(), 3u);
  EXPECT_EQ(meta("fetches_allowed"), 3);
}

TEST_F(Robots, status_shows_starvation_and_overflow) {
  origin_.otherwise(serve::page("a page"));
  configure({origin_.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return origin_.requests() > 2; }));
  ASSERT_EQ(stop().exit_code, 0);
  const std::string config = (folder_ / "pollux.yaml").string();
  const Finished text = Program(POLLUX_BINARY, folder_, {"status", "--config", config}).wait();
  EXPECT_NE(text.out.find("starved"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("overflowed 0 times"), std::string::npos) << text.out;
  const Finished json =
      Program(POLLUX_BINARY, folder_, {"status", "--config", config, "--json"}).wait();
  const auto fetches = boost::json::parse(json.out).as_object().at("fetches").as_object();
  for (const char* key : {"fetches_out", "fetches_allowed", "detect_waiting", "fetch_rate",
                          "detect_rate", "detect_starved_seconds", "detect_overflows"}) {
    EXPECT_TRUE(fetches.at(key).is_number()) << key;
  }
}

}  // namespace
}  // namespace pollux::test
