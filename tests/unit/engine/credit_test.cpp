// Credit for bodies: given back to the byte, and to one body at a time when they are many.
#include "engine/body_credit.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/virtual_loop.hpp"

#include <map>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::Token;

class Credit : public testing::Test {
 protected:
  void take(Token token, std::size_t bytes) {
    auto& body = bodies_[token];
    if (!body) body = std::make_shared<CountedBytes>(room_, static_cast<ByteRoom::Name>(token));
    body->add(std::string(bytes, 'x'));
    credit_.took(token, room_, bytes);
  }
  void end(Token token) {
    credit_.ended(token);
    bodies_.erase(token);
  }
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  std::shared_ptr<ByteRoom> room_ = std::make_shared<ByteRoom>(2000);
  std::map<Token, std::shared_ptr<CountedBytes>> bodies_;
  std::map<Token, std::size_t> granted_;
  BodyCredit credit_{loop_, [this](Token token, std::size_t bytes) { granted_[token] += bytes; }};
};

TEST_F(Credit, is_given_at_once_while_there_is_room) {
  take(Token{1}, 600);
  take(Token{2}, 400);
  EXPECT_EQ(granted_, (std::map<Token, std::size_t>{{Token{1}, 600}, {Token{2}, 400}}));
}

TEST_F(Credit, is_paid_to_the_byte_and_once_when_there_is_room_again) {
  take(Token{9}, 2500);
  for (int i = 0; i < 4; ++i) take(Token{1}, 100);
  take(Token{2}, 50);
  take(Token{3}, 50);
  credit_.ended(Token{3});
  loop_.settle();
  EXPECT_EQ(granted_, (std::map<Token, std::size_t>{{Token{9}, 2500}}));
  end(Token{9});
  loop_.settle();
  take(Token{4}, 10);
  loop_.settle();
  granted_.erase(Token{9});
  EXPECT_EQ(granted_,
            (std::map<Token, std::size_t>{{Token{1}, 400}, {Token{2}, 50}, {Token{4}, 10}}));
}

// However many come together: no more is kept than the room, what each may send unasked, and one
// whole body; and all of them end.
TEST_F(Credit, goes_to_one_body_at_a_time_beyond_that_and_all_of_them_end) {
  constexpr std::size_t piece = 100, whole = 1000, texts = 300;
  std::map<Token, std::size_t> come;
  const auto next = [&](Token token) {
    come[token] += piece;
    take(token, piece);
    EXPECT_LE(room_->bytes(), room_->most() + texts * piece + whole);
  };
  for (std::size_t i = 0; i < texts; ++i) next(Token{i});
  std::size_t ended = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [token, bytes] : come) {
      if (bytes == whole) {
        end(token);
        bytes = 0;
        ++ended;
        moved = true;
      } else if (bytes > 0 && granted_[token] >= piece) {
        granted_[token] -= piece;
        next(token);
        moved = true;
      }
    }
    loop_.settle();
  }
  EXPECT_EQ(ended, texts);
  EXPECT_EQ(room_->bytes(), 0u);
}

TEST_F(Credit, nothing_is_heard_of_a_room_after_the_end) {
  auto other = std::make_unique<BodyCredit>(
      loop_, [](Token, std::size_t) { ADD_FAILURE() << "granted by one that is gone"; });
  take(Token{1}, 2500);
  CountedBytes more(room_, 2);
  more.add(std::string(100, 'x'));
  EXPECT_FALSE(other->took(Token{2}, room_, 100));
  other.reset();
  end(Token{1});
  loop_.settle();
}

}  // namespace
}  // namespace pollux::engine
