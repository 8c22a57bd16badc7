// A page that has become another one altogether: is it what its host says of pages it does not
// have, and what other pages have become?
#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

constexpr std::string_view missing_path = "/no-such-page-";

class MissingPagesTest : public PollLoopTest {
 protected:
  void SetUp() override {
    PollLoopTest::SetUp();
    config_.contents.push_back(extract::compile({}).value());
  }
  // About something: a hundred words that no other page has.
  static std::string page(const std::string& about) {
    std::string text = "<html><head><title>A page</title></head><body><p>";
    for (int i = 0; i < 100; ++i) text += about + std::to_string(i) + " ";
    return text + "</p></body></html>";
  }
  void answer_html(const fetch::Request& request, int status, const std::string& body) {
    fetch::Response response = plain(request, status);
    response.content_type = "text/html";
    response.body = body;
    response.body_bytes = body.size();
    respond(std::move(response));
  }
  // Answers what is asked for until so many polls of all pages are stored; `shown` says what.
  template <typename Shown>
  void answer_requests(int count, Shown shown) {
    for (int i = 0; i < count; ++i) {
      const fetch::Request request = next_request();
      const bool missing = request.url.find(missing_path) != std::string::npos;
      if (missing) asked_.push_back(request.url);
      const auto [status, body] = shown(request.url, missing);
      answer_html(request, status, body);
    }
  }
  using Answer = std::pair<int, std::string>;
  std::vector<std::string> asked_;  // paths that cannot exist
};

TEST_F(MissingPagesTest, a_page_that_becomes_what_missing_pages_are_is_a_soft_404) {
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  EXPECT_TRUE(asked_.empty()) << "nobody asks without a need";
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("sorry")); });
  ASSERT_EQ(asked_.size(), 1u) << "once a day";
  EXPECT_TRUE(asked_[0].starts_with("http://a.test/no-such-page-")) << asked_[0];
  EXPECT_TRUE(changes().empty());
  const store::PageProgress gone = stored("http://a.test/news").progress;
  EXPECT_EQ(gone.health, "suspect");
  EXPECT_EQ(gone.health_reason, "soft 404");
  answer_requests(3, [](const std::string&, bool) { return Answer(200, page("news")); });
  EXPECT_EQ(stored("http://a.test/news").progress.health, "ok") << "it is back";
  EXPECT_TRUE(changes().empty());
}

TEST_F(MissingPagesTest, a_page_that_was_rewritten_is_believed_when_it_is_seen_again) {
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  answer_requests(4, [](const std::string&, bool missing) {
    return missing ? Answer(404, page("sorry")) : Answer(200, page("other"));
  });
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(changes().size(), 1u);
  EXPECT_EQ(stored("http://a.test/news").progress.health, "ok");
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("third")); });
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(changes().size(), 2u) << "a page that is rewritten now and then";
}

TEST_F(MissingPagesTest, a_host_that_answers_every_path_alike_says_nothing) {
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("app")); });
  answer_requests(4, [](const std::string&, bool missing) {
    return Answer(200, missing ? page("app") : page("news"));
  });
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(MissingPagesTest, nothing_is_asked_where_the_user_does_not_want_it) {
  config_.host_default.probe = false;
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  answer_requests(4, [](const std::string&, bool) { return Answer(200, page("other")); });
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(MissingPagesTest, a_redirect_of_the_missing_page_is_not_followed) {
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  bool redirected = false;
  for (int i = 0; i < 4; ++i) {
    const fetch::Request request = next_request();
    if (request.url.find(missing_path) == std::string::npos) {
      answer_html(request, 200, page("other"));
      continue;
    }
    redirected = true;
    fetch::Response moved = plain(request, 302);
    moved.redirect_to = "http://a.test/home";
    loop_->on_done(std::move(moved));
    settle();
  }
  EXPECT_TRUE(redirected);
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(MissingPagesTest, robots_txt_is_obeyed) {
  config_.host_default.obey_robots = true;
  watch({"http://a.test/news"});
  answer(next_request(), 200, "User-agent: *\nDisallow: /no-such\n");
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  answer_requests(4, [](const std::string&, bool) { return Answer(200, page("other")); });
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(MissingPagesTest, the_host_is_asked_again_the_next_day_and_not_after_a_restart) {
  watch({"http://a.test/news"});
  answer_requests(6, [](const std::string&, bool) { return Answer(200, page("news")); });
  answer_requests(4, [](const std::string&, bool) { return Answer(200, page("sorry")); });
  ASSERT_EQ(asked_.size(), 1u);
  const HostSlot host = pages_[PageSlot{0}].host;
  const Moment moment{clock_.now(), clock_.wall()};
  const std::vector<store::HostRow> rows = hosts_.take_changed(moment);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].missing_asked_at);
  hosts_[host].missing_asked.reset();
  install_hosts(rows, list_parts(), moment);
  ASSERT_TRUE(hosts_[host].missing_asked);
  const MissingPages missing(config_, hosts_, scheduler_);
  EXPECT_FALSE(missing.may_ask(host, clock_.now()));
  EXPECT_TRUE(missing.may_ask(host, clock_.now() + 25h));
}

TEST_F(MissingPagesTest, pages_of_a_host_that_turn_into_the_same_are_suspect) {
  config_.host_default.probe = false;
  const std::vector<std::string> urls = {"http://a.test/1", "http://a.test/2", "http://a.test/3",
                                         "http://b.test/1"};
  watch(urls);
  answer_requests(24, [](const std::string& url, bool) {
    return Answer(200, page(std::string(url.substr(url.size() - 1)) + "of" + url.substr(7, 1)));
  });
  answer_requests(24, [](const std::string&, bool) { return Answer(200, page("busy")); });
  for (std::size_t i = 0; i < 3; ++i) {
    const store::PageProgress progress = stored(urls[i]).progress;
    EXPECT_EQ(progress.health, "suspect") << urls[i];
    EXPECT_EQ(progress.health_reason, "same as other pages") << urls[i];
    EXPECT_EQ(progress.changes, 0) << urls[i];
  }
  EXPECT_EQ(stored(urls[3]).progress.changes, 1) << "alone on its host";
}

}  // namespace
}  // namespace pollux::engine
