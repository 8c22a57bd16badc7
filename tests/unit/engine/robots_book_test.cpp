#include "engine/robots_book.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using Answer = RobotsBook::Answer;

class EqualPolicy final : public learn::Policy {
 public:
  std::string_view name() const override { return "equal"; }
  void add(PageSlot, double, const std::optional<learn::PageMemory>&) override {}
  void remove(PageSlot) override {}
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot, const learn::Observation&) override {}
  double share(PageSlot) const override { return 1; }
  void set_sweep(double) override {}
  learn::PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return 0; }
};

class RobotsBookTest : public testing::Test {
 protected:
  RobotsBookTest() {
    config_.settings.resize(1);
    host_ = add_host("example.org:443");
  }
  HostSlot add_host(const std::string& name) {
    const HostSlot slot = hosts_.add(name);
    scheduler_.add_host(slot, config_.politeness(name));
    return slot;
  }
  RobotsBook& book(const RobotsOptions& options = {}) {
    if (!book_) book_ = std::make_unique<RobotsBook>(config_, hosts_, scheduler_, options);
    return *book_;
  }
  void learn(const RobotsBook::Outcome& outcome) {
    book().begin(host_);
    book().learn(host_, outcome, now_, rng_);
  }
  void read(const std::string& text) { learn({.status = 200, .error = "", .text = text}); }
  void fail(int status) { learn({.status = status, .error = "", .text = ""}); }
  Answer ask(const std::string& path) {
    return book().check(host_, "https://example.org" + path, now_);
  }

  config::Config config_;
  EqualPolicy policy_;
  schedule::Scheduler scheduler_{{.budget = 100, .explore = 0, .seed = 1}, policy_};
  HostTable hosts_;
  HostSlot host_{};
  Rng rng_{1};
  Instant now_{1000h};
  std::unique_ptr<RobotsBook> book_;
};

TEST_F(RobotsBookTest, it_must_be_asked_for_first) {
  EXPECT_EQ(ask("/"), Answer::ask);
}

TEST_F(RobotsBookTest, pages_of_the_host_wait_while_it_is_asked_for) {
  scheduler_.add(PageSlot{0}, host_, {}, now_);
  book().begin(host_);
  EXPECT_TRUE(book().asking(host_));
  EXPECT_FALSE(scheduler_.next(now_ + 1h));
  book().learn(host_, {.status = 404, .error = "", .text = ""}, now_, rng_);
  EXPECT_FALSE(book().asking(host_));
  EXPECT_TRUE(scheduler_.next(now_ + 1h));
}

TEST_F(RobotsBookTest, rules_are_obeyed) {
  read("User-agent: *\nDisallow: /private\n");
  EXPECT_EQ(ask("/private/x"), Answer::denied);
  EXPECT_EQ(ask("/open"), Answer::allowed);
  EXPECT_EQ(book().denial(host_, now_, rng_).reason, "robots: disallowed by robots.txt");
}

TEST_F(RobotsBookTest, a_group_for_the_name_in_the_user_agent_counts) {
  config_.settings[0].user_agent = "watcher/2 (+me@example.org)";
  read("User-agent: watcher\nDisallow: /\n");
  EXPECT_EQ(ask("/"), Answer::denied);
}

TEST_F(RobotsBookTest, it_is_kept_for_a_day_at_most_and_not_asked_for_before) {
  read("");
  now_ += 21h;
  EXPECT_EQ(ask("/"), Answer::allowed);
  now_ += 3h;
  EXPECT_EQ(ask("/"), Answer::ask);
}

TEST_F(RobotsBookTest, a_4xx_allows_everything) {
  for (const int status : {400, 401, 403, 404, 410, 451}) {
    fail(status);
    EXPECT_EQ(ask("/"), Answer::allowed) << status;
  }
}

TEST_F(RobotsBookTest, redirects_that_lead_nowhere_allow_everything) {
  fail(302);
  EXPECT_EQ(ask("/"), Answer::allowed);
}

TEST_F(RobotsBookTest, a_5xx_forbids_everything) {
  for (const int status : {500, 502, 503, 429}) {
    hosts_[host_].robots = {};
    fail(status);
    EXPECT_EQ(ask("/"), Answer::denied) << status;
    const RobotsBook::Denial denial = book().denial(host_, now_, rng_);
    EXPECT_TRUE(denial.reason.starts_with("robots:")) << denial.reason;
    EXPECT_FALSE(denial.unreachable);
  }
}

TEST_F(RobotsBookTest, a_network_failure_forbids_everything_and_is_named) {
  learn({.status = 0, .error = "connect: refused", .text = ""});
  EXPECT_EQ(ask("/"), Answer::denied);
  const RobotsBook::Denial denial = book().denial(host_, now_, rng_);
  EXPECT_EQ(denial.reason, "connect: refused (robots.txt)");
  EXPECT_TRUE(denial.unreachable);
}

TEST_F(RobotsBookTest, while_it_cannot_be_read_the_last_copy_counts) {
  read("User-agent: *\nDisallow: /private\n");
  now_ += 25h;
  fail(503);
  EXPECT_EQ(ask("/private"), Answer::denied);
  EXPECT_EQ(ask("/open"), Answer::allowed);
  now_ += 20s;
  EXPECT_EQ(ask("/open"), Answer::ask) << "but it is tried again soon";
}

