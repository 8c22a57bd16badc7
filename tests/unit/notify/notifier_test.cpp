#include "pollux/notify/notifier.hpp"

#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"
#include "support/receiver.hpp"
#include "support/temp_folder.hpp"

#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace pollux::notify {
namespace {

using namespace std::chrono_literals;

// A database in a folder, and an outbox that writes to it, or keeps everybody waiting.
class DirectOutbox final : public Outbox {
 public:
  explicit DirectOutbox(store::Store& store) : store_(store) { store_.release_owner(); }
  void save(store::DeliveryChange change, std::function<void()> saved) override {
    if (stuck) return;
    const std::lock_guard lock(mutex_);
    store::Batch batch;
    batch.deliveries.push_back(std::move(change));
    write(batch);
    saved();
  }
  void tell(store::NoticeRow notice) override {
    const std::lock_guard lock(mutex_);
    store::Batch batch;
    batch.notices.push_back(std::move(notice));
    write(batch);
  }
  void give_up_others(std::vector<std::string> rules) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(store_.give_up_deliveries(rules));
    store_.release_owner();
  }
  void write_poll(store::PollRecord poll) {
    const std::lock_guard lock(mutex_);
    store::Batch batch;
    batch.polls.push_back(std::move(poll));
    write(batch);
  }
  std::atomic<bool> stuck{false};

 private:
  void write(const store::Batch& batch) {
    EXPECT_TRUE(store_.write(batch, "htraa"));
    store_.release_owner();
  }
  std::mutex mutex_;
  store::Store& store_;
};

class Notifying : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Store::open(path_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    ASSERT_TRUE(store_->reconcile({{.url = "http://a.example/", .host = "a.example:80"}}, {}));
    outbox_ = std::make_unique<DirectOutbox>(*store_);
  }
  void event(const std::string& rule) {
    store::NoticeRow notice;
    notice.event = "system";
    notice.at = clock_.wall();
    notice.summary = "something";
    notice.wishes = {{.rule = rule}};
    outbox_->tell(std::move(notice));
  }
  Rule rule(const std::string& name, const test::Receiver& receiver) {
    return {.name = name, .to = Webhook{.url = receiver.url("/" + name), .allow = {"127.0.0.0/8"}}};
  }
  template <typename Condition>
  static bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 2min;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.file("t.db");
  SystemClock clock_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<DirectOutbox> outbox_;
};

TEST_F(Notifying, what_waits_from_before_is_told_at_the_start_and_the_rest_when_it_comes) {
  test::Receiver receiver;
  event("a");
  Notifier notifier({rule("a", receiver)}, *outbox_, {.database = path_}, clock_);
  ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
  event("a");
  notifier.wake();
  EXPECT_TRUE(eventually([&] { return receiver.count() == 2; }));
}

TEST_F(Notifying, nothing_follows_a_message_of_which_nobody_could_note_what_became_of_it) {
  test::Receiver receiver;
  outbox_->stuck = true;
  for (int i = 0; i < 3; ++i) event("a");
  Notifier notifier({rule("a", receiver)}, *outbox_, {.database = path_, .grace = 50ms}, clock_);
  ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
  // The trouble itself is told all the same.
  notifier.tell_at_once("the disk is full");
  ASSERT_TRUE(eventually([&] { return receiver.count() == 2; }));
  EXPECT_NE(receiver.all()[1].body.find("the disk is full"), std::string::npos);
  notifier.stop();
  notifier.finish();
  EXPECT_EQ(receiver.count(), 2u);
}

TEST_F(Notifying, what_is_under_way_at_a_stop_may_finish) {
  std::atomic<bool> asked{false}, go_on{false};
  test::Receiver receiver([&](const test::Received&) {
    asked = true;
    while (!go_on) std::this_thread::sleep_for(1ms);
    return test::Reply::ok;
  });
  event("a");
  event("a");
  Notifier notifier({rule("a", receiver)}, *outbox_, {.database = path_, .grace = 1min}, clock_);
  ASSERT_TRUE(eventually([&] { return asked.load(); }));
  notifier.stop();
  go_on = true;
  notifier.finish();
  EXPECT_EQ(receiver.count(), 1u) << "and nothing new is begun";
  auto reader = store::Reader::open(path_);
  EXPECT_EQ((*reader)->summary()->deliveries.sent, 1);
}

TEST_F(Notifying, pages_that_fail_for_long_are_told_of_once_a_day) {
  auto reader = store::Reader::open(path_);
  ASSERT_TRUE(reader);
  store::PollRecord poll;
  poll.page = (*reader)->page("http://a.example/")->id;
  poll.progress.error_streak = 7;
  poll.progress.last_confirmed_at = clock_.wall() - 48h;
  outbox_->write_poll(std::move(poll));
  test::Receiver receiver;
  for (int i = 0; i < 2; ++i) {
    Notifier notifier({rule("a", receiver)}, *outbox_, {.database = path_, .first_look = 0s},
                      clock_);
    ASSERT_TRUE(eventually([&] {
      notifier.wake();
      return (*reader)->summary()->deliveries.sent == 1;
    }));
  }
  ASSERT_EQ(receiver.count(), 1u);
  EXPECT_NE(receiver.all()[0].body.find("1 page could not be polled for more than a day"),
            std::string::npos);
}

TEST_F(Notifying, new_rules_come_into_force_and_those_that_are_gone_give_up) {
  test::Receiver receiver;
  Notifier notifier({rule("a", receiver)}, *outbox_, {.database = path_}, clock_);
  event("a");
  notifier.wake();
  ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
  notifier.set_rules({rule("b", receiver)});
  event("b");
  ASSERT_TRUE(eventually([&] { return receiver.taken("/b").size() == 1; }));
  event("a");
  notifier.set_rules({rule("b", receiver), rule("c", receiver)});
  auto reader = store::Reader::open(path_);
  EXPECT_TRUE(eventually([&] { return (*reader)->summary()->deliveries.dead == 1; }));
}

}  // namespace
}  // namespace pollux::notify
