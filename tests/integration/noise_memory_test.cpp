// What is known of a page's noise ends when the noise does, and outlives reloads; seen through the
// real program.
#include "integration/running_daemon.hpp"
#include "support/origin.hpp"

#include <atomic>

namespace pollux::test {
namespace {

constexpr char quick_noise[] =
    "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { as: auto } }\n"
    "reload: { max_removed: 100% }\n";

std::string page(const std::string& first) {
  std::string text = "<html><head><title>A page</title></head><body><p>" + first + "</p><p>";
  for (int i = 0; i < 150; ++i) text += "word" + std::to_string(i) + " ";
  return text + "</p></body></html>";
}

std::string token(std::uint64_t nth) {
  std::string text;
  for (std::uint64_t i = 0; i < 32; ++i)
    text += "0123456789abcdef"[(nth * 2654435761u + i * 40503u * (nth + 7)) >> 5 & 15];
  return text;
}

class NoiseMemory : public RunningDaemon {
 protected:
  // A page with a number that is the request's, until `held` says another one.
  void counter(const std::string& path, std::atomic<int>& held) {
    origin_.on(path, [&held](Exchange& x) -> Step {
      const std::string number = std::to_string(held == 0 ? static_cast<int>(x.nth) : held.load());
      const std::string body = page("The lamp has blinked " + number + " times by now");
      co_await x.respond(200, "Content-Type: text/html\r\n", body);
    });
  }
  bool polled(const std::string& path, std::int64_t more) {
    const std::int64_t before = progress(origin_.url(path)).polls;
    return eventually([&] { return progress(origin_.url(path)).polls >= before + more; });
  }
  bool has_health(const std::string& path, const std::string& health) {
    return eventually([&] { return progress(origin_.url(path)).health == health; });
  }
  std::string mask_states() {
    std::string states;
    const auto masks = reader()->masks(std::nullopt);
    for (const store::MaskView& mask : *masks) states += mask.state + " ";
    return states;
  }
  Origin origin_;
};

TEST_F(NoiseMemory, a_counter_that_stops_is_compared_again_and_one_that_ticks_on_is_masked_again) {
  std::atomic<int> first{0}, second{0};
  counter("/first", first);
  counter("/second", second);
  configure({origin_.url("/first"), origin_.url("/second")}, "20", quick_noise);
  start();
  ASSERT_TRUE(has_health("/first", "masked"));
  ASSERT_TRUE(has_health("/second", "masked"));
  first = second = 4711;
  ASSERT_TRUE(eventually([&] { return mask_states() == "expired expired "; }));
  EXPECT_EQ(progress(origin_.url("/first")).changes, 0) << "that it has stopped is no change";
  EXPECT_EQ(progress(origin_.url("/first")).health, "ok");
  ASSERT_TRUE(polled("/second", 8)) << "both are quiet pages now";
  first = 4712;
  ASSERT_TRUE(eventually([&] { return progress(origin_.url("/first")).changes == 1; }));
  second = 0;
  ASSERT_TRUE(has_health("/second", "masked"));
  ASSERT_TRUE(polled("/second", 8));
  EXPECT_EQ(progress(origin_.url("/second")).changes, 0);
  EXPECT_EQ(mask_states(), "expired learnt ");
  const auto changes = reader()->changes({});
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_NE(changes->front().row.summary.find("4711 → 4712"), std::string::npos)
      << changes->front().row.summary;
}

TEST_F(NoiseMemory, a_mask_is_accepted_or_refused_while_the_daemon_runs) {
  std::atomic<int> first{0}, second{0};
  counter("/first", first);
  counter("/second", second);
  configure({origin_.url("/first"), origin_.url("/second")}, "20", quick_noise);
  start();
  ASSERT_TRUE(has_health("/first", "masked"));
  ASSERT_TRUE(has_health("/second", "masked"));
  const auto decide = [&](const std::string& path, const std::string& word) {
    const auto masks = reader()->masks(reader()->page(origin_.url(path))->id);
    ASSERT_EQ(masks->size(), 1u);
    const TempFolder folder;
    const Finished answer =
        Program(POLLUX_BINARY, folder,
                {"mask", word, std::to_string(masks->front().id), "--database", database()})
            .wait();
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
  };
  decide("/first", "accept");
  decide("/second", "refuse");
  EXPECT_EQ(mask_states(), "accepted refused ") << "kept when the command ends";
  // Its counter is compared again: looks at it differ, and nobody may hide that.
  ASSERT_TRUE(has_health("/second", "noisy"));
  first = 4711;  // a learnt mask would end by itself now
  ASSERT_TRUE(polled("/first", 24));
  EXPECT_EQ(mask_states(), "accepted refused ");
  EXPECT_EQ(progress(origin_.url("/first")).changes, 0);
  EXPECT_EQ(stop().exit_code, 0);
  start();
  ASSERT_TRUE(polled("/first", 4));
  EXPECT_EQ(mask_states(), "accepted refused ") << "and after a start";
}

TEST_F(NoiseMemory, a_page_that_a_reload_brings_back_has_its_masks) {
  std::atomic<int> ticking{0}, held{1};
  counter("/counter", ticking);
  counter("/other", held);
  const std::vector<std::string> both{origin_.url("/counter"), origin_.url("/other")};
  configure(both, "20", quick_noise);
  start();
  ASSERT_TRUE(has_health("/counter", "masked"));
  ASSERT_TRUE(polled("/counter", 8)) << "a quiet page is believed without a second look";
  configure({both[1]}, "20", quick_noise);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 0 pages added, 1 removed"));
  configure(both, "20", quick_noise);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 1 page added, 0 removed"));
  ASSERT_TRUE(polled("/counter", 8));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(progress(both[0]).changes, 0);
  EXPECT_EQ(progress(both[0]).health, "masked");
}

// The cache keeps each page for a moment: looks that follow each other at once are shown the same.
TEST_F(NoiseMemory, a_token_from_a_cache_is_no_change_and_one_that_stays_is) {
  std::atomic<int> commit{0};
  origin_.on("/cached", [](Exchange& x) -> Step {
    const std::string body = page("trace " + token(x.nth / 4) + " of this page");
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  origin_.on("/commit", [&commit](Exchange& x) -> Step {
    const std::string body =
        page("commit " + token(static_cast<std::uint64_t>(commit)) + " is new");
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin_.url("/cached"), origin_.url("/commit")}, "20", quick_noise);
  start();
  ASSERT_TRUE(polled("/cached", 30));
  ASSERT_TRUE(polled("/commit", 8));
  commit = 1;
  ASSERT_TRUE(eventually([&] { return progress(origin_.url("/commit")).changes == 1; }));
  EXPECT_EQ(progress(origin_.url("/cached")).changes, 0);
}

}  // namespace
}  // namespace pollux::test
