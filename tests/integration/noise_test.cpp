// A small noisy web, watched by the real program: noise is not recorded, true changes are, and an
// answer that is not the page is neither. How many polls the machine manages is its own matter: the
// web's log says what they were shown.
#include "integration/running_daemon.hpp"
#include "support/noise_score.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class Noise : public RunningDaemon {
 protected:
  std::vector<Recorded> recorded() {
    std::vector<Recorded> rows;
    const auto open = reader();
    if (!open) return rows;
    store::Reader::ChangeQuery every;
    every.limit = 100'000;
    const auto changes = open->changes(every);
    if (!changes.ok()) return rows;
    for (const store::ChangeView& change : *changes) {
      rows.push_back(
          {change.url, change.row.found_at, change.row.previous_poll_at, change.row.summary});
    }
    return rows;
  }
  NoiseScore watch(const NoisyWeb::Options& options) {
    NoisyWeb web(options);
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < web.pages().size(); ++i) urls.push_back(web.url(i));
    configure(urls, "60", "defaults: { min_interval: 0s, timeout: 5s, content: { as: auto } }\n");
    web.begin();
    start();
    std::this_thread::sleep_for(options.length + 1s);
    // However slow the machine is: every page is seen once more after its last change.
    const std::size_t before = web.requests();
    EXPECT_TRUE(eventually([&] { return web.requests() > before + 2 * urls.size(); }));
    const SystemTime end = std::chrono::system_clock::now();
    EXPECT_EQ(stop().exit_code, 0);
    NoiseScore got = score(web, recorded(), end - 2s);
    for (const std::string& line : got.useless) all_ += "useless: " + line + "\n";
    for (const std::string& line : got.missed) all_ += "missed: " + line + "\n";
    return got;
  }

  std::string all_;  // for people
};

TEST_F(Noise, is_told_from_true_changes) {
  NoisyWeb::Options options;
  options.seed = 11;
  options.length = 14s;
  options.between_changes = 4s;
  options.kinds = {NoiseKind::uuid,        NoiseKind::session_in_links,  NoiseKind::view_counter,
                   NoiseKind::clock,       NoiseKind::hidden_form_token, NoiseKind::json_request_id,
                   NoiseKind::rotating_ad, NoiseKind::feed_build_date};
  options.per_kind = 2;
  options.lies = {Lie::login_wall, Lie::maintenance};
  options.per_lie = 1;
  options.quiet_changing = 4;
  options.quiet_still = 2;
  const NoiseScore got = watch(options);
  EXPECT_GT(got.all.visible, 10u) << "true changes";
  EXPECT_GE(10 * got.all.found, 9 * got.all.visible) << all_;
  EXPECT_LE(got.all.useless, 4u) << all_;
}

// A place with a price in it is never masked: what stands beside it is news all the same. And what
// a page answers before it is there for the first time is no baseline.
TEST_F(Noise, that_cannot_be_masked_hides_no_news) {
  NoisyWeb::Options options;
  options.seed = 5;
  options.length = 20s;
  options.between_changes = 5s;
  options.kinds = {NoiseKind::priced_ad, NoiseKind::uptime};
  options.per_kind = 4;
  options.lies = {Lie::at_first};
  options.per_lie = 6;
  options.quiet_changing = 4;
  options.quiet_still = 4;
  const NoiseScore got = watch(options);
  EXPECT_GT(got.all.visible, 10u) << "true changes";
  EXPECT_GE(10 * got.all.found, 9 * got.all.visible) << all_;
  EXPECT_LE(got.all.useless, 3u) << all_;
}

}  // namespace
}  // namespace pollux::test
