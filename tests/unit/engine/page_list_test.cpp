// Changing the list while polls go on.
#include "engine/page_list.hpp"

#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

class PageListTest : public PollLoopTest {
 protected:
  PageList list() { return {list_parts(), *loop_}; }
  Moment moment() const { return {clock_.now(), clock_.wall()}; }
};

TEST_F(PageListTest, a_paused_page_is_not_polled_and_goes_on_with_what_was_learnt) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  const fetch::Request under_way = next_request();
  list().pause(PageSlot{0});
  answer(under_way, 200, "two");
  loop_->turn();
  settle();
  EXPECT_TRUE(fetcher_.requests.empty());
  EXPECT_TRUE(changes().empty()) << "the answer of a paused page is dropped";
  list().resume(PageSlot{0}, moment());
  answer(next_request(), 200, "three");
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(PageListTest, a_pause_does_not_end_a_back_off) {
  watch({"http://a.test/"});
  answer(next_request(), 500, "");
  list().pause(PageSlot{0});
  list().resume(PageSlot{0}, moment());
  settle();
  EXPECT_TRUE(fetcher_.requests.empty()) << "its server has just failed";
  clock_.jump(20s);
  loop_->turn();
  EXPECT_EQ(next_request().url, "http://a.test/");
}

TEST_F(PageListTest, a_page_asked_for_goes_before_its_min_interval) {
  config_.settings[0].limits.min_interval = 1h;
  watch({"http://a.test/", "http://b.test/"});
  for (int i = 0; i < 2; ++i) answer(next_request(), 200, "one");
  EXPECT_TRUE(fetcher_.requests.empty());
  list().poll_now(PageSlot{1});
  EXPECT_EQ(next_request().url, "http://b.test/");
  EXPECT_TRUE(fetcher_.requests.empty());
}

TEST_F(PageListTest, a_page_asked_for_waits_for_its_host) {
  config_.host_default = {{10s, 1}};
  config_.host_default.obey_robots = false;
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  list().poll_now(PageSlot{0});
  settle();
  EXPECT_TRUE(fetcher_.requests.empty());
  clock_.jump(11s);
  loop_->turn();
  EXPECT_EQ(next_request().url, "http://a.test/");
}

TEST_F(PageListTest, a_page_asked_for_waits_for_robots_txt_and_is_not_forgotten) {
  config_.host_default.obey_robots = true;
  watch({"http://a.test/", "http://a.test/b"});
  list().poll_now(PageSlot{1});
  const fetch::Request robots = next_request();
  EXPECT_EQ(robots.url, "http://a.test/robots.txt");
  answer(robots, 404, "");
  EXPECT_EQ(next_request().url, "http://a.test/b");
}

TEST_F(PageListTest, a_paused_page_can_be_removed) {
  watch({"http://a.test/", "http://b.test/"});
  list().pause(PageSlot{0});
  list().remove(PageSlot{0});
  EXPECT_EQ(pages_.size(), 1u);
  EXPECT_EQ(scheduler_.page_count(), 1u);
}

class EditedHeaders : public PageListTest {
 protected:
  SettingsId with_header(const std::string& line) {
    config::Config config;
    config.settings = config_.settings;
    config.settings[0].headers = 1;
    config.header_sets = {nullptr, std::make_shared<config::HeaderLines>(1, line)};
    return settings_.add(config, 0);
  }
};

TEST_F(EditedHeaders, make_a_new_baseline_and_no_change) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "for guests", "\"v1\"");
  const fetch::Request under_way = next_request();
  EXPECT_EQ(under_way.etag, "\"v1\"");
  list().set(PageSlot{0}, with_header("Cookie: member"), moment());
  answer(under_way, 304, "");  // to the old question
  const fetch::Request anew = next_request();
  EXPECT_EQ(anew.etag, "") << "the server must show what it has for this question";
  ASSERT_TRUE(anew.headers);
  answer(anew, 200, "for members");
  EXPECT_TRUE(changes().empty());
  EXPECT_EQ(stored("http://a.test/").progress.errors, 0);
  answer(next_request(), 200, "for members, new");
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(EditedHeaders, that_are_the_same_as_before_forget_nothing) {
  watch({"http://a.test/"});
  const SettingsId same = with_header("X: 1");
  list().set(PageSlot{0}, same, moment());
  answer(next_request(), 200, "to the old question");
  answer(next_request(), 200, "one");
  list().set(PageSlot{0}, with_header("X: 1"), moment());
  answer(next_request(), 200, "two");
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(EditedHeaders, while_no_daemon_ran_are_noticed_at_the_start) {
  watch({"http://a.test/"});
  answer(next_request(), 200, "one");
  store::PageRow row = stored("http://a.test/");
  EXPECT_EQ(row.progress.request_mark, "plain");
  const auto has_content = [&](const store::PageRow& stored_row, SettingsId settings) {
    PageSettingsTable table = settings_;
    PageTable pages;
    HostTable hosts;
    ListeningPolicy policy;
    schedule::Scheduler scheduler{{.budget = 1, .explore = 0, .seed = 1}, policy};
    PageInstaller installer({config_, table, pages, hosts, policy, scheduler}, moment(), true);
    installer.add(stored_row, settings);
    return pages[stored_row.slot].has_hash;
  };
  EXPECT_TRUE(has_content(row, settings_.add(config_, 0)));
  EXPECT_FALSE(has_content(row, with_header("X: 1")));
  row.progress.request_mark.clear();  // of an earlier version
  EXPECT_TRUE(has_content(row, with_header("X: 1")));
}

}  // namespace
}  // namespace pollux::engine
