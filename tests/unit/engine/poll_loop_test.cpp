#include "engine/poll_loop.hpp"

#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

TEST_F(PollLoopTest, the_first_content_is_a_baseline) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  EXPECT_TRUE(policy_.heard.empty());
  EXPECT_TRUE(changes().empty());
  EXPECT_EQ(stored("http://a.test/").progress.content_hash.size(), 64u);
}

TEST_F(PollLoopTest, another_content_is_a_change_between_two_polls) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  answer(next_request(), 200, "two");
  EXPECT_EQ(policy_.heard, std::vector<bool>{true});
  const auto found = changes();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].row.old_hash, found[0].row.new_hash);
  EXPECT_LE(found[0].row.previous_poll_at, found[0].row.found_at);
  EXPECT_EQ(stored("http://a.test/").progress.content_hash, found[0].row.new_hash);
}

TEST_F(PollLoopTest, a_policy_that_wants_it_hears_when_the_page_says_it_was_modified) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  const fetch::Request request = next_request();
  EXPECT_TRUE(request.wants_modified);
  fetch::Response response = plain(request, 200);
  response.body = "two";
  response.body_bytes = 3;
  response.modified_ago = 90s;
  respond(std::move(response));
  EXPECT_EQ(policy_.modified_ago, 90.0);
  EXPECT_EQ(stored("http://a.test/").progress.outdated_after, "[1,2.5]");
}

TEST_F(PollLoopTest, with_cost_by_time_a_slow_page_counts_less) {
  config_.learner.cost = {.by_time = true, .bias_removal = 0};
  watch({"http://a.test/"});
  fetch::Response response = plain(next_request(), 200);
  response.body = "one";
  response.body_bytes = 3;
  response.elapsed = 2s;
  respond(std::move(response));
  EXPECT_NEAR(policy_.importance, 0.1, 1e-6);
  EXPECT_NEAR(*stored("http://a.test/").progress.download_ms, 2000, 0.01);
}

TEST_F(PollLoopTest, equal_content_and_304_are_the_same) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one", "\"v1\"");
  const fetch::Request second = next_request();
  EXPECT_EQ(second.etag, "\"v1\"");
  answer(second, 304, "");
  answer(next_request(), 200, "one", "\"v2\"");
  EXPECT_EQ(policy_.heard, (std::vector<bool>{false, false}));
  EXPECT_TRUE(changes().empty());
  EXPECT_EQ(next_request().etag, "\"v2\"");
}

TEST_F(PollLoopTest, an_error_is_never_a_change_teaches_nothing_and_backs_off) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  respond(plain(next_request(), 500));
  EXPECT_TRUE(policy_.heard.empty());
  settle();
  EXPECT_TRUE(fetcher_.requests.empty()) << "it is backing off";
  const store::PageRow row = stored("http://a.test/");
  EXPECT_EQ(row.progress.last_error, "HTTP 500");
  EXPECT_EQ(row.progress.errors, 1);
  EXPECT_EQ(row.progress.error_streak, 1);
  EXPECT_TRUE(row.progress.retry_at.has_value());
  EXPECT_TRUE(changes().empty());
}

TEST_F(PollLoopTest, a_failed_transfer_keeps_the_content_that_was_known) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  const std::string before = stored("http://a.test/").progress.content_hash;
  fetch::Response lost = plain(next_request(), 200);
  lost.failure = Failure::connection_lost;
  lost.failure_text = "reset by peer";
  lost.body = "o";
  lost.body_bytes = 1;
  respond(std::move(lost));
  const store::PageRow row = stored("http://a.test/");
  EXPECT_EQ(row.progress.content_hash, before);
  EXPECT_EQ(row.progress.last_error, "connection_lost: reset by peer");
}

