// robots.txt in the poll loop: who is asked when, and what becomes of the pages.
#include "pollux/robots_txt/robots_txt.hpp"
#include "unit/engine/poll_loop_fixture.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

class PollLoopRobots : public PollLoopTest {
 protected:
  void SetUp() override {
    PollLoopTest::SetUp();
    config_.host_default.obey_robots = true;
  }
  // Answers a request for robots.txt; the requests that follow are left to the test.
  void answer_robots(const fetch::Request& request, int status, const std::string& text = "") {
    EXPECT_TRUE(request.url.ends_with("/robots.txt")) << request.url;
    fetch::Response response = plain(request, status);
    response.body = text;
    response.body_bytes = text.size();
    loop_->on_done(std::move(response));
    settle();
  }
  void redirect(const fetch::Request& request, int status, const std::string& target) {
    fetch::Response moved = plain(request, status);
    moved.redirect_to = target;
    loop_->on_done(std::move(moved));
    settle();
  }
  std::vector<std::string> asked() const {
    std::vector<std::string> urls;
    for (const fetch::Request& request : fetcher_.requests) urls.push_back(request.url);
    std::sort(urls.begin(), urls.end());
    return urls;
  }
  void jump(Duration by) {
    clock_.jump(by);
    loop_->turn();
    settle();
  }
};

using Urls = std::vector<std::string>;

// An agent that takes nothing: asked again at once, and again, it would use up the budget.
TEST_F(PollLoopRobots, a_robots_txt_for_which_nobody_was_asked_is_asked_for_a_moment_later) {
  watch({"http://a.test/1", "http://a.test/2"});
  const fetch::Request robots = next_request();
  fetch::Response response = plain(robots, 0);
  response.failure = fetch::Failure::agent;
  response.sent = false;
  loop_->on_done(std::move(response));
  settle();
  const std::size_t before = fetcher_.requests.size();
  jump(std::chrono::milliseconds(900));
  EXPECT_EQ(fetcher_.requests.size(), before);
  jump(std::chrono::milliseconds(200));
  EXPECT_EQ(fetcher_.requests.size(), before + 1);
  EXPECT_EQ(asked().back(), "http://a.test/robots.txt");
}

