#include "engine/strangers.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

class StrangersTest : public testing::Test {
 protected:
  // One request, from its departure to its end.
  void ask(HostSlot host, const fetch::Response& answer) {
    Flight flight;
    flight.host = host;
    strangers_.depart(flight);
    strangers_.arrive(flight, answer);
  }
  void fill(std::size_t flights) {
    for (std::size_t i = 0; i < flights; ++i) {
      out_.emplace_back().host = hosts_.add("never" + std::to_string(i) + ".test:80");
      strangers_.depart(out_.back());
    }
  }
  HostTable hosts_;
  Strangers strangers_{hosts_};
  std::vector<Flight> out_;
};

fetch::Response answer_after(Duration elapsed, Duration rested = {}) {
  fetch::Response answer;
  answer.status = 200;
  answer.elapsed = answer.exchange = elapsed;
  answer.rested = rested;
  return answer;
}

TEST_F(StrangersTest, a_host_that_answers_is_none) {
  const HostSlot host = hosts_.add("quick.test:80");
  ask(host, answer_after(100ms));
  fill(4);
  EXPECT_EQ(strangers_.wait(host, 8), Duration::zero());
}

TEST_F(StrangersTest, one_that_answers_just_before_the_time_out_is_one) {
  const HostSlot host = hosts_.add("slow.test:80");
  ask(host, answer_after(18500ms));
  EXPECT_EQ(strangers_.wait(host, 8), Duration::zero()) << "there is room";
  fill(4);
  EXPECT_GT(strangers_.wait(host, 8), Duration::zero());
  ask(host, answer_after(100ms));
  EXPECT_EQ(strangers_.wait(host, 8), Duration::zero()) << "it is quick again";
}

TEST_F(StrangersTest, what_a_body_waited_for_us_is_not_the_hosts_fault) {
  const HostSlot host = hosts_.add("held.test:80");
  ask(host, answer_after(60s, 59s));
  fill(4);
  EXPECT_EQ(strangers_.wait(host, 8), Duration::zero());
}

TEST_F(StrangersTest, a_silent_one_waits_longer_than_one_that_was_never_asked) {
  const HostSlot silent = hosts_.add("silent.test:80"), fresh = hosts_.add("fresh.test:80");
  fetch::Response none;
  none.failure = fetch::Failure::timeout;
  ask(silent, none);
  fill(4);
  EXPECT_GT(strangers_.wait(silent, 8), strangers_.wait(fresh, 8));
  EXPECT_GT(strangers_.wait(fresh, 8), Duration::zero());
}

}  // namespace
}  // namespace pollux::engine
