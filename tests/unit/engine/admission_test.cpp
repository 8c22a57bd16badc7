#include "engine/admission.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() { flights_.grow(64); }
  Flight& prepare() {
    Flight& flight = flights_.take();
    flights_.move(flight, Stage::preparing);
    admission_.promise(flight, now_);
    return flight;
  }
  void make_ready(Flight& flight) {
    admission_.withdraw(flight);
    flights_.move(flight, Stage::ready);
  }
  Instant now_{10s};
  FlightTable flights_;
  schedule::Budget budget_{10, Instant{0s}};
  Admission admission_{budget_, flights_};
};

TEST_F(AdmissionTest, no_more_are_prepared_than_can_be_sent) {
  int prepared = 0;
  while (admission_.may_prepare(now_)) {
    prepare();
    ++prepared;
  }
  EXPECT_EQ(prepared, 1) << "after a silence, too, nothing is made up for";
  EXPECT_GT(admission_.next_prepare(now_), now_);
}

TEST_F(AdmissionTest, a_host_that_does_not_get_ready_keeps_nobody_from_being_polled) {
  prepare();
  ASSERT_FALSE(admission_.may_prepare(now_));
  now_ += 251ms;
  EXPECT_TRUE(admission_.may_prepare(now_));
}

TEST_F(AdmissionTest, those_that_are_ready_count_until_they_are_sent) {
  Flight& flight = prepare();
  make_ready(flight);
  EXPECT_FALSE(admission_.may_prepare(now_));
  ASSERT_TRUE(admission_.may_send(now_));
  admission_.send(flight, now_);
  flights_.move(flight, Stage::sent);
  EXPECT_FALSE(admission_.may_send(now_)) << "the budget is taken when the request is sent";
  now_ += 100ms;
  EXPECT_TRUE(admission_.may_prepare(now_));
}

TEST_F(AdmissionTest, a_crowd_that_becomes_ready_at_once_is_sent_at_the_budgets_pace) {
  std::vector<Flight*> crowd;
  for (int i = 0; i < 30; ++i, now_ += 300ms) crowd.push_back(&prepare());
  for (Flight* flight : crowd) make_ready(*flight);
  int sent = 0;
  for (const Instant end = now_ + 1s; now_ < end; now_ += 1ms) {
    while (flights_.first_ready() && admission_.may_send(now_)) {
      Flight& flight = *flights_.find(*flights_.first_ready());
      admission_.send(flight, now_);
      flights_.move(flight, Stage::sent);
      ++sent;
    }
  }
  EXPECT_LE(sent, 11);
  EXPECT_GE(sent, 9);
}

}  // namespace
}  // namespace pollux::engine
