// Compressed bodies that come together: a small part of each is unfolded in a turn, nothing of one
// whose consumer is behind.
#include "fetch_fixture.hpp"

#include <algorithm>
#include <map>

namespace pollux::fetch {
namespace {

// Counts what comes instead of keeping it.
class Unfolding : public FetchTest {
 protected:
  static constexpr std::size_t unfolded = 4u << 20;
  static constexpr std::uint64_t bodies = 100;
  // Two milliseconds on any machine, and far less than all that could be unfolded.
  static constexpr std::size_t most_in_a_handler = 16u << 20;

  void on_piece(Token token, std::string piece) override {
    arrived_[token] += piece.size();
    now_ += piece.size();
    if (paying_) fetcher().grant(token, piece.size());
  }
  // Runs one handler of the event loop.
  bool step() {
    now_ = 0;
    io.restart();
    const bool ran = io.run_one() > 0;
    longest_ = std::max(longest_, now_);
    return ran;
  }
  void start(std::uint64_t token, const std::string& url) {
    Request wanted = request(url, token);
    wanted.timeout = 100s;
    fetcher().start(std::move(wanted));
  }
  std::size_t sum() const {
    std::size_t sum = 0;
    for (const auto& [token, bytes] : arrived_) sum += bytes;
    return sum;
  }

  std::map<Token, std::size_t> arrived_;
  std::size_t now_ = 0, longest_ = 0;
  bool paying_ = false;
};
using UnfoldingBodies = Unfolding;

TEST_F(UnfoldingBodies, together_wait_for_their_consumer_and_then_take_turns) {
  origin.on("/z", serve::gzipped(test::foldable_text(unfolded)));
  const std::size_t credit = Request{}.credit;
  for (std::uint64_t i = 1; i <= bodies; ++i) start(i, origin.url("/z"));
  while (sum() < bodies * credit && step()) {
  }
  // All that could come has come, and nothing more does.
  for (int i = 0; i < 50; ++i) {
    io.restart();
    io.run_for(2ms);
  }
  EXPECT_EQ(sum(), bodies * credit) << "nothing is unfolded for a consumer that is behind";
  EXPECT_TRUE(done.empty());

  // The consumer has room again: for all of them, at once.
  paying_ = true;
  longest_ = 0;
  for (std::uint64_t i = 1; i <= bodies; ++i) fetcher().grant(Token{i}, credit);
  while (done.size() < bodies && step()) {
  }
  ASSERT_EQ(done.size(), bodies);
  for (const Response& r : done) {
    EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
    EXPECT_EQ(r.body_bytes, unfolded);
  }
  EXPECT_LT(longest_, most_in_a_handler) << "of " << bodies * unfolded;
}

TEST_F(UnfoldingBodies, over_tls_do_not_do_so_in_one_go) {
  Origin secure(Origin::Options{.tls = true});
  trust(secure.ca_pem());
  constexpr std::size_t large = 9u << 20;
  secure.on("/z", serve::gzipped(test::foldable_text(large)));
  secure.on("/p", serve::page("small"));
  paying_ = true;
  start(1, secure.url("/z"));
  int handlers = 0;
  while (done.empty() && step()) handlers += now_ > 0 ? 1 : 0;
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].failure, Failure::none) << done[0].failure_text;
  EXPECT_EQ(done[0].body_bytes, large);
  EXPECT_GT(handlers, 1);
}

// Small pages do not wait until the large ones before them are unfolded.
TEST_F(UnfoldingBodies, for_long_let_small_ones_pass) {
  origin.on("/z", serve::gzipped(test::foldable_text(unfolded)));
  origin.on("/p", serve::gzipped("small"));
  for (std::uint64_t i = 1; i <= bodies; ++i) start(i, origin.url("/z"));
  while (sum() < bodies * Request{}.credit && step()) {
  }
  paying_ = true;
  for (std::uint64_t i = 1; i <= bodies; ++i) fetcher().grant(Token{i}, Request{}.credit);
  start(bodies + 1, origin.url("/p"));
  while (done.size() <= bodies && step()) {
  }
  ASSERT_EQ(done.size(), bodies + 1);
  const auto small = std::find_if(done.begin(), done.end(),
                                  [](const Response& r) { return r.token == Token{bodies + 1}; });
  EXPECT_LT(small - done.begin(), static_cast<std::ptrdiff_t>(bodies / 2));
}

// Only gzip is asked for. What comes in another coding, or in several, is refused before a byte of
// it is looked at.
TEST_F(UnfoldingBodies, in_codings_that_were_not_asked_for_are_refused_unseen) {
  const std::string bytes = test::gzip(test::gzip(std::string(unfolded, 'z')));
  const std::string codings[] = {
      "Content-Encoding: br\r\n",
      "Content-Encoding: zstd\r\n",
      "Content-Encoding: gzip, gzip\r\n",
      "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
      "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n",
      "Transfer-Encoding: gzip\r\n",
  };
  std::uint64_t token = 0;
  for (const std::string& fields : codings) {
    origin.on("/b", serve::raw("HTTP/1.1 200 OK\r\n" + fields + "\r\n" + bytes));
    start(++token, origin.url("/b"));
    run_until_done();
    EXPECT_EQ(done.back().failure, Failure::bad_encoding) << fields << done.back().failure_text;
    EXPECT_EQ(done.back().body_bytes, 0u) << fields;
  }
}

}  // namespace
}  // namespace pollux::fetch
