// What else a polite guest does: moved pages, gone pages, caches, slow servers.
#include "engine/adaptive_pause.hpp"
#include "pollux/store/reader.hpp"
#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

class PolitePolls : public PollLoopTest {
 protected:
  void redirect(const fetch::Request& request, int status, const std::string& target) {
    fetch::Response moved = plain(request, status);
    moved.redirect_to = target;
    respond(std::move(moved));
  }
  void fresh(const fetch::Request& request, Duration how_long) {
    fetch::Response response = plain(request, 200);
    response.body = "one";
    response.body_bytes = 3;
    response.fresh_for = how_long;
    respond(std::move(response));
  }
  void jump(Duration by) {
    clock_.jump(by);
    loop_->turn();
    settle();
  }
};

TEST_F(PolitePolls, a_page_that_has_moved_for_good_is_reported) {
  watch({"http://a.test/old"});
  redirect(next_request(), 301, "http://a.test/newer");
  redirect(next_request(), 308, "http://b.test/newest");
  answer(next_request(), 200, "one");
  EXPECT_EQ(stored("http://a.test/old").progress.moved_to, "http://b.test/newest");
  EXPECT_EQ(next_request().url, "http://a.test/old") << "the list decides what is polled";
}

TEST_F(PolitePolls, a_temporary_redirect_is_no_move_and_ends_one) {
  watch({"http://a.test/old"});
  redirect(next_request(), 301, "http://a.test/new");
  redirect(next_request(), 302, "http://a.test/today");
  answer(next_request(), 200, "one");
  EXPECT_EQ(stored("http://a.test/old").progress.moved_to, "http://a.test/new");
  redirect(next_request(), 302, "http://a.test/tomorrow");
  answer(next_request(), 200, "one");
  EXPECT_EQ(stored("http://a.test/old").progress.moved_to, "");
}

TEST_F(PolitePolls, an_answer_that_calls_itself_fresh_is_believed_if_the_user_wants) {
  config_.settings[0].respect_cache = true;
  watch({"http://a.test/"});
  const WallTime before = clock_.wall();
  fresh(next_request(), 1h);
  EXPECT_TRUE(fetcher_.requests.empty());
  const store::PageProgress page = stored("http://a.test/").progress;
  ASSERT_TRUE(page.fresh_until.has_value());
  EXPECT_GE(*page.fresh_until, before + 59min);
  EXPECT_FALSE(page.retry_at.has_value()) << "it is no back-off";
  jump(59min);
  EXPECT_TRUE(fetcher_.requests.empty());
  jump(1min);
  EXPECT_EQ(fetcher_.requests.size(), 1u);
}

TEST_F(PolitePolls, otherwise_the_cache_headers_do_not_matter) {
  watch({"http://a.test/"});
  fresh(next_request(), 1h);
  EXPECT_EQ(fetcher_.requests.size(), 1u);
  EXPECT_FALSE(stored("http://a.test/").progress.fresh_until.has_value());
}

TEST_F(PolitePolls, max_interval_goes_before_the_cache) {
  config_.settings[0].respect_cache = true;
  config_.settings[0].limits.max_interval = 10min;
  watch({"http://a.test/"});
  fresh(next_request(), 365 * 24h);
  jump(10min);
  EXPECT_EQ(fetcher_.requests.size(), 1u);
}

TEST_F(PolitePolls, a_page_that_is_gone_is_left_alone_for_longer_and_longer) {
  config_.settings[0].limits.max_interval = 1h;
  watch({"http://a.test/gone"});
  Duration last{};
  int polls = 0;
  for (Duration waited{}; waited < Duration(24h * 60); waited += last) {
    respond(plain(next_request(), 410));
    ++polls;
    last = scheduler_.next_due(PageSlot{0}, clock_.now()) - clock_.now();
    jump(last + 1ms);
  }
  EXPECT_GE(last, Duration(24h * 5)) << "whatever its max_interval";
  EXPECT_LE(polls, 20) << "in sixty days";
}

TEST_F(PolitePolls, retry_after_is_kept_for_the_page_and_named) {
  watch({"http://a.test/"});
  fetch::Response busy = plain(next_request(), 429);
  busy.retry_after = 1h;
  respond(std::move(busy));
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.last_error, "HTTP 429, Retry-After 1 h");
  EXPECT_GE(*page.retry_at, clock_.wall() + 59min);
}

