// What is not believed at once: a body that may have been cut short, a server that always says
// "not modified".
#include "engine/second_look.hpp"

#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

class SecondLook : public PollLoopTest {
 protected:
  // A body that ends where the connection does.
  void answer_bare(const fetch::Request& request, const std::string& body) {
    fetch::Response response = plain(request, 200);
    response.body = body;
    response.body_bytes = body.size();
    response.until_close = true;
    respond(std::move(response));
  }
  void poll_bare(const std::string& body) { answer_bare(next_request(), body); }
};

TEST_F(SecondLook, a_body_without_a_length_is_news_when_two_looks_agree) {
  watch({"http://a.test/"});
  poll_bare("one");
  EXPECT_EQ(stored("http://a.test/").progress.polls, 0) << "not believed yet";
  poll_bare("one");
  EXPECT_EQ(stored("http://a.test/").progress.polls, 1);
  poll_bare("one");
  EXPECT_EQ(stored("http://a.test/").progress.polls, 2) << "what is known needs one look";
  poll_bare("two");
  EXPECT_TRUE(changes().empty());
  poll_bare("two");
  EXPECT_EQ(changes().size(), 1u);
  const store::MinuteRow counts = loop_->take_counts();
  EXPECT_EQ(counts.polls, 3 + 1) << "a second look is no poll of its own; the next has begun";
  EXPECT_EQ(counts.requests, 5 + 1) << "but it is a request";
}

TEST_F(SecondLook, a_body_that_was_cut_short_is_no_change) {
  watch({"http://a.test/"});
  poll_bare("the whole text");
  poll_bare("the whole text");
  for (int i = 0; i < 5; ++i) {
    poll_bare(std::string("the whole text").substr(0, 3 + i));
    poll_bare("the whole text");
  }
  EXPECT_TRUE(changes().empty());
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.errors, 0);
  EXPECT_EQ(page.polls, 6);
}

TEST_F(SecondLook, a_page_that_differs_from_look_to_look_is_noisy_and_not_failing) {
  watch({"http://a.test/"});
  poll_bare("known");
  poll_bare("known");
  const auto before = policy_.heard.size();
  for (int i = 0; i < 10; ++i) poll_bare("noise " + std::to_string(i));
  EXPECT_TRUE(changes().empty());
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.polls, 6);
  EXPECT_EQ(page.errors, 0);
  EXPECT_EQ(page.last_error, "");
  EXPECT_FALSE(page.retry_at) << "it does not back off";
  EXPECT_EQ(policy_.heard.size(), before) << "noise teaches nothing";
}

TEST_F(SecondLook, one_with_a_length_is_believed_by_itself) {
  watch({"http://a.test/"});
  poll_bare("one");
  answer(next_request(), 200, "whole");
  EXPECT_EQ(stored("http://a.test/").progress.polls, 1);
  answer(next_request(), 200, "other");
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(SecondLook, that_fails_is_a_failure_of_the_poll) {
  watch({"http://a.test/"});
  poll_bare("one");
  fetch::Response lost = plain(next_request(), 0);
  lost.failure = Failure::timeout;
  respond(std::move(lost));
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.polls, 1);
  EXPECT_EQ(page.errors, 1);
  EXPECT_EQ(page.content_hash, "");
}

// --- Pages that differ at every look.

class Twins : public PollLoopTest {
 protected:
  void SetUp() override {
    PollLoopTest::SetUp();
    config_.contents.push_back(extract::compile({}).value());
  }
  static std::string page(const std::string& offer) {
    std::string text = "<html><body><h1>Shop</h1><p>" + offer + "</p><h2>Goods</h2><p>";
    for (int i = 0; i < 80; ++i) text += "word" + std::to_string(i) + " ";
    return text + "</p></body></html>";
  }
  void show(const std::string& offer) {
    const fetch::Request request = next_request();
    fetch::Response response = plain(request, 200);
    response.content_type = "text/html";
    response.body = page(offer);
    response.body_bytes = response.body.size();
    respond(std::move(response));
  }
};

TEST_F(Twins, one_that_shows_the_known_bytes_again_is_compared_too) {
  watch({"http://a.test/"});
  show("Buy it now");
  for (const char* look : {"Put it into the basket", "Buy it now", "Put it into the basket"})
    show(look);
  EXPECT_EQ(stored("http://a.test/").progress.health, "masked");
  EXPECT_TRUE(changes().empty());
}

TEST_F(Twins, of_a_page_that_goes_to_and_fro_are_known_by_what_it_showed_before) {
  watch({"http://a.test/"});
  show("Buy it now");
  for (const char* look : {"Put it into the basket", "Put it into the basket", "Buy it now"})
    show(look);
  EXPECT_EQ(stored("http://a.test/").progress.health, "masked");
  EXPECT_TRUE(changes().empty());
}