TEST_F(RobotsBookTest, attempts_become_rarer_and_wait_for_what_the_server_asked_for) {
  Duration last{};
  for (int i = 0; i < 12; ++i) {
    fail(500);
    last = hosts_[host_].robots.check_at - now_;
    EXPECT_LE(last, Duration(75min));
    now_ = hosts_[host_].robots.check_at;
  }
  EXPECT_GE(last, Duration(45min));
  learn({.status = 503, .error = "", .text = "", .retry_after = 5h});
  EXPECT_GE(hosts_[host_].robots.check_at - now_, Duration(5h));
}

TEST_F(RobotsBookTest, after_thirty_days_without_it_everything_is_allowed) {
  fail(500);
  now_ += 29 * 24h;
  fail(500);
  EXPECT_EQ(ask("/"), Answer::denied);
  now_ += 2 * 24h;
  fail(500);
  EXPECT_EQ(ask("/"), Answer::allowed);
}

TEST_F(RobotsBookTest, a_crawl_delay_is_a_longer_delay_up_to_its_cap) {
  read("User-agent: *\nCrawl-delay: 10\n");
  EXPECT_EQ(scheduler_.host_ready_at(host_), now_ + 10s);
  ASSERT_TRUE(scheduler_.try_take_host(host_, now_ + 10s));
  scheduler_.release_host(host_, now_ + 11s);
  EXPECT_EQ(scheduler_.host_ready_at(host_), now_ + 21s);
  now_ += 1h;
  read("User-agent: *\nCrawl-delay: 100000\n");
  EXPECT_EQ(scheduler_.host_ready_at(host_), now_ + 60s);
  now_ += 1h;
  read("User-agent: *\nCrawl-delay: 0.1\n");
  EXPECT_EQ(scheduler_.host_ready_at(host_), now_ + 1s) << "never a shorter one than ours";
}

TEST_F(RobotsBookTest, a_host_may_be_polled_without_it_knowingly) {
  config_.host_overrides["example.org"] = config_.host_default;
  config_.host_overrides["example.org"].obey_robots = false;
  EXPECT_EQ(ask("/"), Answer::allowed);
  read("User-agent: *\nDisallow: /\nCrawl-delay: 50\n");
  EXPECT_EQ(ask("/"), Answer::allowed);
  EXPECT_EQ(scheduler_.host_ready_at(host_), now_ + 1s);
}

TEST_F(RobotsBookTest, it_survives_a_restart_as_stored) {
  read("User-agent: *\nDisallow: /private\nCrawl-delay: 7\n");
  const Moment before{now_, WallTime(1'790'000'000s)};
  const store::RobotsRow row = book().row(host_, before);
  EXPECT_EQ(row.verdict, "rules");
  EXPECT_EQ(row.rules, "Disallow: /private\n");
  hosts_[host_].robots = {};
  now_ = Instant(5s);  // another boot
  const Moment after{now_, before.wall + 10h};
  restore_robots(row, "other/1", hosts_, after);
  EXPECT_EQ(ask("/private"), Answer::ask) << "these rules were for another name";
  restore_robots(row, config_.settings[0].user_agent, hosts_, after);
  EXPECT_EQ(ask("/private"), Answer::denied);
  EXPECT_EQ(ask("/"), Answer::allowed);
  EXPECT_EQ(polite_towards(config_.host_default, hosts_[host_].robots).delay, Duration(7s));
  now_ += 14h + 1min;
  EXPECT_EQ(ask("/"), Answer::ask) << "a day is a day, restart or not";
}

TEST_F(RobotsBookTest, an_unreadable_one_is_not_asked_for_at_once_after_a_restart) {
  for (int i = 0; i < 8; ++i) fail(500);
  const Moment before{now_, WallTime(1'790'000'000s)};
  const store::RobotsRow row = book().row(host_, before);
  hosts_[host_].robots = {};
  restore_robots(row, config_.settings[0].user_agent, hosts_, {now_, before.wall + 1min});
  EXPECT_EQ(ask("/"), Answer::denied);
}

TEST_F(RobotsBookTest, another_name_in_the_configuration_makes_it_ask_again) {
  read("User-agent: *\nDisallow: /private\n");
  book().reloaded();
  EXPECT_EQ(ask("/"), Answer::allowed);
  config_.settings[0].user_agent = "watcher/2";
  book().reloaded();
  EXPECT_EQ(ask("/"), Answer::ask);
}

TEST_F(RobotsBookTest, rules_take_a_bounded_amount_of_memory) {
  const std::string rules = "User-agent: *\nDisallow: /" + std::string(1000, 'x') + "\n";
  RobotsBook bounded(config_, hosts_, scheduler_, {.most_rule_bytes = 50'000});
  std::vector<HostSlot> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(add_host("h" + std::to_string(i) + ".test:80"));
    bounded.learn(many.back(), {.status = 200, .error = "", .text = rules}, now_, rng_);
    bounded.check(many.front(), "http://h0.test/", now_);  // in use all the time
    std::size_t bytes = 0;
    for (const HostSlot slot : many) bytes += hosts_[slot].robots.rules.view().size();
    ASSERT_LE(bytes, 50'000u);
  }
  EXPECT_EQ(bounded.check(many.back(), "http://h299.test/", now_), Answer::allowed);
  EXPECT_EQ(bounded.check(many.front(), "http://h0.test/", now_), Answer::allowed);
  EXPECT_EQ(bounded.check(many[5], "http://h5.test/", now_), Answer::ask) << "forgotten";
}

}  // namespace
}  // namespace pollux::engine