TEST_F(PolitePolls, a_slow_server_is_asked_less) {
  config_.host_default = {{1s, 4}};
  config_.host_default.obey_robots = false;
  watch({"http://a.test/"});
  fetch::Response slow = plain(next_request(), 200);
  slow.elapsed = 4s;
  slow.body = "x";
  respond(std::move(slow));
  const Duration pause = scheduler_.host_ready_at(HostSlot{0}) - clock_.now();
  EXPECT_GE(pause, Duration(6s));
  EXPECT_LE(pause, Duration(8s));
}

TEST_F(PolitePolls, a_slow_robots_txt_is_followed_by_its_whole_pause) {
  config_.host_default = {{1s, 1}};
  watch({"http://a.test/"});
  fetch::Response slow = plain(next_request(), 404);
  slow.elapsed = 8s;
  loop_->on_done(std::move(slow));
  settle();
  EXPECT_GE(scheduler_.host_ready_at(HostSlot{0}) - clock_.now(), Duration(15s));
}

TEST_F(PolitePolls, reloads_do_not_shorten_a_pause) {
  config_.host_default = {{1s, 1}};
  config_.host_default.obey_robots = false;
  watch({"http://a.test/"});
  const fetch::Request request = next_request();
  clock_.jump(8s);
  fetch::Response slow = plain(request, 200);
  slow.elapsed = 8s;
  slow.body = "x";
  respond(std::move(slow));
  const Instant end = clock_.now();
  for (int i = 0; i < 10; ++i) {
    clock_.jump(1s);
    install_host(HostSlot{0}, list_parts(), {clock_.now(), clock_.wall()});
  }
  EXPECT_GE(scheduler_.host_ready_at(HostSlot{0}) - end, Duration(15s));
}

TEST_F(PolitePolls, the_stored_last_request_is_the_end_of_a_slow_one) {
  config_.host_default = {{1s, 1}};
  config_.host_default.obey_robots = false;
  watch({"http://a.test/"});
  const fetch::Request request = next_request();
  clock_.jump(8s);
  const WallTime end = clock_.wall();
  answer(request, 200, "x");
  EXPECT_TRUE(flushed());
  const auto host = store::Reader::open(database()).value()->host("a.test:80").value();
  ASSERT_TRUE(host.last_request_at) << "it is stored with the poll, and not some time later";
  EXPECT_GE(*host.last_request_at, end);
}

TEST_F(PolitePolls, with_many_connections_and_a_slow_name_the_delay_is_kept) {
  config_.host_default = {{10s, 4}};
  config_.host_default.obey_robots = false;
  watch({"http://unknown.test/1", "http://unknown.test/2", "http://unknown.test/3"});
  jump(30s);
  ASSERT_EQ(fetcher_.looked_up.size(), 1u);
  fetcher_.unknown_name = "nothing";  // from now on it is known
  fetcher_.found(fetcher_.looked_up[0]);
  settle();
  EXPECT_EQ(fetcher_.requests.size(), 1u);
  jump(9s);
  EXPECT_EQ(fetcher_.requests.size(), 1u);
  jump(2s);
  EXPECT_EQ(fetcher_.requests.size(), 2u) << "although the first has not been answered";
}

TEST_F(PolitePolls, a_redirect_silences_another_host_for_a_minute_at_most) {
  watch({"http://bad.test/", "http://victim.test/"});
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  ASSERT_EQ(first.size(), 2u);
  if (first[0].url == "http://victim.test/") std::swap(first[0], first[1]);
  answer(first[1], 200, "one");
  fetcher_.requests.clear();  // its next poll stays unanswered
  redirect(first[0], 302, "http://victim.test/busy");
  fetch::Response busy = plain(next_request(), 429);
  busy.retry_after = 24h;
  respond(std::move(busy));
  const HostSlot victim = *hosts_.find("victim.test:80");
  EXPECT_LE(scheduler_.host_ready_at(victim), clock_.now() + 60s);
  EXPECT_GE(scheduler_.host_ready_at(victim), clock_.now() + 50s);
  const store::PageProgress page = stored("http://bad.test/").progress;
  EXPECT_GE(*page.retry_at, clock_.wall() + 23h) << "the page itself is bound";
  EXPECT_EQ(page.last_error, "HTTP 429, Retry-After 1 d, from http://victim.test/busy");
  const auto host = store::Reader::open(database()).value()->host("victim.test:80").value();
  EXPECT_EQ(host.blocked_by, "http://bad.test/");
  ASSERT_TRUE(host.blocked_until);
  EXPECT_LE(*host.blocked_until, clock_.wall() + 60s);
}