TEST_F(PollLoopRobots, robots_txt_is_asked_for_once_before_any_page_and_paid_for) {
  watch({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  EXPECT_EQ(asked(), Urls{"http://a.test/robots.txt"});
  store::MinuteRow counts = loop_->take_counts();
  EXPECT_EQ(counts.requests, 1);
  EXPECT_EQ(counts.polls, 0);
  EXPECT_EQ(hosts_[HostSlot{0}].requests, 1) << "the host's delay counts from it";
  const fetch::Request robots = next_request();
  EXPECT_TRUE(robots.cut_body);
  EXPECT_EQ(robots.max_body, robots_txt::most_bytes);
  EXPECT_EQ(robots.user_agent, config_.settings[0].user_agent);
  answer_robots(robots, 200, "User-agent: *\nDisallow:\n");
  EXPECT_EQ(asked(), (Urls{"http://a.test/1", "http://a.test/2", "http://a.test/3"}));
}

TEST_F(PollLoopRobots, a_disallowed_page_is_not_polled_and_shown_as_such) {
  watch({"http://a.test/private/1", "http://a.test/open"});
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /private/\n");
  EXPECT_EQ(asked(), Urls{"http://a.test/open"});
  const store::PageRow denied = stored("http://a.test/private/1");
  EXPECT_EQ(denied.state, "active");
  EXPECT_EQ(denied.progress.last_error, "robots: disallowed by robots.txt");
  EXPECT_EQ(denied.progress.polls, 0);
  EXPECT_EQ(denied.progress.errors, 0);
  EXPECT_FALSE(denied.progress.last_polled_at.has_value());
  EXPECT_TRUE(policy_.heard.empty());
  EXPECT_EQ(loop_->take_counts().polls, 1);
}

TEST_F(PollLoopRobots, a_disallowed_page_is_looked_at_again_when_the_copy_is_a_day_old) {
  watch({"http://a.test/private/1"});
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /private/\n");
  jump(20h);
  EXPECT_EQ(asked(), Urls{}) << "not while the copy counts";
  jump(7h);
  EXPECT_EQ(asked(), Urls{"http://a.test/robots.txt"});
  answer_robots(next_request(), 200, "");
  EXPECT_EQ(asked(), Urls{"http://a.test/private/1"});
  answer(next_request(), 200, "one");
  EXPECT_EQ(stored("http://a.test/private/1").progress.last_error, "");
}

TEST_F(PollLoopRobots, disallowed_pages_take_nothing_from_the_others_of_their_host) {
  config_.host_default.delay = 1s;
  config_.host_default.connections = 1;
  std::vector<std::string> urls{"http://a.test/open"};
  for (int i = 0; i < 1000; ++i) urls.push_back("http://a.test/private/" + std::to_string(i));
  watch(urls);
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /private/\n");
  jump(2s);
  for (int i = 0; i < 10 && fetcher_.requests.empty(); ++i) jump(Duration::zero());
  EXPECT_EQ(asked(), Urls{"http://a.test/open"}) << "a thousand refusals cost no delay";
  EXPECT_EQ(loop_->take_counts().requests, 2);
}

TEST_F(PollLoopRobots, a_5xx_leaves_the_whole_host_alone_and_others_in_peace) {
  watch({"http://a.test/", "http://b.test/"});
  for (int i = 0; i < 2; ++i) {
    const fetch::Request robots = next_request();
    answer_robots(robots, robots.url.starts_with("http://a.test/") ? 503 : 404);
  }
  EXPECT_EQ(asked(), Urls{"http://b.test/"});
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_TRUE(page.last_error.starts_with("robots:")) << page.last_error;
  EXPECT_EQ(page.errors, 0);
  fetcher_.requests.clear();
  jump(1min);
  EXPECT_EQ(asked(), Urls{"http://a.test/robots.txt"}) << "it is tried again";
  answer_robots(next_request(), 404);
  EXPECT_EQ(asked(), Urls{"http://a.test/"});
}

TEST_F(PollLoopRobots, a_host_that_cannot_be_reached_is_an_error_of_its_pages) {
  watch({"http://a.test/"});
  fetch::Response dead = plain(next_request(), 0);
  dead.failure = Failure::connect;
  dead.failure_text = "refused";
  loop_->on_done(std::move(dead));
  settle();
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.last_error, "connect: refused (robots.txt)");
  EXPECT_EQ(page.errors, 1);
  EXPECT_EQ(page.error_streak, 1);
}

TEST_F(PollLoopRobots, retry_after_for_robots_txt_holds_the_host_back) {
  watch({"http://a.test/"});
  fetch::Response busy = plain(next_request(), 503);
  busy.retry_after = 2h;
  loop_->on_done(std::move(busy));
  settle();
  EXPECT_GE(scheduler_.host_ready_at(HostSlot{0}), clock_.now() + 119min);
}

TEST_F(PollLoopRobots, asked_for_a_redirect_its_retry_after_binds_the_page_and_not_the_host) {
  config_.settings[0].timeout = 48h;
  watch({"http://bad.test/", "http://victim.test/"});
  // The robots.txt of the victim has been read before; now it is a day old.
  for (int i = 0; i < 2; ++i) answer_robots(next_request(), 404);
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  ASSERT_EQ(first.size(), 2u);
  clock_.jump(25h);
  for (const fetch::Request& request : first) {
    if (request.url == "http://bad.test/") redirect(request, 302, "https://victim.test:80/x");
  }
  const fetch::Request robots = next_request();
  EXPECT_EQ(robots.url, "http://victim.test:80/robots.txt") << "as its own pages would ask";
  hosts_[*hosts_.find("victim.test:80")].robots.verdict = HostRobots::Verdict::unknown;
  fetch::Response busy = plain(robots, 503);
  busy.retry_after = 24h;
  loop_->on_done(std::move(busy));
  settle();
  const HostSlot victim = *hosts_.find("victim.test:80");
  EXPECT_LE(scheduler_.host_ready_at(victim), clock_.now() + 60s);
  EXPECT_LE(hosts_[victim].robots.check_at, clock_.now() + 60s);
  const store::PageProgress page = stored("http://bad.test/").progress;
  EXPECT_TRUE(page.last_error.starts_with("redirect refused: ")) << page.last_error;
  EXPECT_GE(*page.retry_at, clock_.wall() + 23h);
}

TEST_F(PollLoopRobots, of_its_own_host_robots_txt_is_nobody_elses_even_if_a_redirect_needs_it) {
  config_.settings[0].timeout = 48h;
  watch({"http://a.test/"});
  answer_robots(next_request(), 404);
  const fetch::Request poll = next_request();
  clock_.jump(25h);
  redirect(poll, 302, "http://a.test/next");
  fetch::Response busy = plain(next_request(), 503);
  busy.retry_after = 24h;
  loop_->on_done(std::move(busy));
  settle();
  EXPECT_GE(scheduler_.host_ready_at(HostSlot{0}), clock_.now() + 23h);
}

TEST_F(PollLoopRobots, a_poll_causes_twelve_requests_at_most_wherever_it_is_led) {
  watch({"http://bad.test/"});
  answer_robots(next_request(), 404);  // its own: the host's, not the page's
  int requests = 0, hosts = 0;
  for (settle(); !fetcher_.requests.empty() && requests < 100; ++requests) {
    const fetch::Request request = next_request();
    const bool robots = request.url.find("/robots.txt") != std::string::npos;
    // robots.txt leads on three times, then there is none; the page leads on for ever.
    if (robots && request.url.ends_with("???")) {
      loop_->on_done(plain(request, 404));
      settle();
    } else if (robots) {
      redirect(request, 302, request.url + "?");
    } else {
      redirect(request, 302, "http://h" + std::to_string(hosts++) + ".test/");
    }
  }
  EXPECT_LE(requests, 12);
  EXPECT_GE(requests, 8) << "redirects are followed as far as that";
  EXPECT_EQ(stored("http://bad.test/").progress.errors, 1);
}

TEST_F(PollLoopRobots, its_redirects_are_followed_five_times_and_then_there_is_none) {
  watch({"http://a.test/"});
  for (int i = 0; i < 5; ++i) redirect(next_request(), 301, "http://r.test/" + std::to_string(i));
  const fetch::Request last = next_request();
  EXPECT_EQ(last.url, "http://r.test/4");
  fetch::Response found = plain(last, 200);
  found.body = "User-agent: *\nDisallow: /\n";
  loop_->on_done(std::move(found));
  settle();
  EXPECT_EQ(stored("http://a.test/").progress.last_error, "robots: disallowed by robots.txt");

  jump(27h);
  for (int i = 0; i < 6; ++i) redirect(next_request(), 301, "http://r.test/" + std::to_string(i));
  EXPECT_EQ(asked(), Urls{"http://a.test/"});
}

TEST_F(PollLoopRobots, the_pieces_of_a_long_file_are_put_together) {
  watch({"http://a.test/x", "http://a.test/y"});
  const fetch::Request robots = next_request();
  loop_->on_piece(robots.token, "User-agent: *\nDisal");
  loop_->on_piece(robots.token, "low: /x\nDisallow:");
  answer_robots(robots, 200, " /z\n");
  EXPECT_EQ(asked(), Urls{"http://a.test/y"});
}

TEST_F(PollLoopRobots, where_a_redirect_leads_is_asked_for_too) {
  watch({"http://a.test/"});
  answer_robots(next_request(), 404);
  redirect(next_request(), 302, "http://b.test/hidden");
  EXPECT_EQ(asked(), Urls{"http://b.test/robots.txt"});
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /hidden\n");
  EXPECT_EQ(asked(), Urls{});
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.last_error,
            "redirect refused: http://b.test/hidden: robots: disallowed by robots.txt");
  EXPECT_EQ(page.errors, 1);
  EXPECT_EQ(loop_->in_flight(), 0u);
}

