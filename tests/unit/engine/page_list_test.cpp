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

TEST_F(PageListTest, a_paused_page_can_be_removed) {
  watch({"http://a.test/", "http://b.test/"});
  list().pause(PageSlot{0});
  list().remove(PageSlot{0});
  EXPECT_EQ(pages_.size(), 1u);
  EXPECT_EQ(scheduler_.page_count(), 1u);
}

}  // namespace
}  // namespace pollux::engine
