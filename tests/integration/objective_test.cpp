// The objectives that need age models, in the whole program.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <algorithm>

namespace pollux::test {
namespace {

class ObjectiveDaemon : public RunningDaemon {
 protected:
  void configure_learner(const std::string& learner, const std::vector<std::string>& urls) {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: 50\ndatabase: test.db\nnetwork: { allow: [127.0.0.0/8] }\n"
            "rules: [{ match: \"*\", content: { as: raw } }]\n"
         << "hosts: { delay: 0s, connections: 64 }\nlearner: " << learner << "\n"
         << "defaults: { min_interval: 0s, timeout: 5s }\npages:\n";
    for (const std::string& url : urls) file << "  - " << url << "\n";
  }
};

TEST_F(ObjectiveDaemon, every_policy_with_age_models_polls_all_pages_forecasts_and_resumes) {
  Origin origin;
  origin.on("/moving", serve::changing_page());
  origin.on("/still", serve::page("always the same"));
  const std::vector<std::string> urls{origin.url("/moving"), origin.url("/still")};
  for (const char* learner : {"{ objective: freshness, seed: 7, cost: { by: time } }",
                              "{ objective: age, seed: 7 }", "{ policy: greedy-outdated, seed: 7 }",
                              "{ policy: greedy-age, seed: 7 }", "{ policy: two-step, seed: 7 }"}) {
    configure_learner(learner, urls);
    const std::int64_t moving = progress(urls[0]).polls, still = progress(urls[1]).polls;
    start();
    ASSERT_TRUE(eventually([&] { return progress(urls[0]).polls >= moving + 5; })) << learner;
    ASSERT_TRUE(eventually([&] { return progress(urls[1]).polls >= still + 3; })) << learner;
    EXPECT_EQ(stop().exit_code, 0) << learner;
    const store::PageProgress seen = progress(urls[0]);
    EXPECT_FALSE(seen.age_model.empty()) << learner;
    EXPECT_EQ(std::count(seen.outdated_after.begin(), seen.outdated_after.end(), ','), 6)
        << seen.outdated_after;
    EXPECT_GT(seen.download_ms.value_or(0), 0) << learner;
  }
}

}  // namespace
}  // namespace pollux::test
