#include "engine/look_threads.hpp"

#include "engine/asio_loop.hpp"
#include "pollux/agent/worker.hpp"

#include <atomic>
#include <latch>
#include <map>
#include <new>
#include <stdexcept>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using fetch::Token;

extract::SharedRules compiled(const extract::Rules& rules) {
  return extract::compile(rules).value();
}
extract::Rules with_pipe(const std::string& seconds) {
  extract::Rules rules;
  rules.pipe = {"sleep", seconds};
  return rules;
}

class LookThreadsTest : public testing::Test {
 protected:
  void begin(LookThreads::Options options = {}) {
    threads_ = std::make_unique<LookThreads>(loop_, std::move(options), [this](auto ready) {
      for (auto& [token, look] : ready) looks_[token] = std::move(look);
    });
  }
  void add(std::uint64_t token, const extract::Rules& rules, std::uint32_t host = 1,
           const std::string& body = "<p>some words</p>") {
    LookTask task;
    task.host = HostSlot{host};
    task.url = "https://example.org/";
    task.content_type = "text/html";
    task.body = body;
    task.rules = compiled(rules);
    threads_->add(Token{token}, std::move(task));
  }
  template <typename Done>
  void run_until(Done done) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!done() && std::chrono::steady_clock::now() < limit) io_.run_one_for(20ms);
    ASSERT_TRUE(done());
  }
  boost::asio::io_context io_;
  AsioLoop loop_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::map<Token, Look> looks_;
  std::unique_ptr<LookThreads> threads_;
};

// By rules that hold no more: nothing is known of the page, least of all that it is empty.
TEST_F(LookThreadsTest, what_an_agent_has_found_by_other_rules_is_dropped) {
  begin();
  LookTask task;
  task.url = "https://example.org/";
  extract::Rules before;
  before.as = extract::As::html;
  task.body =
      agent::extract_for_brain({"<p>x</p>", "text/html", compiled(before), {}, false}).packed;
  task.extracted = true;
  task.rules = compiled({});
  threads_->add(Token{1}, std::move(task));
  run_until([&] { return looks_.size() == 1; });
  EXPECT_TRUE(looks_[Token{1}].dropped);
}

TEST_F(LookThreadsTest, programs_that_hang_keep_no_other_look_waiting) {
  begin();
  for (std::uint32_t i = 0; i < 8; ++i) add(100 + i, with_pipe("300"), i);
  for (std::uint32_t i = 0; i < 20; ++i) add(i, {}, i);
  run_until([&] { return looks_.size() == 20; });
  for (const auto& [token, look] : looks_) EXPECT_EQ(look.text, "some words");
}

TEST_F(LookThreadsTest, one_host_cannot_take_all_slots_for_programs) {
  begin();
  for (std::uint32_t i = 0; i < 8; ++i) add(100 + i, with_pipe("300"), 1);
  extract::Rules quick;
  quick.pipe = {"cat"};
  add(1, quick, 2);
  run_until([&] { return looks_.contains(Token{1}); });
  EXPECT_FALSE(looks_[Token{1}].failure);
}

TEST_F(LookThreadsTest, a_search_that_needs_a_process_of_its_own_goes_to_the_programs) {
  begin({.threads = 1, .program_threads = 2});
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::xpath, "count(//p[count(//p) > 0])"}};
  std::string body = "<html><body>";
  for (int i = 0; i < 9000; ++i) body += "<p>word " + std::to_string(i) + "</p>";
  add(1, rules, 1, body);
  run_until([&] { return looks_.contains(Token{1}); });
  const Look& look = looks_[Token{1}];
  EXPECT_FALSE(look.wants_program) << "it is asked again, and not answered twice";
  // Whether it is quick enough is the machine's business; that it was tried, ours.
  if (look.failure) {
    EXPECT_EQ(look.failure->message.find("not permitted"), std::string::npos);
  } else {
    EXPECT_EQ(look.text, "9000");
  }
}

TEST_F(LookThreadsTest, what_has_not_begun_is_dropped_and_programs_that_run_are_ended) {
  std::atomic<int> begun{0};
  begin({.each_look = [&](const LookTask&) { ++begun; }});
  for (std::uint32_t i = 0; i < 10; ++i) add(i, with_pipe("300"), i);
  run_until([&] { return begun == 2; });
  EXPECT_EQ(threads_->drop().size(), 8u);
  threads_->end_programs();
  run_until([&] { return looks_.size() == 2; });
  for (const auto& [token, look] : looks_) EXPECT_TRUE(look.dropped);
  add(50, with_pipe("300"));
  run_until([&] { return looks_.size() == 3; });
  EXPECT_TRUE(looks_[Token{50}].dropped) << "what begins later ends at once";
}

TEST_F(LookThreadsTest, the_end_does_not_wait_for_programs) {
  std::atomic<int> begun{0};
  begin({.each_look = [&](const LookTask&) { ++begun; }});
  for (std::uint32_t i = 0; i < 10; ++i) add(i, with_pipe("300"), i);
  run_until([&] { return begun == 2; });
  const auto before = std::chrono::steady_clock::now();
  threads_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 9s) << "their own limit is ten seconds";
}

TEST_F(LookThreadsTest, what_breaks_off_is_the_failure_of_that_page_alone) {
  begin({.each_look = [](const LookTask& task) {
    if (task.host == HostSlot{1}) throw std::bad_alloc();
    if (task.host == HostSlot{2}) throw std::runtime_error("zstd: broken");
  }});
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, {}, i);
  run_until([&] { return looks_.size() == 3; });
  ASSERT_TRUE(looks_[Token{1}].failure);
  EXPECT_EQ(looks_[Token{1}].failure->kind, extract::Failure::Kind::too_complex);
  EXPECT_EQ(looks_[Token{1}].failure->message, "not enough memory");
  ASSERT_TRUE(looks_[Token{2}].failure);
  EXPECT_EQ(looks_[Token{2}].failure->message, "zstd: broken");
  EXPECT_EQ(looks_[Token{3}].text, "some words");
}

TEST_F(LookThreadsTest, bytes_are_counted_until_their_text_is_gone) {
  const auto room = std::make_shared<ByteRoom>(1u << 20);
  begin();
  LookTask task;
  task.rules = compiled({});
  task.content_type = "text/plain";
  task.bytes = std::make_shared<CountedBytes>(room, 1);
  task.bytes->add("some ");
  task.bytes->add("plain words");
  threads_->add(Token{1}, std::move(task));
  run_until([&] { return looks_.size() == 1; });
  EXPECT_EQ(looks_[Token{1}].text, "some plain words");
  EXPECT_EQ(room->bytes(), looks_[Token{1}].text.size());
  looks_.clear();
  EXPECT_EQ(room->bytes(), 0u);
}

}  // namespace
}  // namespace pollux::engine
