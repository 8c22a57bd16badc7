#include "pollux/base/virtual_loop.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux {
namespace {

using namespace std::chrono_literals;

class VirtualLoopTest : public testing::Test {
 protected:
  std::function<void()> say(char what) {
    return [this, what] { said_ += what; };
  }
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  std::string said_;
};

TEST_F(VirtualLoopTest, timers_fire_in_the_order_of_their_moments_and_the_clock_follows) {
  const auto first = loop_.make_timer(), second = loop_.make_timer();
  Instant fired{};
  first->arm(clock_.now() + 2s, say('b'));
  second->arm(clock_.now() + 1s, [&] {
    fired = clock_.now();
    said_ += 'a';
  });
  loop_.run_until(Instant(5s));
  EXPECT_EQ(said_, "ab");
  EXPECT_EQ(fired, Instant(1s));
  EXPECT_EQ(clock_.now(), Instant(5s));
}

TEST_F(VirtualLoopTest, what_is_due_later_waits) {
  const auto timer = loop_.make_timer();
  timer->arm(clock_.now() + 10s, say('a'));
  loop_.run_until(Instant(9s));
  EXPECT_EQ(said_, "");
  loop_.run_until(Instant(10s));
  EXPECT_EQ(said_, "a");
}

TEST_F(VirtualLoopTest, posted_handlers_run_before_time_moves_on) {
  const auto timer = loop_.make_timer();
  timer->arm(clock_.now(), say('t'));
  loop_.post([this] {
    said_ += 'a';
    loop_.post(say('b'));
  });
  loop_.settle();
  EXPECT_EQ(said_, "abt");
}

TEST_F(VirtualLoopTest, a_timer_armed_again_fires_once_and_one_that_is_gone_never) {
  const auto timer = loop_.make_timer();
  timer->arm(clock_.now() + 1s, say('a'));
  timer->arm(clock_.now() + 2s, say('b'));
  loop_.make_timer()->arm(clock_.now() + 1s, say('c'));
  loop_.run_until(Instant(9s));
  EXPECT_EQ(said_, "b");
}

TEST_F(VirtualLoopTest, a_handler_may_arm_its_own_timer_again) {
  const auto timer = loop_.make_timer();
  std::function<void()> tick = [&] {
    said_ += 't';
    if (said_.size() < 3) timer->arm(clock_.now() + 1s, tick);
  };
  timer->arm(clock_.now() + 1s, tick);
  loop_.run_until(Instant(9s));
  EXPECT_EQ(said_, "ttt");
}

}  // namespace
}  // namespace pollux