TEST_F(PolitePolls, many_redirects_do_not_take_turns_in_silencing_a_host) {
  config_.settings[0].timeout = 10min;
  watch({"http://bad.test/1", "http://bad.test/2", "http://victim.test/"});
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  const auto refuse = [&](const fetch::Request& poll) {
    redirect(poll, 302, "http://victim.test/busy");
    fetch::Response busy = plain(next_request(), 429);
    busy.retry_after = 24h;
    respond(std::move(busy));
  };
  std::optional<fetch::Request> second;
  for (const fetch::Request& request : first) {
    if (request.url == "http://bad.test/1") refuse(request);
    if (request.url == "http://bad.test/2") second = request;
  }
  jump(61s);
  ASSERT_TRUE(second);
  refuse(*second);
  EXPECT_LE(scheduler_.host_ready_at(*hosts_.find("victim.test:80")), clock_.now());
}

TEST_F(PolitePolls, a_redirect_to_something_slow_does_not_slow_down_its_host) {
  config_.host_default = {{1s, 4}};
  config_.host_default.obey_robots = false;
  config_.host_default.max_adaptive_delay = 1h;
  watch({"http://bad.test/", "http://victim.test/"});
  const HostSlot victim = *hosts_.find("victim.test:80");
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  for (const fetch::Request& request : first) {
    if (request.url == "http://bad.test/") redirect(request, 302, "http://victim.test/slow");
  }
  jump(2s);
  fetch::Response slow = plain(next_request(), 200);
  slow.elapsed = 10min;
  slow.body = "x";
  respond(std::move(slow));
  EXPECT_LE(scheduler_.host_ready_at(victim), clock_.now() + 60s);
  EXPECT_EQ(hosts_[victim].response_time, Duration::zero());
}

TEST_F(PolitePolls, a_redirect_waits_for_its_hosts_delay_without_using_up_the_time_out) {
  config_.host_default = {{30s, 1}};
  config_.host_default.obey_robots = false;
  config_.settings[0].timeout = 20s;
  watch({"http://a.test/"});
  redirect(next_request(), 302, "http://a.test/next");
  jump(31s);
  ASSERT_EQ(fetcher_.requests.size(), 1u);
  EXPECT_EQ(fetcher_.requests[0].url, "http://a.test/next");
  EXPECT_GT(fetcher_.requests[0].timeout, Duration(10s));
}

TEST(AdaptivePause, grows_with_the_response_time_up_to_its_cap) {
  const config::HostSettings plain;
  EXPECT_EQ(adaptive_pause(plain, 3s), Duration(6s));
  EXPECT_EQ(adaptive_pause(plain, 10min), Duration(30s));
  EXPECT_EQ(adaptive_pause(plain, Duration::zero()), Duration::zero());
}

TEST(AdaptivePause, does_not_apply_where_the_delay_is_zero_or_the_factor_is) {
  config::HostSettings settings;
  settings.delay = Duration::zero();
  EXPECT_EQ(adaptive_pause(settings, 3s), Duration::zero());
  settings = {};
  settings.adaptive_delay = 0;
  EXPECT_EQ(adaptive_pause(settings, 3s), Duration::zero());
}

TEST(AdaptivePause, forgets_a_bad_moment_within_ten_answers) {
  Duration time = smoothed_response(Duration::zero(), 20s);
  EXPECT_EQ(time, Duration(20s));
  for (int i = 0; i < 10; ++i) time = smoothed_response(time, 100ms);
  EXPECT_LT(time, Duration(1s));
}

}  // namespace
}  // namespace pollux::engine