TEST_F(PollLoopRobots, a_redirect_to_an_allowed_page_goes_on_after_the_question) {
  watch({"http://a.test/"});
  answer_robots(next_request(), 404);
  redirect(next_request(), 302, "http://b.test/open");
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /hidden\n");
  EXPECT_EQ(asked(), Urls{"http://b.test/open"});
  redirect(next_request(), 302, "http://b.test/hidden/2");
  EXPECT_EQ(asked(), Urls{}) << "known by now";
}

TEST_F(PollLoopRobots, what_was_read_is_stored) {
  watch({"http://a.test/"});
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /x\nCrawl-delay: 3\n");
  ASSERT_TRUE(flushed());
  const auto row = store::Reader::open(database()).value()->robots("a.test:80").value();
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->verdict, "rules");
  EXPECT_EQ(row->rules, "Disallow: /x\n");
  EXPECT_EQ(row->crawl_delay_ms, 3000);
  EXPECT_EQ(row->product, "pollux");
}

TEST_F(PollLoopRobots, names_that_hang_leave_places_for_those_that_are_known) {
  std::vector<std::string> urls{"http://known.test/"};
  for (int i = 0; i < 300; ++i) urls.push_back("http://n" + std::to_string(i) + ".unknown.test/");
  hosts_[hosts_.add("known.test:80")].contact = Contact::answered;
  scheduler_.add_host(HostSlot{0}, config_.politeness("known.test:80"));
  watch(urls);
  EXPECT_EQ(asked(), Urls{"http://known.test/robots.txt"});
  EXPECT_LE(loop_->in_flight(), 65u);
}

