// Results that are large besides their bodies.
#include "agent/result_post.hpp"

#include "pollux/base/clock.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "pollux/bus/memory.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

class ResultsOnTheWay : public testing::Test {
 protected:
  ResultsOnTheWay() {
    results_ = brain_->subscribe("px.up.one.res", [this](bus::Message message) {
      ++messages_;
      const auto read = decode_results(message.payload);
      ASSERT_TRUE(read);
      for (const Result& result : read->results) heard_.push_back(result.id);
    });
    parts_ = brain_->subscribe("px.up.one.part", [this](bus::Message message) {
      const auto read = decode_part(message.payload);
      ASSERT_TRUE(read);
      whole_[read->id] += read->bytes;
    });
    loop_.run_until(clock_.now() + 1ms);
  }
  static Result result(std::uint64_t id) {
    Result made;
    made.id = id;
    made.response.status = 301;
    return made;
  }
  void pass() { loop_.run_until(clock_.now() + 10ms); }

  ManualClock clock_;
  VirtualLoop loop_{clock_};
  bus::MemoryHub hub_{clock_};
  std::unique_ptr<bus::Bus> agent_ = hub_.join(loop_, "agent"), brain_ = hub_.join(loop_, "brain");
  std::unique_ptr<bus::Subscription> results_, parts_;
  const Subjects subjects_{"one"};
  ResultPost post_{*agent_, subjects_, 7, 1000};
  int messages_ = 0;
  std::vector<std::uint64_t> heard_;
  std::map<std::uint64_t, std::string> whole_;
};

TEST_F(ResultsOnTheWay, are_told_in_as_many_messages_as_they_need) {
  for (std::uint64_t id = 1; id <= 200; ++id) {
    Result one = result(id);
    one.response.final_url = one.response.redirect_to = std::string(60'000, 'u');
    post_.add(one);
  }
  EXPECT_TRUE(post_.send().empty());
  pass();
  std::ranges::sort(heard_);
  ASSERT_EQ(heard_.size(), 200u);
  EXPECT_EQ(heard_.front(), 1u);
  EXPECT_EQ(heard_.back(), 200u);
  EXPECT_GT(messages_, 1);
}

TEST_F(ResultsOnTheWay, that_no_message_can_tell_keep_back_no_others) {
  Result lie = result(2);
  lie.response.etag = std::string(20'000, 'e');
  post_.add(result(1));
  post_.add(lie);
  post_.add(result(3));
  EXPECT_EQ(post_.send(), std::vector<std::uint64_t>{2});
  pass();
  std::ranges::sort(heard_);
  EXPECT_EQ(heard_, (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(ResultsOnTheWay, that_are_too_large_for_one_message_go_in_parts) {
  Result large = result(5);
  large.response.cookies.assign(1000, std::string(8000, 'c'));
  post_.add(large);
  EXPECT_TRUE(post_.send().empty());
  pass();
  const auto read = decode_results(whole_[5]);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->results.at(0).response.cookies.size(), 1000u);
}

}  // namespace
}  // namespace pollux::agent