TEST_F(PollLoopTest, a_stale_kept_connection_is_tried_once_more_and_counted) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  (void)loop_->take_counts();
  for (int i = 0; i < 2; ++i) {
    const fetch::Request request = next_request();
    EXPECT_EQ(request.fresh_connection, i == 1);
    fetch::Response lost = plain(request, 0);
    lost.failure = Failure::connection_lost;
    lost.reused_connection = true;
    respond(std::move(lost));
  }
  settle();
  EXPECT_TRUE(fetcher_.requests.empty()) << "after the second loss it backs off";
  EXPECT_EQ(loop_->take_counts().requests, 1);
  EXPECT_EQ(stored("http://a.test/").progress.polls, 2);
  EXPECT_EQ(stored("http://a.test/").progress.errors, 1);
}

TEST_F(PollLoopTest, the_second_try_waits_for_the_politeness_of_its_host) {
  config_.host_default = {{10s, 1}};
  config_.host_default.obey_robots = false;
  watch({"http://a.test/1", "http://a.test/2"});
  fetch::Response lost = plain(next_request(), 0);
  lost.failure = Failure::connection_lost;
  lost.reused_connection = true;
  loop_->on_done(std::move(lost));
  settle();
  EXPECT_TRUE(fetcher_.requests.empty()) << "neither the second try nor another page";
  clock_.jump(11s);
  loop_->turn();
  settle();
  ASSERT_EQ(fetcher_.requests.size(), 1u) << "one at a time";
  EXPECT_TRUE(fetcher_.requests.front().fresh_connection);
}

TEST_F(PollLoopTest, a_new_connection_that_is_lost_gives_no_second_try) {
  watch({"http://a.test/"});
  fetch::Response lost = plain(next_request(), 0);
  lost.failure = Failure::connection_lost;
  respond(std::move(lost));
  EXPECT_TRUE(fetcher_.requests.empty());
  EXPECT_EQ(stored("http://a.test/").progress.errors, 1);
}

TEST_F(PollLoopTest, an_empty_body_where_there_was_content_is_not_a_change) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  answer(next_request(), 200, "");
  EXPECT_TRUE(changes().empty());
  EXPECT_EQ(stored("http://a.test/").progress.errors, 1);
}

TEST_F(PollLoopTest, a_redirect_is_followed_as_a_request_of_its_own) {
  watch({"http://a.test/"});
  fetch::Response moved = plain(next_request(), 302);
  moved.redirect_to = "http://b.test:8080/new";
  respond(std::move(moved));
  const fetch::Request hop = next_request();
  EXPECT_EQ(hop.url, "http://b.test:8080/new");
  answer(hop, 200, "one");
  const store::MinuteRow counts = loop_->take_counts();
  EXPECT_EQ(counts.polls, 2);  // the second poll has begun
  EXPECT_EQ(counts.requests, 3);
  EXPECT_EQ(stored("http://a.test/").progress.content_hash.size(), 64u);
  EXPECT_TRUE(hosts_.find("b.test:8080").has_value());
}

// Only so many hosts without a page are remembered.
TEST_F(PollLoopTest,
       hosts_that_want_to_be_left_alone_for_a_day_do_not_keep_others_from_redirecting) {
  constexpr int hostile = 1100;
  std::vector<std::string> urls{"http://good.test/"};
  for (int i = 0; i < hostile; ++i) urls.push_back("http://bad.test/" + std::to_string(i));
  watch(urls);
  std::optional<fetch::Request> good;
  int refused = 0;
  while (refused < hostile) {
    const fetch::Request request = next_request();
    if (request.url.empty()) break;
    if (request.url == urls[0]) {
      good = request;
    } else if (request.url.starts_with("http://bad.test/")) {
      fetch::Response hop = plain(request, 302);
      hop.redirect_to = "http://bad" + std::to_string(refused) + ".test/";
      loop_->on_done(std::move(hop));
    } else {
      fetch::Response refusal = plain(request, 503);
      refusal.retry_after = 24h;
      loop_->on_done(std::move(refusal));
      ++refused;
    }
  }
  while (!good) {
    const fetch::Request request = next_request();
    ASSERT_EQ(request.url, urls[0]);
    good = request;
  }
  fetch::Response hop = plain(*good, 302);
  hop.redirect_to = "http://www.good.test/";
  loop_->on_done(std::move(hop));
  EXPECT_EQ(next_request().url, "http://www.good.test/");
}