TEST_F(Twins, are_wanted_of_bytes_that_differ_at_every_poll) {
  watch({"http://a.test/"});
  for (int look = 0; look < 8; ++look) {
    const fetch::Request request = next_request();
    fetch::Response response = plain(request, 200);
    response.content_type = "application/pdf";
    response.body = std::string("%PDF-1.4\n\x80\xFF\0", 12) + std::to_string(look);
    response.body_bytes = response.body.size();
    respond(std::move(response));
  }
  EXPECT_EQ(stored("http://a.test/").progress.health, "noisy");
  EXPECT_LE(changes().size(), 1u);
}

TEST_F(Twins, that_agree_for_the_first_time_must_be_seen_again) {
  watch({"http://a.test/"});
  show("Buy it now");
  for (int look = 0; look < 3; ++look) show("Sold out");
  EXPECT_TRUE(changes().empty()) << "one of two at random does that every fourth time";
  for (int look = 0; look < 2; ++look) show("Sold out");
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(Twins, are_not_wanted_of_a_list_that_grows) {
  watch({"http://a.test/"});
  std::string list = "The first of the news is old";
  show(list);
  for (const char* item : {"A boat has come in</p><p>", "The mayor counts the lanterns</p><p>"})
    show(list = item + list);
  EXPECT_EQ(changes().size(), 2u) << "a page that tells something at every poll is no noise";
}

TEST_F(Twins, are_not_wanted_of_a_page_whose_neighbours_are_quiet) {
  std::vector<std::string> urls;
  for (int i = 0; i < 16; ++i) urls.push_back("http://a.test/" + std::to_string(i));
  watch(urls);
  for (int poll = 0; poll < 3 * 16; ++poll) show("Buy it now");
  EXPECT_TRUE(changes().empty());
  const auto before = policy_.heard.size();
  show("Sold out");
  EXPECT_EQ(changes().size(), 1u) << "at first sight";
  ASSERT_EQ(policy_.heard.size(), before + 1);
  EXPECT_TRUE(policy_.heard.back());
}

// --- Who pays.

class WhoPays : public testing::Test {
 protected:
  WhoPays() {
    store::PageRow row;
    row.id = PageId{1};
    row.slot = PageSlot{0};
    row.spec.url = "http://a.test/";
    PageRecord& page = pages_.add(row, hosts_.add("a.test:80"), SettingsId{}, moment_);
    page.has_hash = true;
    flight_.url = row.spec.url;
    flight_.answer.status = 200;
    flight_.answer.body_bytes = 4;
  }
  // What the poll loop does when a look has ended.
  bool looks_again(Noise noise) {
    End end;
    end.body = detect::Hash{1};
    end.look = std::make_unique<Look>();
    end.look->hash = detect::Hash{2};
    end.look->noise = noise;
    const bool again = wants_second_look(flight_, pages_, hosts_, end, allowance_, moment_);
    if (again) ++flight_.requests;
    return again;
  }
  bool looks_again_at_cut_short_body() {
    End end;
    end.body = detect::Hash{1};
    flight_.answer.until_close = true;
    const bool again = wants_second_look(flight_, pages_, hosts_, end, allowance_, moment_);
    if (again) ++flight_.requests;
    return again;
  }

  const Moment moment_{Instant(1h), WallTime(1'790'000'000s)};
  PageTable pages_;
  HostTable hosts_;
  LookAllowance allowance_;
  Flight flight_;
};

TEST_F(WhoPays, nobody_where_the_host_vouches_for_its_pages) {
  HostCalm& calm = hosts_[HostSlot{0}].calm;
  for (int i = 0; i < 32; ++i) {
    EXPECT_FALSE(calm.vouches()) << i;
    calm.found(true);
  }
  EXPECT_TRUE(calm.vouches());
  EXPECT_FALSE(looks_again(Noise::none)) << "it never differed";

  PageRecord& page = pages_[PageSlot{0}];
  page.differed_at = 3;
  EXPECT_TRUE(looks_again(Noise::none)) << "it differs as often as not";
  flight_ = Flight{};
  flight_.answer.status = 200;
  page.trust.saw(page.hash);
  page.trust.saw(page.hash);
  EXPECT_FALSE(looks_again(Noise::none)) << "it was found as it was";

  calm.found(false);
  EXPECT_TRUE(looks_again(Noise::none)) << "there is noise on the host";
}

TEST_F(WhoPays, no_host_vouches_for_a_page_that_wavers_or_is_noisy) {
  HostCalm& calm = hosts_[HostSlot{0}].calm;
  for (int i = 0; i < 100; ++i) calm.found(true);
  PageRecord& page = pages_[PageSlot{0}];
  page.trust.disagreed();
  EXPECT_TRUE(looks_again(Noise::none));
  page.trust.forget();
  page.noisy = true;
  flight_ = Flight{};
  flight_.answer.status = 200;
  EXPECT_TRUE(looks_again(Noise::none)) << "it is asked now and then whether it still is";
}

TEST_F(WhoPays, the_allowance_pays_for_twins_and_the_page_for_its_own_request) {
  ASSERT_TRUE(looks_again(Noise::none));
  EXPECT_EQ(flight_.look, LookReason::twin);
  ASSERT_TRUE(looks_again(Noise::perhaps));
  EXPECT_EQ(flight_.look, LookReason::confirm);
  EXPECT_EQ(flight_.requests, 3);
  EXPECT_EQ(flight_.own_requests(), 1);
}

TEST_F(WhoPays, a_page_pays_for_a_body_that_may_have_been_cut_short) {
  ASSERT_TRUE(looks_again_at_cut_short_body());
  EXPECT_EQ(flight_.look, LookReason::cut_short);
  EXPECT_EQ(flight_.own_requests(), 2);
}

// --- "Not modified", for ever.

class NotModified : public PollLoopTest {
 protected:
  void first_content() {
    watch({"http://a.test/"});
    answer(next_request(), 200, "one", "\"v1\"");
  }
  // As many as are believed.
  void not_modified_until_asked_in_full() {
    for (int i = 0; i < 20; ++i) {
      const fetch::Request request = next_request();
      ASSERT_EQ(request.etag, "\"v1\"") << i;
      answer(request, 304, "");
    }
  }
};

TEST_F(NotModified, is_believed_twenty_times_then_the_page_is_asked_in_full) {
  first_content();
  not_modified_until_asked_in_full();
  EXPECT_EQ(stored("http://a.test/").progress.not_modified, 20);
  const fetch::Request full = next_request();
  EXPECT_EQ(full.etag, "");
  answer(full, 200, "one", "\"v1\"");
  EXPECT_EQ(next_request().etag, "\"v1\"") << "it was true";
  EXPECT_EQ(stored("http://a.test/").progress.not_modified, 0);
  EXPECT_EQ(stored("http://a.test/").progress.distrusted, 0);
}

TEST_F(NotModified, is_not_believed_for_longer_than_a_week) {
  first_content();
  const fetch::Request second = next_request();
  EXPECT_EQ(second.etag, "\"v1\"");
  clock_.jump(8 * 24h);
  answer(second, 304, "");
  EXPECT_EQ(next_request().etag, "");
}

TEST_F(NotModified, said_of_content_that_has_the_same_validator_is_a_lie) {
  first_content();
  not_modified_until_asked_in_full();
  answer(next_request(), 200, "two", "\"v1\"");
  EXPECT_EQ(changes().size(), 1u);
  EXPECT_EQ(stored("http://a.test/").progress.distrusted, 1);
  EXPECT_EQ(next_request().etag, "");
}

// It said so all the time, with a new validator at last: is it still said of the old one?
TEST_F(NotModified, said_of_content_that_is_gone_is_a_lie_and_the_poll_sees_the_content) {
  first_content();
  not_modified_until_asked_in_full();
  answer(next_request(), 200, "two", "\"v2\"");
  EXPECT_EQ(changes().size(), 1u);
  const fetch::Request trap = next_request();
  EXPECT_EQ(trap.etag, "\"v1\"");
  answer(trap, 304, "");
  EXPECT_EQ(stored("http://a.test/").progress.distrusted, 0) << "the poll is not over";
  const fetch::Request full = next_request();
  EXPECT_EQ(full.etag, "");
  answer(full, 200, "three", "\"v3\"");
  EXPECT_EQ(changes().size(), 2u);
  EXPECT_EQ(stored("http://a.test/").progress.distrusted, 1);
  for (int i = 0; i < 3; ++i) {
    const fetch::Request request = next_request();
    EXPECT_EQ(request.etag, "");
    answer(request, 200, "three", "\"v3\"");
  }
  EXPECT_EQ(changes().size(), 2u);
}

TEST_F(NotModified, of_an_honest_server_is_believed_again_after_a_change) {
  first_content();
  not_modified_until_asked_in_full();
  answer(next_request(), 200, "two", "\"v2\"");
  const fetch::Request trap = next_request();
  EXPECT_EQ(trap.etag, "\"v1\"");
  answer(trap, 200, "two", "\"v2\"");
  EXPECT_EQ(changes().size(), 1u);
  EXPECT_EQ(next_request().etag, "\"v2\"");
  EXPECT_EQ(stored("http://a.test/").progress.distrusted, 0);
}

TEST_F(NotModified, of_a_server_that_lied_is_not_believed_of_its_other_pages) {
  watch({"http://a.test/1", "http://a.test/2"});
  for (int i = 0; i < 2; ++i) answer(next_request(), 200, "one", "\"v1\"");
  hosts_[pages_[PageSlot{0}].host].distrusted = true;
  for (int i = 0; i < 4; ++i) {
    const fetch::Request request = next_request();
    // Those that had begun before it was known still ask.
    if (i >= 2) {
      EXPECT_EQ(request.etag, "");
    }
    answer(request, request.etag.empty() ? 200 : 304, "one", "\"v1\"");
  }
}

}  // namespace
}  // namespace pollux::engine
