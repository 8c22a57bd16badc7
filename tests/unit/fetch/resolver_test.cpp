#include "pollux/fetch/resolver.hpp"

#include "fake_dns.hpp"

#include <set>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

using Record = Resolver::Record;

class ResolverTest : public testing::Test {
 protected:
  Resolver& make(unsigned at_once, unsigned max_threads) {
    resolver_ = std::make_unique<Resolver>(
        io, dns.options(at_once, max_threads),
        [this](std::string key, const Lookup&) { answered.insert(key); });
    return *resolver_;
  }
  void run_until_answered(std::size_t count) {
    while (answered.size() < count) io.run_one();
  }

  boost::asio::io_context io;
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
      io.get_executor()};
  FakeDns dns;
  std::set<std::string> answered;

 private:
  std::unique_ptr<Resolver> resolver_;
};
using ResolverTest = ResolverTest;

TEST_F(ResolverTest, a_thousand_slow_names_use_a_bounded_number_of_threads) {
  dns.hang("name");
  Resolver& r = make(3, 8);
  for (int i = 0; i < 1000; ++i) r.resolve(std::to_string(i), "name.test", Record::clean);
  dns.wait_until_running(3);
  dns.open_all();
  run_until_answered(1000);
  EXPECT_EQ(dns.most(), 3u);
}

TEST_F(ResolverTest, names_that_hang_the_first_time_do_not_hold_up_the_next) {
  dns.hang("dead");
  Resolver& r = make(16, 128);
  for (int i = 0; i < 100; ++i) r.resolve("dead" + std::to_string(i), "dead.test", Record::clean);
  for (int i = 0; i < 20; ++i) r.resolve("good" + std::to_string(i), "good.test", Record::clean);
  for (std::size_t running = 16; running < 100; running += 16) {
    dns.wait_until_running(running);
    EXPECT_TRUE(answered.empty());
    r.demote(dns.now());
  }
  run_until_answered(20);
  EXPECT_TRUE(answered.contains("good19"));
}

TEST_F(ResolverTest, lookups_that_hang_are_bounded_too) {
  dns.hang("dead");
  Resolver& r = make(2, 5);
  for (int i = 0; i < 20; ++i) r.resolve(std::to_string(i), "dead.test", Record::clean);
  for (std::size_t running = 2; running < 5; running += 2) {
    dns.wait_until_running(running);
    r.demote(dns.now());
  }
  dns.wait_until_running(5);
  r.demote(dns.now());
  dns.open_all();
  run_until_answered(20);
  EXPECT_EQ(dns.most(), 5u);
}

TEST_F(ResolverTest, suspects_hold_at_most_half_of_the_threads) {
  dns.hang("dead");
  Resolver& r = make(2, 4);
  for (int i = 0; i < 10; ++i) r.resolve("dead" + std::to_string(i), "dead.test", Record::suspect);
  dns.wait_until_running(2);
  for (int i = 0; i < 10; ++i) r.resolve("good" + std::to_string(i), "good.test", Record::clean);
  run_until_answered(10);
  const std::vector<std::string> asked = dns.asked();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "dead.test"), 2);
}

TEST_F(ResolverTest, names_that_never_failed_go_first) {
  dns.hang("first");
  Resolver& r = make(1, 1);
  r.resolve("1", "first.test", Record::clean);
  dns.wait_until_running(1);
  r.resolve("2", "failed.test", Record::suspect);
  r.resolve("3", "good.test", Record::clean);
  dns.open_all();
  run_until_answered(3);
  EXPECT_EQ(dns.asked(), (std::vector<std::string>{"first.test", "good.test", "failed.test"}));
}

TEST_F(ResolverTest, a_dropped_lookup_is_never_made) {
  dns.hang("first");
  Resolver& r = make(1, 1);
  r.resolve("1", "first.test", Record::clean);
  r.resolve("2", "second.test", Record::clean);
  r.resolve("3", "third.test", Record::suspect);
  r.resolve("4", "fourth.test", Record::clean);
  EXPECT_FALSE(r.drop("1"));
  EXPECT_TRUE(r.drop("2"));
  EXPECT_TRUE(r.drop("3"));
  EXPECT_FALSE(r.drop("nobody"));
  dns.open_all();
  run_until_answered(2);
  EXPECT_EQ(answered, (std::set<std::string>{"1", "4"}));
  EXPECT_EQ(dns.asked(), (std::vector<std::string>{"first.test", "fourth.test"}));
}

TEST(ResolverEnd, does_not_wait_for_a_lookup_that_hangs) {
  FakeDns dns;
  dns.hang("name");
  {
    boost::asio::io_context io;
    Resolver hanging(io, dns.options(), [](const std::string&, const Lookup&) { FAIL(); });
    hanging.resolve("key", "name.test", Record::clean);
    dns.wait_until_running(1);
  }
  dns.open_all();  // the thread finds nobody to answer
}

TEST(SystemLookup, knows_numeric_names_and_refuses_nonsense) {
  EXPECT_EQ(system_lookup("127.0.0.1").addresses, std::vector<std::string>{"127.0.0.1"});
  EXPECT_FALSE(system_lookup("not a name").error.empty());
}

}  // namespace
}  // namespace pollux::fetch
