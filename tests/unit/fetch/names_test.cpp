#include "fetch/names.hpp"

#include "fake_dns.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <curl/curl.h>
#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

using namespace std::chrono_literals;
using State = Names::State;

class NamesTest : public testing::Test, public Names::Listener {
 protected:
  Names& make(unsigned at_once = 16, unsigned max_threads = 128) {
    names_ = std::make_unique<Names>(io, dns.options(at_once, max_threads), *this);
    return *names_;
  }
  State check(const std::string& origin, std::uint64_t token = 1) {
    auto& waiter = waiters_.emplace_back(std::make_unique<Waiting>());
    waiter->token = Token{token};
    return names_->check(origin, *waiter, dns.now());
  }
  void advance(std::chrono::milliseconds time) {
    dns.advance(time);
    names_->tick(dns.now());
  }
  void run_until_told(std::size_t count) {
    while (told.size() < count) io.run_one();
  }
  // Lets the lookups that nobody waits for come in.
  void run_until_addressed(const std::string& origin, const std::string& address) {
    while (address_of(origin).find(address) == std::string::npos) io.run_one();
  }
  std::string address_of(const std::string& origin) {
    curl_slist* list = names_->instructions(origin);
    const std::string text = list != nullptr ? list->data : "";
    curl_slist_free_all(list);
    return text;
  }
  void on_name(Names::Waiter& waiter, const std::string&) override {
    told.push_back(static_cast<Waiting&>(waiter).token);
  }

  boost::asio::io_context io;
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
      io.get_executor()};
  FakeDns dns;
  std::vector<Token> told;

 private:
  struct Waiting : Names::Waiter {
    Token token{};
  };
  std::vector<std::unique_ptr<Waiting>> waiters_;
  std::unique_ptr<Names> names_;
};
using NamesTest = NamesTest;