TEST_F(PollLoopRobots, a_forbidden_address_is_told_by_the_page_itself) {
  watch({"http://10.0.0.1/1"});
  fetch::Response refused;
  refused.token = next_request().token;
  refused.failure = fetch::Failure::address_refused;
  loop_->on_done(std::move(refused));
  settle();
  EXPECT_EQ(asked(), Urls{"http://10.0.0.1/1"});
}

TEST_F(PollLoopRobots, stopping_gives_up_a_question_that_waits) {
  watch({"http://unknown.test/"});
  ASSERT_EQ(loop_->in_flight(), 1u);
  bool idle = false;
  loop_->stop([&] { idle = true; });
  settle();
  EXPECT_TRUE(idle);
}

TEST_F(PollLoopRobots, a_page_removed_meanwhile_is_not_missed_by_the_question) {
  watch({"http://a.test/"});
  loop_->forget(PageSlot{0});
  scheduler_.remove(PageSlot{0});
  policy_.remove(PageSlot{0});
  pages_.remove(PageSlot{0});
  answer_robots(next_request(), 200, "User-agent: *\nDisallow: /\n");
  EXPECT_EQ(loop_->in_flight(), 0u);
}

// 500 KiB of rules that must be tried one by one, and URLs of kilobytes.
TEST_F(PollLoopRobots, many_wildcards_and_long_urls_are_judged_a_few_at_a_time_and_once) {
  Rng rng(5);
  const auto letters = [&](std::size_t count) {
    std::string text;
    while (text.size() < count) text += static_cast<char>('a' + rng.below(3));
    return text;
  };
  std::vector<std::string> urls;
  for (int i = 0; i < 60; ++i) urls.push_back("http://a.test/" + letters(2'000));
  std::string text = "User-agent: *\n";
  while (text.size() + 40 < robots_txt::most_bytes) text += "Disallow: /*" + letters(14) + "\n";
  watch(urls);
  const fetch::Request robots = next_request();
  fetch::Response response = plain(robots, 200);
  response.body = text;
  response.body_bytes = text.size();
  loop_->on_done(std::move(response));
  const auto judged = [&] {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < urls.size(); ++i)
      count += pages_[PageSlot{i}].robots.copy != 0 ? 1 : 0;
    return count;
  };
  std::size_t most = 0, before = 0;
  for (int turns = 0; judged() < urls.size() && turns < 1000; ++turns) {
    io_.restart();
    io_.poll_one();
    most = std::max(most, judged() - before);
    before = judged();
  }
  EXPECT_EQ(judged(), urls.size());
  EXPECT_LE(most, 4u) << "in one turn";
  // The copy is a day old and is asked for again: it is the same, so nothing is judged again.
  const std::uint32_t copy = pages_[PageSlot{0}].robots.copy;
  settle();
  jump(25h);
  answer_robots(next_request(), 200, text);
  EXPECT_EQ(pages_[PageSlot{0}].robots.copy, copy);
  EXPECT_EQ(hosts_[pages_[PageSlot{0}].host].robots.copy, copy);
}

}  // namespace
}  // namespace pollux::engine
