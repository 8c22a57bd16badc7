// Credit for bodies: given back to the byte, and to one text at a time when they are many.
#include "engine/text_credit.hpp"
#include "engine/unpaid_pieces.hpp"

#include <map>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::Token;

class CountingFetcher final : public fetch::Fetcher {
 public:
  void start(fetch::Request) override {}
  void send(Token) override {}
  void grant(Token token, std::size_t bytes) override { granted[token] += bytes; }
  void cancel(Token) override {}
  void cancel_all() override {}
  std::size_t in_flight() const override { return 0; }
  void set_access_points(std::vector<fetch::AccessPoint>) override {}
  std::map<Token, std::size_t> granted;
};

TEST(UnpaidPieces, are_paid_to_the_byte_and_once) {
  CountingFetcher fetcher;
  UnpaidPieces unpaid;
  for (int i = 0; i < 4; ++i) unpaid.add(Token{1}, 1000);
  unpaid.add(Token{2}, 500);
  unpaid.add(Token{3}, 500);
  unpaid.forget(Token{3});
  unpaid.pay(fetcher);
  unpaid.pay(fetcher);
  EXPECT_EQ(fetcher.granted, (std::map<Token, std::size_t>{{Token{1}, 4000}, {Token{2}, 500}}));
}

TEST(TextCredit, is_given_at_once_while_there_is_room) {
  CountingFetcher fetcher;
  TextCredit credit(1000);
  credit.took(Token{1}, 600, fetcher);
  credit.took(Token{2}, 400, fetcher);
  EXPECT_EQ(fetcher.granted[Token{1}], 600u);
  EXPECT_EQ(fetcher.granted[Token{2}], 400u);
}

// However many come together: no more is kept than the room, what each may send unasked, and one
// whole text; and all of them end.
TEST(TextCredit, beyond_that_goes_to_one_text_at_a_time_and_all_of_them_end) {
  constexpr std::size_t piece = 100, whole = 1000, room = 2000, texts = 300;
  CountingFetcher fetcher;
  TextCredit credit(room);
  std::map<Token, std::size_t> come;
  const auto take = [&](Token token) {
    come[token] += piece;
    credit.took(token, piece, fetcher);
    EXPECT_LE(credit.bytes(), room + texts * piece + whole);
  };
  for (std::size_t i = 0; i < texts; ++i) take(Token{i});
  std::size_t ended = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [token, bytes] : come) {
      if (bytes == whole) {
        credit.ended(token, fetcher);
        bytes = 0;
        ++ended;
        moved = true;
      } else if (bytes > 0 && fetcher.granted[token] >= piece) {
        fetcher.granted[token] -= piece;
        take(token);
        moved = true;
      }
    }
  }
  EXPECT_EQ(ended, texts);
  EXPECT_EQ(credit.bytes(), 0u);
}

}  // namespace
}  // namespace pollux::engine
