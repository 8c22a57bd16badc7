#include "fetch/names.hpp"

#include "fetch/resolver.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

// A lookup that blocks until the test opens it.
class SlowDns {
 public:
  Lookup operator()(const std::string& host) {
    std::unique_lock lock(mutex_);
    ++asked_;
    most_ = std::max(most_, ++running_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --running_;
    return {{"192.0.2.1"}, host == "bad.test" ? "no such name" : ""};
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_until_running(unsigned count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ >= count; });
  }
  unsigned asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  unsigned most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  unsigned asked_ = 0;
  unsigned running_ = 0;
  unsigned most_ = 0;
};

TEST(resolver, a_thousand_slow_names_use_a_bounded_number_of_threads) {
  boost::asio::io_context io;
  const auto guard = boost::asio::make_work_guard(io);
  const auto dns = std::make_shared<SlowDns>();
  std::set<std::string> answered;
  Resolver resolver(io, {3, [dns](const std::string& host) { return (*dns)(host); }},
                    [&](const std::string& key, const Lookup&) {
                      answered.insert(key);
                      if (answered.size() == 1000) io.stop();
                    });
  for (int i = 0; i < 1000; ++i) resolver.resolve(std::to_string(i), "name.test");
  dns->wait_until_running(3);
  dns->open();
  io.run();
  EXPECT_EQ(answered.size(), 1000u);
  EXPECT_EQ(dns->most(), 3u);
}

TEST(resolver, ending_it_does_not_wait_for_a_lookup_that_hangs) {
  const auto dns = std::make_shared<SlowDns>();
  {
    boost::asio::io_context io;
    Resolver resolver(io, {1, [dns](const std::string& host) { return (*dns)(host); }},
                      [](const std::string&, const Lookup&) { FAIL(); });
    resolver.resolve("key", "name.test");
    dns->wait_until_running(1);
  }
  dns->open();  // the thread finds nobody to answer
}

TEST(resolver, numeric_and_unknown_names) {
  EXPECT_EQ(system_lookup("127.0.0.1").addresses, std::vector<std::string>{"127.0.0.1"});
  EXPECT_FALSE(system_lookup("not a name").error.empty());
}

TEST(origin_of, is_the_part_before_the_path) {
  EXPECT_EQ(origin_of("http://a.example/x?y"), "http://a.example");
  EXPECT_EQ(origin_of("https://a.example:8443?y"), "https://a.example:8443");
  EXPECT_EQ(origin_of("http://[::1]:80/"), "http://[::1]:80");
  EXPECT_EQ(origin_of("http://a.example"), "http://a.example");
}

}  // namespace
}  // namespace pollux::fetch
