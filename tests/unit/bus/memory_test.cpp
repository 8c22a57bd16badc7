#include "pollux/bus/memory.hpp"

#include "engine/asio_loop.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "unit/bus/installation.hpp"

#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace pollux::bus {
namespace {

using namespace std::chrono_literals;

class InMemory final : public Installation {
 public:
  std::unique_ptr<Bus> join(const std::string& name) override { return hub_.join(loop_, name); }
  void cut_off(const std::string& name) override { hub_.set_line(name, {.cut_off = true}); }
  void mend(const std::string& name) override { hub_.set_line(name, {}); }
  bool wait_for(const std::function<bool()>& happened) override {
    for (int step = 0; step < 300; ++step) {
      if (happened()) return true;
      loop_.run_until(clock_.now() + 100ms);
    }
    return happened();
  }
  void pass() override { loop_.run_until(clock_.now() + 200ms); }
  Duration entries_live() const override { return 3s; }
  std::size_t largest_payload() const override { return 1 << 20; }

 private:
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  MemoryHub hub_{clock_, {.entries_live = 3s, .largest_payload = 1 << 20}};
};

class MemoryHubTest : public testing::Test {
 protected:
  void SetUp() override {
    loop_.settle();
    subscription_ = to_->subscribe("t", [this](const Message& message) {
      heard_.push_back(message.payload);
      at_.push_back(clock_.now());
    });
  }
  void send(int from, int to) {
    for (int i = from; i < to; ++i) EXPECT_TRUE(from_->publish("t", std::to_string(i)));
  }
  ManualClock clock_;
  VirtualLoop loop_{clock_};
  MemoryHub hub_{clock_, {.seed = 7}};
  std::unique_ptr<Bus> from_ = hub_.join(loop_, "from"), to_ = hub_.join(loop_, "to");
  std::unique_ptr<Subscription> subscription_;
  std::vector<std::string> heard_;
  std::vector<Instant> at_;
};

TEST_F(MemoryHubTest, a_message_takes_the_delays_of_both_lines) {
  hub_.set_line("from", {.delay = 30ms});
  hub_.set_line("to", {.delay = 12ms});
  send(0, 1);
  loop_.run_until(Instant(41ms));
  EXPECT_TRUE(heard_.empty());
  loop_.run_until(Instant(1s));
  EXPECT_EQ(at_, std::vector<Instant>{Instant(42ms)});
}

TEST_F(MemoryHubTest, jitter_keeps_the_order) {
  hub_.set_line("from", {.jitter = 500ms});
  send(0, 50);
  loop_.run_until(Instant(1s));
  ASSERT_EQ(heard_.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(heard_[i], std::to_string(i));
  EXPECT_GT(at_.back(), at_.front());
}

TEST_F(MemoryHubTest, some_are_lost_and_some_come_twice) {
  hub_.set_line("to", {.lost = 0.3});
  send(0, 1000);
  loop_.run_until(Instant(5s));
  EXPECT_GT(heard_.size(), 600u);
  EXPECT_LT(heard_.size(), 800u);
  heard_.clear();
  hub_.set_line("to", {.twice = 0.3});
  send(0, 1000);
  loop_.run_until(Instant(10s));
  EXPECT_GT(heard_.size(), 1200u);
  EXPECT_LT(heard_.size(), 1400u);
}

TEST_F(MemoryHubTest, a_held_member_gets_its_backlog_when_it_goes_on) {
  hub_.set_line("to", {.held = true});
  send(0, 3);
  loop_.run_until(Instant(10s));
  EXPECT_TRUE(heard_.empty());
  hub_.set_line("to", {});
  loop_.settle();
  EXPECT_EQ(heard_, (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(MemoryHubTest, what_is_on_its_way_is_lost_with_the_connection) {
  hub_.set_line("to", {.delay = 1s});
  send(0, 1);
  loop_.run_until(Instant(500ms));
  hub_.set_line("to", {.delay = 1s, .cut_off = true});
  loop_.run_until(Instant(600ms));
  hub_.set_line("to", {.delay = 1s});
  send(1, 2);
  loop_.run_until(Instant(3s));
  EXPECT_EQ(heard_, std::vector<std::string>{"1"});
}

TEST_F(MemoryHubTest, a_call_of_the_bucket_may_have_worked_though_its_answer_is_lost) {
  int applied = 0, unreachable = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i);
    hub_.set_line("from", {.lost = 0.3});
    Wrote wrote = Wrote::conflict;
    from_->create(key, "v", [&](Wrote how, std::uint64_t) { wrote = how; });
    loop_.run_until(clock_.now() + 3s);
    ASSERT_NE(wrote, Wrote::conflict);
    if (wrote == Wrote::yes) continue;
    ++unreachable;
    hub_.set_line("from", {});
    from_->get(key, [&](const Result<std::optional<Entry>>& entry) {
      ASSERT_TRUE(entry);
      applied += *entry ? 1 : 0;
    });
    loop_.settle();
  }
  EXPECT_GT(applied, 10);
  EXPECT_LT(applied, unreachable);
}

TEST_F(MemoryHubTest, nothing_comes_after_a_bus_has_ended) {
  bool answered = false;
  send(0, 1);
  to_->get("k", [&](const Result<std::optional<Entry>>&) { answered = true; });
  to_.reset();
  loop_.run_until(Instant(5s));
  EXPECT_TRUE(heard_.empty());
  EXPECT_FALSE(answered);
}

TEST_F(MemoryHubTest, traffic_is_counted) {
  const auto messages = hub_.messages(), bytes = hub_.bytes();
  EXPECT_TRUE(from_->publish("t", "12345"));
  EXPECT_EQ(hub_.messages() - messages, 1u);
  EXPECT_EQ(hub_.bytes() - bytes, 6u);
}

// Each with a loop of its own, as in tests of whole programs.
TEST(MemoryHubThreads, members_may_live_on_threads_of_their_own) {
  constexpr int messages = 2000;
  const SystemClock clock;
  MemoryHub hub(clock);
  boost::asio::io_context here_io, there_io;
  engine::AsioLoop here(here_io), there(there_io);
  auto here_stays = boost::asio::make_work_guard(here_io);
  auto there_stays = boost::asio::make_work_guard(there_io);
  auto echo = hub.join(there, "echo");
  auto asker = hub.join(here, "asker");
  auto questions = echo->subscribe("question", [&echo](const Message& message) {
    EXPECT_TRUE(echo->publish("answer", message.payload));
  });
  std::thread thread([&there_io] { there_io.run(); });
  int answers = 0, asked = 0;
  auto heard = asker->subscribe("answer", [&](const Message& message) {
    EXPECT_EQ(message.payload, std::to_string(answers));
    if (++answers == messages) return here_stays.reset();
    if (asked < messages) asker->publish("question", std::to_string(asked++));
  });
  asker->on_connection([&](bool connected) {
    ASSERT_TRUE(connected);
    for (; asked < 50; ++asked) EXPECT_TRUE(asker->publish("question", std::to_string(asked)));
  });
  here_io.run();
  EXPECT_EQ(answers, messages);
  boost::asio::post(there_io, [&] {
    questions.reset();
    echo.reset();
    there_stays.reset();
  });
  thread.join();
}

}  // namespace

std::unique_ptr<Installation> in_memory() {
  return std::make_unique<InMemory>();
}

}  // namespace pollux::bus
