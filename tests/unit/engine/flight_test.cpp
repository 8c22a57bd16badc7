#include "engine/flight.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

class FlightTableTest : public testing::Test {
 protected:
  FlightTableTest() { flights_.grow(2); }
  FlightTable flights_;
};

TEST_F(FlightTableTest, a_token_names_one_flight_and_not_the_next_in_its_place) {
  Flight& flight = flights_.take();
  flights_.move(flight, Stage::preparing);
  const fetch::Token token = flights_.token(flight);
  EXPECT_EQ(flights_.find(token), &flight);
  flights_.move(flight, Stage::free);
  EXPECT_EQ(flights_.find(token), nullptr);
  Flight& next = flights_.take();
  flights_.move(next, Stage::preparing);
  EXPECT_NE(flights_.token(next), token);
  EXPECT_EQ(flights_.find(token), nullptr);
}

TEST_F(FlightTableTest, one_that_is_over_holds_nothing) {
  Flight& flight = flights_.take();
  flights_.move(flight, Stage::preparing);
  const auto large = std::make_shared<ByteRoom>(1);
  flight.texts = {std::string(1000, 'x')};
  flight.text.assign(1000, 'x');
  flight.cookies = {"a"};
  flight.text_room = std::make_shared<CountedBytes>(large, 1);
  flights_.move(flight, Stage::free);
  EXPECT_TRUE(flight.texts.empty());
  EXPECT_TRUE(flight.text.empty());
  EXPECT_TRUE(flight.cookies.empty());
  EXPECT_EQ(large.use_count(), 1);
}

TEST_F(FlightTableTest, those_that_are_ready_keep_their_order) {
  Flight& first = flights_.take();
  flights_.move(first, Stage::preparing);
  Flight& second = flights_.take();
  flights_.move(second, Stage::preparing);
  EXPECT_FALSE(flights_.has_room());
  flights_.move(second, Stage::ready);
  flights_.move(first, Stage::ready);
  EXPECT_EQ(flights_.first_ready(), flights_.token(second));
  flights_.move(second, Stage::sent);
  EXPECT_EQ(flights_.first_ready(), flights_.token(first));
  flights_.move(first, Stage::free);
  EXPECT_EQ(flights_.first_ready(), std::nullopt);
  EXPECT_EQ(flights_.in_use(), 1u);
}

TEST_F(FlightTableTest, a_flight_holds_its_host_from_preparing_to_the_answer) {
  Flight& flight = flights_.take();
  flights_.move(flight, Stage::waiting);
  EXPECT_FALSE(flight.holds_host());
  EXPECT_EQ(flights_.waiting(), std::vector<fetch::Token>{flights_.token(flight)});
  for (const Stage stage : {Stage::preparing, Stage::ready, Stage::sent}) {
    flights_.move(flight, stage);
    EXPECT_TRUE(flight.holds_host());
    EXPECT_EQ(flights_.waiting().size(), 0u);
  }
  flights_.move(flight, Stage::hashing);
  EXPECT_FALSE(flight.holds_host());
}

#ifndef NDEBUG
TEST_F(FlightTableTest, a_move_that_makes_no_sense_is_a_defect) {
  Flight& flight = flights_.take();
  flights_.move(flight, Stage::preparing);
  EXPECT_DEATH(flights_.move(flight, Stage::hashing), "legal_moves");
}
#endif

}  // namespace
}  // namespace pollux::engine