TEST_F(NamesTest, a_numeric_host_needs_no_lookup) {
  make();
  EXPECT_EQ(check("http://192.0.2.7:81"), State::known);
  EXPECT_EQ(check("https://[2001:db8::1]"), State::known);
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(NamesTest, everybody_who_waits_for_a_name_is_told_once_of_one_lookup) {
  dns.hang("a");
  make();
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(check("http://a.test", i), State::asking);
  EXPECT_TRUE(told.empty());
  dns.open_all();
  run_until_told(5);
  EXPECT_EQ(check("http://a.test"), State::known);
  EXPECT_EQ(address_of("http://a.test"), "a.test:80:192.0.2.1");
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(NamesTest, an_old_address_is_used_while_it_is_refreshed) {
  make();
  check("http://a.test");
  run_until_told(1);
  dns.set("a.test", {{"192.0.2.2"}, ""});
  dns.hang("a");
  advance(61s);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(check("http://a.test"), State::known);
  EXPECT_EQ(address_of("http://a.test"), "a.test:80:192.0.2.1");
  dns.open_all();
  run_until_addressed("http://a.test", "192.0.2.2");
  EXPECT_EQ(dns.asked().size(), 2u);
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(NamesTest, an_old_address_survives_failing_refreshes_for_an_hour) {
  Names& table = make();
  check("http://a.test");
  run_until_told(1);
  dns.set("a.test", {{}, "server failure"});
  advance(50min);
  EXPECT_EQ(check("http://a.test"), State::known);
  while (table.error("http://a.test").empty()) io.run_one();
  EXPECT_EQ(check("http://a.test"), State::known);
  EXPECT_EQ(dns.asked().size(), 2u);
  advance(10min);
  EXPECT_EQ(check("http://a.test"), State::asking);
  run_until_told(2);
  EXPECT_EQ(check("http://a.test"), State::failed);
}

TEST_F(NamesTest, a_failure_is_remembered_for_a_while) {
  dns.set("dead.test", {{}, "no such name"});
  Names& table = make();
  EXPECT_EQ(check("http://dead.test"), State::asking);
  run_until_told(1);
  EXPECT_EQ(table.error("http://dead.test"), "no such name");
  advance(28s);
  EXPECT_EQ(check("http://dead.test"), State::failed);
  EXPECT_EQ(dns.asked().size(), 1u);
  dns.set("dead.test", {{"192.0.2.3"}, ""});
  advance(2s);
  EXPECT_EQ(check("http://dead.test"), State::asking);
  run_until_told(2);
  EXPECT_EQ(check("http://dead.test"), State::known);
}

TEST_F(NamesTest, a_lookup_is_given_up_after_ten_seconds_and_a_late_answer_taken) {
  dns.hang("slow");
  Names& table = make();
  check("http://slow.test");
  dns.wait_until_running(1);
  advance(9900ms);
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(table.busy());
  advance(100ms);
  EXPECT_EQ(told.size(), 1u);
  EXPECT_FALSE(table.busy());
  EXPECT_EQ(check("http://slow.test"), State::failed);
  // Its thread still hangs: whoever comes later waits for that one.
  advance(31s);
  EXPECT_EQ(check("http://slow.test"), State::asking);
  advance(10s);
  EXPECT_EQ(told.size(), 2u);
  dns.open_all();
  while (check("http://slow.test") != State::known) io.run_one();
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(NamesTest, a_name_that_found_no_thread_is_asked_again_soon) {
  dns.hang("slow");
  make(1, 1);
  check("http://slow.test", 1);
  check("http://good.test", 2);
  dns.wait_until_running(1);
  advance(10s);
  EXPECT_EQ(told, (std::vector{Token{1}, Token{2}}));
  EXPECT_EQ(check("http://good.test"), State::failed);
  dns.open_all();
  advance(5s);
  EXPECT_EQ(check("http://good.test", 3), State::asking);
  run_until_told(3);
  EXPECT_EQ(check("http://good.test"), State::known);
}

TEST_F(NamesTest, a_hundred_dead_names_do_not_hold_up_twenty_good_ones) {
  dns.hang("dead");
  make();
  for (std::uint64_t i = 0; i < 100; ++i) check("http://dead" + std::to_string(i) + ".test", i);
  for (std::uint64_t i = 0; i < 20; ++i)
    check("http://good" + std::to_string(i) + ".test", 100 + i);
  const auto begin = dns.now();
  for (std::size_t running = 16; running < 100; running += 16) {
    dns.wait_until_running(running);
    advance(500ms);
  }
  run_until_told(20);
  for (const Token token : told) EXPECT_GE(token, Token{100});
  EXPECT_LE(dns.now() - begin, 3s);
}

TEST_F(NamesTest, known_dead_names_leave_room_for_new_ones) {
  dns.hang("dead");
  make(4, 8);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 4; ++i) check("http://dead" + std::to_string(i) + ".test", i);
    dns.wait_until_running(4);
    advance(10s);
    EXPECT_EQ(check("http://good" + std::to_string(round) + ".test", 9), State::asking);
    while (told.empty() || told.back() != Token{9}) io.run_one();
    advance(40s);
  }
}

TEST_F(NamesTest, one_that_failed_before_is_looked_up_after_the_others) {
  dns.set("dead.test", {{}, "no such name"});
  dns.hang("slow");
  make(1, 1);
  check("http://dead.test");
  run_until_told(1);
  advance(31s);
  check("http://slow.test");
  check("http://dead.test");
  check("http://good.test");
  dns.open_all();
  run_until_told(4);
  EXPECT_EQ(dns.asked(),
            (std::vector<std::string>{"dead.test", "slow.test", "good.test", "dead.test"}));
}

TEST(OriginOf, is_the_part_before_the_path) {
  EXPECT_EQ(origin_of("http://a.example/x?y"), "http://a.example");
  EXPECT_EQ(origin_of("https://a.example:8443?y"), "https://a.example:8443");
  EXPECT_EQ(origin_of("http://[::1]:80/"), "http://[::1]:80");
  EXPECT_EQ(origin_of("http://a.example"), "http://a.example");
}

}  // namespace
}  // namespace pollux::fetch
