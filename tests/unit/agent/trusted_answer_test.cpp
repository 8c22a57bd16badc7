// What an agent says that no fetcher would.
#include "agent/trusted_answer.hpp"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

class TrustedAnswer : public testing::Test {
 protected:
  using Change = std::function<void(fetch::Response&)>;
  static bool trusts(const Change& change) {
    Result result;
    result.response.status = 200;
    result.response.body_hash.emplace();
    change(result.response);
    return trusted_answer(std::move(result), fetch::Request{}, fetch::Token{7}).has_value();
  }
};

TEST_F(TrustedAnswer, is_what_a_fetcher_would_say) {
  EXPECT_TRUE(trusts([](fetch::Response& answer) {
    answer.body_bytes = 5000;
    answer.modified_ago = 24h * 365 * 30;
    answer.fresh_for = 0s;
    answer.retry_after = 24h;
    answer.cookies = {"a.test\tFALSE\t/\tFALSE\t0\tname\tvalue"};
  }));
  EXPECT_TRUE(trusts([](fetch::Response& answer) { answer.modified_ago = -1h; }))
      << "two clocks that differ";
}

TEST_F(TrustedAnswer, is_none_with_spans_that_no_moment_can_bear) {
  constexpr Duration longest = Duration::max(), shortest = Duration::min();
  EXPECT_FALSE(trusts([&](fetch::Response& answer) { answer.fresh_for = shortest; }));
  EXPECT_FALSE(trusts([&](fetch::Response& answer) { answer.fresh_for = longest; }));
  EXPECT_FALSE(trusts([&](fetch::Response& answer) { answer.modified_ago = shortest; }));
  EXPECT_FALSE(trusts([&](fetch::Response& answer) { answer.modified_ago = longest; }));
}

TEST_F(TrustedAnswer, is_none_that_blocks_a_host_for_a_year) {
  EXPECT_FALSE(trusts([](fetch::Response& answer) { answer.retry_after = 24h * 365; }));
  EXPECT_FALSE(trusts([](fetch::Response& answer) { answer.retry_after = 0s; }));
}

TEST_F(TrustedAnswer, is_none_with_a_body_that_nobody_could_count) {
  EXPECT_FALSE(trusts([](fetch::Response& answer) {
    answer.body_bytes = std::numeric_limits<std::uint64_t>::max();
  }));
}

TEST_F(TrustedAnswer, is_none_with_cookies_of_several_lines) {
  EXPECT_FALSE(trusts([](fetch::Response& answer) { answer.cookies = {"a=1\r\nX-Key: 5"}; }));
}

}  // namespace
}  // namespace pollux::agent
