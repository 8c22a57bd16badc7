#include "pollux/base/byte_room.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

class AByteRoom : public testing::Test {
 protected:
  std::shared_ptr<CountedBytes> body(ByteRoom::Name name, std::size_t bytes) {
    auto made = std::make_shared<CountedBytes>(room_, name);
    made->add(std::string(bytes, 'x'));
    return made;
  }
  std::shared_ptr<ByteRoom> room_ = std::make_shared<ByteRoom>(1000);
};

TEST_F(AByteRoom, counts_bytes_for_as_long_as_they_are_here) {
  auto first = body(1, 600);
  EXPECT_EQ(room_->bytes(), 600u);
  EXPECT_EQ(first->join(), std::string(600, 'x'));
  EXPECT_EQ(room_->bytes(), 600u) << "whoever took it has it";
  first->leave(50);
  EXPECT_EQ(room_->bytes(), 50u);
  first->leave(70);
  EXPECT_EQ(room_->bytes(), 70u);
  first.reset();
  EXPECT_EQ(room_->bytes(), 0u);
}

TEST_F(AByteRoom, joins_pieces_in_their_order) {
  CountedBytes bytes(room_, 1);
  bytes.add("one ");
  bytes.add("");
  room_->add(4);
  bytes.add_counted("two ");
  bytes.add("three");
  EXPECT_EQ(bytes.size(), 13u);
  EXPECT_EQ(bytes.join(), "one two three");
}

TEST_F(AByteRoom, lets_one_body_alone_go_on_while_it_is_full) {
  auto first = body(1, 600), second = body(2, 600);
  EXPECT_TRUE(room_->may_grow(2));
  EXPECT_FALSE(room_->may_grow(1));
  EXPECT_TRUE(room_->may_grow(2)) << "until it is whole";
}

TEST_F(AByteRoom, another_one_goes_on_when_the_bytes_of_the_first_are_gone_and_not_before) {
  int told = 0;
  const auto listener = room_->listen([&] { ++told; });
  auto first = body(1, 1200), second = body(2, 1200), third = body(3, 1200);
  EXPECT_TRUE(room_->may_grow(1));
  EXPECT_FALSE(room_->may_grow(2));
  third.reset();
  EXPECT_EQ(told, 0) << "it is as full as before";
  first.reset();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(room_->may_grow(2));
  room_->forget(listener);
}

TEST_F(AByteRoom, a_text_that_is_left_of_a_body_keeps_nobody_from_going_on) {
  int told = 0;
  room_->listen([&] { ++told; });
  auto first = body(1, 1200), second = body(2, 1200);
  EXPECT_TRUE(room_->may_grow(1));
  EXPECT_FALSE(room_->may_grow(2));
  first->leave(1100);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(room_->may_grow(2));
}

TEST_F(AByteRoom, tells_those_who_wait_once_when_there_is_room) {
  int told = 0;
  room_->listen([&] { ++told; });
  auto first = body(1, 600), second = body(2, 600);
  EXPECT_TRUE(room_->may_grow(2));
  EXPECT_FALSE(room_->may_grow(1));
  second.reset();
  first.reset();
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace pollux
