#include "fetch/body.hpp"

#include "support/behaviours.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

using Verdict = Body::Verdict;

class BodyTest : public testing::Test, public Handler {
 protected:
  void begin(std::size_t piece_bytes, std::size_t credit) {
    request.credit = credit;
    body.begin(request, piece_bytes, quota);
  }
  void on_ready(Token) override { FAIL(); }
  void on_piece(Token, std::string piece) override {
    text += piece;
    pieces.push_back(std::move(piece));
    body.grant(grant_in_piece);
  }
  void on_done(Response) override { FAIL(); }
  Verdict take(std::string_view data) { return body.take(data, *this); }
  Verdict grant(std::size_t bytes) {
    body.grant(bytes);
    quota.begin_turn();
    return body.go_on(*this);
  }
  std::string whole() { return text + body.last_piece(); }

  Request request;
  BodyQuota quota;
  Body body;
  std::vector<std::string> pieces;
  std::string text;
  std::size_t grant_in_piece = 0;
};
using BodyTest = BodyTest;

TEST_F(BodyTest, up_to_a_piece_needs_no_credit) {
  begin(10, 0);
  EXPECT_EQ(take("0123456789"), Verdict::ok);
  EXPECT_FALSE(body.held_back());
  EXPECT_TRUE(pieces.empty());
  EXPECT_EQ(body.last_piece(), "0123456789");
}

TEST_F(BodyTest, comes_within_its_credit_to_the_byte) {
  begin(10, 25);
  EXPECT_EQ(take(std::string(100, 'x')), Verdict::ok);
  EXPECT_EQ(text.size(), 25u);
  EXPECT_TRUE(body.held_back());
  EXPECT_EQ(grant(1), Verdict::ok);
  EXPECT_EQ(text.size(), 26u);
  EXPECT_EQ(grant(1000), Verdict::ok);
  EXPECT_FALSE(body.held_back());
  EXPECT_LE(body.last_piece().size(), 10u);
  EXPECT_EQ(whole(), std::string(100, 'x'));
  for (const std::string& piece : pieces) EXPECT_LE(piece.size(), 10u);
}

TEST_F(BodyTest, goes_on_at_once_with_credit_from_inside_a_piece) {
  begin(10, 10);
  grant_in_piece = 10;
  EXPECT_EQ(take(std::string(100, 'x')), Verdict::ok);
  EXPECT_FALSE(body.held_back());
  EXPECT_EQ(pieces.size(), 9u);
  EXPECT_EQ(whole().size(), 100u);
}

TEST_F(BodyTest, with_endless_credit_is_never_held_back) {
  begin(10, ~std::size_t{0});
  body.grant(~std::size_t{0});
  EXPECT_EQ(take(std::string(1000, 'x')), Verdict::ok);
  EXPECT_FALSE(body.held_back());
}

// A few bytes that unfold to a megabyte wait as few bytes.
TEST_F(BodyTest, stays_compressed_while_there_is_no_credit) {
  constexpr std::size_t piece = 1000, step = 16384;
  const std::string content(1'000'000, 'z');
  begin(piece, 5000);
  body.expect_gzip();
  EXPECT_EQ(take(test::gzip(content)), Verdict::ok);
  EXPECT_EQ(text.size(), 5000u);
  EXPECT_LE(body.bytes(), 5000 + piece + step);
  std::size_t granted = 5000;
  while (body.held_back()) {
    ASSERT_EQ(grant(20'000), Verdict::ok);
    granted += 20'000;
    ASSERT_LE(text.size(), granted);
    ASSERT_LE(body.bytes(), granted + piece + step);
  }
  EXPECT_EQ(whole(), content);
  EXPECT_FALSE(body.cut_short());
}

TEST_F(BodyTest, unfolds_no_more_in_a_turn_than_its_quota) {
  constexpr std::size_t step = 16384;
  std::string content(3'000'000, 'z');
  for (std::size_t i = 0; i < content.size(); i += 250) content[i] = static_cast<char>(i / 250);
  begin(1000, 1000);
  grant_in_piece = 1000;
  body.expect_gzip();
  const std::string encoded = test::gzip(content);
  EXPECT_EQ(take(encoded), Verdict::ok);
  int turns = 1;
  for (std::uint64_t before = 0; body.held_back(); ++turns) {
    ASSERT_TRUE(body.waits_for_turn()) << "there is credit";
    ASSERT_LE(body.bytes() - before, BodyQuota::bytes_a_turn + step);
    before = body.bytes();
    quota.begin_turn();
    ASSERT_EQ(body.go_on(*this), Verdict::ok);
  }
  EXPECT_GE(turns, 11);
  EXPECT_EQ(whole(), content);
  EXPECT_FALSE(body.cut_short());
}

TEST_F(BodyTest, of_many_parts_takes_so_many_in_a_turn) {
  begin(100'000, 0);
  std::size_t parts = 0;
  for (; body.may_take(); ++parts) ASSERT_EQ(take("x"), Verdict::ok);
  EXPECT_EQ(parts, BodyQuota::bytes_a_turn / BodyQuota::part);
  EXPECT_TRUE(body.held_back());
  EXPECT_TRUE(body.waits_for_turn());
  quota.begin_turn();
  EXPECT_EQ(body.go_on(*this), Verdict::ok);
  EXPECT_FALSE(body.held_back());
  EXPECT_TRUE(body.may_take());
}

TEST_F(BodyTest, is_not_unfolded_at_all_once_its_credit_is_used_up) {
  const std::string content(100'000, 'z');
  begin(1000, 1000);
  body.expect_gzip();
  EXPECT_EQ(take(test::gzip(content)), Verdict::ok);
  const std::uint64_t before = body.bytes();
  EXPECT_EQ(body.go_on(*this), Verdict::ok);
  EXPECT_EQ(body.bytes(), before);
  EXPECT_TRUE(body.held_back());
  EXPECT_FALSE(body.waits_for_turn()) << "it waits for credit";
}

TEST_F(BodyTest, that_was_held_back_is_judged_when_it_goes_on) {
  begin(1000, 0);
  body.expect_gzip();
  std::string damaged = test::gzip(std::string(100'000, 'z'));
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] + 1);  // its checksum
  EXPECT_EQ(take(damaged), Verdict::ok);
  EXPECT_TRUE(body.held_back());
  EXPECT_EQ(grant(1'000'000), Verdict::damaged);
}

TEST_F(BodyTest, ends_at_its_largest_size_or_is_too_large) {
  request.max_body = 50;
  begin(10, 1000);
  EXPECT_EQ(take(std::string(51, 'x')), Verdict::too_large);
  request.cut_body = true;
  begin(10, 1000);
  text.clear();
  EXPECT_EQ(take(std::string(51, 'x')), Verdict::enough);
  EXPECT_EQ(whole(), std::string(50, 'x'));
}

TEST_F(BodyTest, that_is_cut_short_is_noticed) {
  begin(1000, 1000);
  body.expect_gzip();
  EXPECT_FALSE(body.cut_short()) << "an empty body is a whole one";
  EXPECT_EQ(take(test::gzip("some text").substr(0, 12)), Verdict::ok);
  EXPECT_TRUE(body.cut_short());
}

}  // namespace
}  // namespace pollux::fetch
