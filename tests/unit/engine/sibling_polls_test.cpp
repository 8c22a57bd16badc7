// Polls that the learner wants because a sibling has changed: what is told of them, to whom.
#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

class SiblingPolls : public PollLoopTest {
 protected:
  void SetUp() override {
    PollLoopTest::SetUp();
    config_.settings[0].limits = {10s, 24h};
  }
  // Both pages are known, and at rest.
  void begin() {
    watch({"http://a.test/0", "http://a.test/1", "http://b.test/2"});
    for (int i = 0; i < 3; ++i) answer(next_request(), 200, "one");
    ASSERT_TRUE(fetcher_.requests.empty());
    static_cast<void>(loop_->take_counts());
  }
  // When the rests are over, page 1 is polled first, because of page 0.
  fetch::Request looked_at() {
    policy_.proposed.push_back(
        {.page = slot("http://a.test/1"), .because = slot("http://a.test/0"), .value = 1});
    clock_.jump(11s);
    loop_->turn();
    return next_request();
  }
  PageSlot slot(const std::string& url) { return stored(url).slot; }
  std::optional<store::LookRow> look_of(const std::string& url) {
    const PageId page = stored(url).id;
    return store::Reader::open(database()).value()->look(page).value();
  }
};

TEST_F(SiblingPolls, are_counted_and_told_to_the_learner_and_to_people) {
  begin();
  const fetch::Request look = looked_at();
  EXPECT_EQ(look.url, "http://a.test/1");
  answer(look, 200, "two");
  ASSERT_TRUE(policy_.look);
  EXPECT_EQ(policy_.look->because, slot("http://a.test/0"));
  EXPECT_TRUE(policy_.heard.back());
  EXPECT_FALSE(policy_.alone);
  const store::MinuteRow counts = loop_->take_counts();
  EXPECT_EQ(counts.looks, 1);
  EXPECT_EQ(counts.looks_found, 1);
  ASSERT_TRUE(look_of("http://a.test/1"));
  EXPECT_EQ(look_of("http://a.test/1")->because, "http://a.test/0");
  EXPECT_FALSE(look_of("http://a.test/0"));
  answer(next_request(), 200, "one");
  EXPECT_FALSE(policy_.look) << "an ordinary poll";
}

TEST_F(SiblingPolls, that_find_nothing_are_counted_all_the_same) {
  begin();
  answer(looked_at(), 200, "one");
  ASSERT_TRUE(policy_.look);
  const store::MinuteRow counts = loop_->take_counts();
  EXPECT_EQ(counts.looks, 1);
  EXPECT_EQ(counts.looks_found, 0);
}

TEST_F(SiblingPolls, blame_nobody_when_another_page_has_the_slot_by_then) {
  begin();
  const fetch::Request look = looked_at();
  PageList list(list_parts(), *loop_);
  const PageSlot cause = slot("http://a.test/0");
  const HostSlot host = pages_[cause].host;
  list.remove(cause);
  store::PageRow other;
  other.id = PageId{77};
  other.slot = cause;
  other.spec.url = "http://c.test/";
  pages_.add(other, host, SettingsId{}, {clock_.now(), clock_.wall()});
  answer(look, 200, "two");
  ASSERT_TRUE(policy_.look);
  EXPECT_EQ(policy_.look->because, policy_.look->page) << "no node lies between a page and itself";
  EXPECT_FALSE(look_of("http://a.test/1"));
}

}  // namespace
}  // namespace pollux::engine