TEST_F(PollLoopTest, a_place_is_taken_while_a_redirect_waits_and_the_controller_knows) {
  watch({"http://a.test/"});
  fetch::Response moved = plain(next_request(), 302);
  moved.redirect_to = "http://b.test/";
  moved.elapsed = 10ms;
  respond(std::move(moved));
  const fetch::Request hop = next_request();
  clock_.jump(4s);
  answer(hop, 200, "one");
  EXPECT_NEAR(loop_->controller().fetch_rate(), 0.25, 0.05) << "pages a second that a place brings";
}

TEST_F(PollLoopTest, validators_are_not_sent_to_what_a_page_redirects_to) {
  watch({"http://a.test/"});
  for (int i = 0; i < 2; ++i) {
    const fetch::Request first = next_request();
    EXPECT_EQ(first.etag, "");
    fetch::Response moved = plain(first, 302);
    moved.redirect_to = "http://a.test/v" + std::to_string(i);
    respond(std::move(moved));
    const fetch::Request hop = next_request();
    EXPECT_EQ(hop.etag, "") << "another page might answer 304 to it";
    answer(hop, 200, "body " + std::to_string(i), "\"same\"");
  }
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(PollLoopTest, a_redirect_to_a_host_that_asked_to_wait_ends_the_poll) {
  watch({"http://a.test/", "http://b.test/"});
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  for (const fetch::Request& request : first) {
    if (request.url != "http://b.test/") continue;
    fetch::Response busy = plain(request, 503);
    busy.retry_after = 24h;
    respond(std::move(busy));
  }
  for (const fetch::Request& request : first) {
    if (request.url != "http://a.test/") continue;
    fetch::Response moved = plain(request, 302);
    moved.redirect_to = "http://b.test/other";
    respond(std::move(moved));
  }
  settle();
  EXPECT_EQ(loop_->in_flight(), 0u) << "nobody keeps a place for a day";
  EXPECT_EQ(stored("http://a.test/").progress.errors, 1);
}

TEST_F(PollLoopTest, a_name_is_looked_up_before_the_poll_is_paid_for) {
  watch({"http://unknown.test/"});
  EXPECT_TRUE(fetcher_.requests.empty());
  EXPECT_EQ(loop_->take_counts().requests, 0);
  ASSERT_EQ(fetcher_.looked_up.size(), 1u);
  fetcher_.unknown_name = "nothing";
  fetcher_.found(fetcher_.looked_up[0]);
  EXPECT_EQ(next_request().url, "http://unknown.test/");
  EXPECT_EQ(loop_->take_counts().requests, 1);
}

TEST_F(PollLoopTest, names_that_hang_leave_places_for_those_that_are_known) {
  std::vector<std::string> urls{"http://known.test/"};
  for (int i = 0; i < 300; ++i) urls.push_back("http://n" + std::to_string(i) + ".unknown.test/");
  hosts_[hosts_.add("known.test:80")].contact = Contact::answered;
  scheduler_.add_host(HostSlot{0}, config_.politeness("known.test:80"));
  watch(urls);
  EXPECT_EQ(fetcher_.requests.size(), 1u);
  EXPECT_LE(loop_->in_flight(), 65u);
}

TEST_F(PollLoopTest, a_page_put_off_because_names_hang_has_not_had_its_turn) {
  config_.settings[0].limits.min_interval = 1h;
  std::vector<std::string> urls;
  for (int i = 0; i < 100; ++i) urls.push_back("http://n" + std::to_string(i) + ".unknown.test/");
  watch(urls);
  EXPECT_TRUE(fetcher_.requests.empty());
  fetcher_.unknown_name = "nothing";  // from now on all are known
  for (const fetch::Token token : fetcher_.looked_up) fetcher_.found(token);
  settle();
  const std::size_t first = fetcher_.requests.size();
  EXPECT_EQ(first, 64u) << "as many as may be out to strangers at a time";
  clock_.jump(6s);
  loop_->turn();
  settle();
  EXPECT_EQ(fetcher_.requests.size(), first) << "a connection is no answer yet";
  for (std::size_t i = 0; i < first; ++i) answer(fetcher_.requests[i], 200, "here");
  clock_.jump(6s);
  loop_->turn();
  settle();
  EXPECT_EQ(fetcher_.requests.size(), 100u) << "the others need not wait for their min_interval";
  EXPECT_EQ(loop_->take_counts().polls, 100);
}

TEST_F(PollLoopTest, a_change_lies_between_the_question_before_and_the_answer) {
  watch({"http://a.test/"});
  const WallTime before_first_answer = clock_.wall();
  std::this_thread::sleep_for(5ms);
  answer(next_request(), 200, "one");
  answer(next_request(), 200, "two");
  ASSERT_EQ(changes().size(), 1u);
  EXPECT_LE(changes()[0].row.previous_poll_at, before_first_answer);
}

TEST_F(PollLoopTest, redirects_end_after_five) {
  watch({"http://a.test/"});
  for (int i = 0; i < 6; ++i) {
    fetch::Response moved = plain(next_request(), 302);
    moved.redirect_to = "http://a.test/" + std::to_string(i);
    respond(std::move(moved));
  }
  EXPECT_EQ(stored("http://a.test/").progress.last_error, "more than 5 redirects");
}

TEST_F(PollLoopTest, redirects_to_other_schemes_and_from_https_to_http_are_refused) {
  watch({"https://a.test/"});
  for (const char* target : {"http://a.test/", "ftp://a.test/", "file:///etc/passwd"}) {
    fetch::Response moved = plain(next_request(), 302);
    moved.redirect_to = target;
    respond(std::move(moved));
    EXPECT_EQ(stored("https://a.test/").progress.last_error.rfind("redirect refused", 0), 0u)
        << target;
    // Let it go on at once instead of backing off.
    scheduler_.remove(PageSlot{0});
    scheduler_.add(PageSlot{0}, *hosts_.find("a.test:443"), config_.settings[0].limits,
                   clock_.now());
    loop_->turn();
  }
}

TEST_F(PollLoopTest, retry_after_holds_back_every_page_of_the_host) {
  watch({"http://a.test/1", "http://a.test/2", "http://b.test/"});
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  ASSERT_EQ(first.size(), 3u);
  for (const fetch::Request& request : first) {
    if (request.url == "http://a.test/1") {
      fetch::Response busy = plain(request, 429);
      busy.retry_after = 1h;
      respond(std::move(busy));
    }
  }
  for (const fetch::Request& request : first) {
    if (request.url == "http://a.test/2") answer(request, 200, "x");
    if (request.url == "http://b.test/") answer(request, 200, "x");
  }
  settle();
  ASSERT_EQ(fetcher_.requests.size(), 1u);
  EXPECT_EQ(fetcher_.requests.front().url, "http://b.test/");
}

TEST_F(PollLoopTest, the_answer_for_a_page_that_was_removed_is_dropped) {
  watch({"http://a.test/", "http://b.test/"});
  std::deque<fetch::Request> first;
  first.swap(fetcher_.requests);
  ASSERT_EQ(first.size(), 2u);
  const PageSlot gone{0};
  loop_->forget(gone);
  scheduler_.remove(gone);
  policy_.remove(gone);
  pages_.remove(gone);
  for (const fetch::Request& request : first) answer(request, 200, "x");
  settle();
  ASSERT_EQ(fetcher_.requests.size(), 1u);
  EXPECT_EQ(fetcher_.requests.front().url, "http://b.test/");
}

TEST_F(PollLoopTest, stopping_waits_for_what_is_in_flight_and_starts_nothing) {
  watch({"http://a.test/", "http://b.test/"});
  bool idle = false;
  loop_->stop([&] { idle = true; });
  settle();
  EXPECT_FALSE(idle);
  const fetch::Request first = next_request(), second = next_request();
  answer(first, 200, "x");
  answer(second, 200, "x");
  EXPECT_TRUE(idle);
  EXPECT_TRUE(fetcher_.requests.empty());
}

}  // namespace
}  // namespace pollux::engine
