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
    flight.waiting_since = now_;
    admission_.promise(flight, now_);
    return flight;
  }
  void make_ready(Flight& flight) {
    admission_.ready(flight, now_);
    flights_.move(flight, Stage::ready);
  }
  // By the budget, first come, first sent.
  int send_ready() {
    int sent = 0;
    for (; flights_.first_ready() && admission_.may_send(now_); ++sent) {
      Flight& flight = *flights_.find(*flights_.first_ready());
      admission_.send(flight, now_);
      flights_.move(flight, Stage::sent);
      flights_.move(flight, Stage::free);
    }
    return sent;
  }
  // As if every connection had been kept, for a while.
  void learn_that_all_are_quick() {
    for (int i = 0; i < 100; ++i, now_ += 1s) {
      make_ready(prepare());
      ASSERT_EQ(send_ready(), 1);
    }
  }
  Instant now_{10s};
  FlightTable flights_;
  schedule::Budget budget_{10, Instant{0s}};
  Admission admission_{budget_, flights_};
};

TEST_F(AdmissionTest, no_more_are_prepared_than_can_be_sent) {
  learn_that_all_are_quick();
  int prepared = 0;
  while (admission_.may_prepare(now_)) {
    prepare();
    ++prepared;
  }
  EXPECT_EQ(prepared, 1) << "after a silence, too, nothing is made up for";
  EXPECT_GT(admission_.next_prepare(now_), now_);
}

TEST_F(AdmissionTest, a_host_that_does_not_get_ready_keeps_nobody_from_being_polled) {
  while (admission_.may_prepare(now_)) prepare();
  now_ += 251ms;
  EXPECT_TRUE(admission_.may_prepare(now_)) << "whatever preparing takes";
  learn_that_all_are_quick();
  prepare();
  ASSERT_FALSE(admission_.may_prepare(now_));
  now_ += 11ms;
  EXPECT_TRUE(admission_.may_prepare(now_)) << "where others are ready at once";
}

// A second of TLS handshakes over a slow line is no reason to use a tenth of the budget.
TEST_F(AdmissionTest, slow_preparations_use_the_whole_budget) {
  for (const Duration takes : {Duration(0ms), Duration(40ms), Duration(150ms), Duration(900ms)}) {
    std::deque<Flight*> preparing;
    int sent = 0;
    const Instant counted = now_ + 3s, end = counted + 10s;
    for (; now_ < end; now_ += 1ms) {
      while (!preparing.empty() && now_ - preparing.front()->waiting_since >= takes) {
        make_ready(*preparing.front());
        preparing.pop_front();
      }
      const int now_sent = send_ready();
      if (now_ >= counted) sent += now_sent;
      while (admission_.may_prepare(now_)) preparing.push_back(&prepare());
      ASSERT_LE(flights_.ready_count(), 10u) << "nor are they ready long before their time";
    }
    // Longer than a promise lasts, they come in waves.
    EXPECT_GE(sent, takes > 250ms ? 70 : 96) << takes.count() << " us";
    for (Flight* flight : preparing) make_ready(*flight);
    while (flights_.ready_count() > 0) now_ += 10ms, send_ready();
  }
}

// Three of four never get ready; each may cost as much as a poll, no more.
TEST_F(AdmissionTest, hosts_that_hang_leave_the_others_their_turns) {
  learn_that_all_are_quick();
  int prepared = 0, sent = 0;
  std::vector<Flight*> hanging;
  for (const Instant end = now_ + 20s; now_ < end; now_ += 1ms) {
    sent += send_ready();
    while (admission_.may_prepare(now_)) {
      Flight& flight = prepare();
      if (++prepared % 4 == 0) {
        make_ready(flight);
      } else {
        hanging.push_back(&flight);
      }
      if (hanging.size() < 32) continue;
      // Their time-outs.
      for (Flight* lost : hanging) admission_.withdraw(*lost), flights_.move(*lost, Stage::free);
      hanging.clear();
    }
  }
  EXPECT_GE(sent, 50) << "of 200 turns, 50 were theirs";
}

TEST_F(AdmissionTest, those_that_are_ready_count_until_they_are_sent) {
  learn_that_all_are_quick();
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
    sent += send_ready();
  }
  EXPECT_LE(sent, 11);
  EXPECT_GE(sent, 9);
}

TEST_F(AdmissionTest, nothing_is_prepared_or_sent_once_a_budget_that_is_lent_is_over) {
  make_ready(prepare());
  budget_.end_at(now_);
  EXPECT_EQ(admission_.next_prepare(now_), Instant::max());
  EXPECT_EQ(admission_.next_send(now_), Instant::max());
  EXPECT_FALSE(admission_.may_send(now_));
  EXPECT_EQ(send_ready(), 0);
  budget_.end_at(now_ + 1s);
  EXPECT_TRUE(admission_.may_send(now_));
  EXPECT_EQ(send_ready(), 1);
}

}  // namespace
}  // namespace pollux::engine
