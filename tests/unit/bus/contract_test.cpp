// What every Bus does, whatever stands behind it.
#include "unit/bus/installation.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::bus {
namespace {

class BusContract : public testing::TestWithParam<std::unique_ptr<Installation> (*)()> {
 protected:
  void SetUp() override {
    installation_ = GetParam()();
    if (!installation_) GTEST_SKIP() << "what stands behind it cannot be started here";
    first_ = join("first");
    second_ = join("second");
  }
  void TearDown() override {
    first_.reset();
    second_.reset();
  }
  std::unique_ptr<Bus> join(const std::string& name) {
    auto bus = installation_->join(name);
    EXPECT_TRUE(installation_->wait_for([&] { return bus->connected(); })) << name;
    return bus;
  }
  // Subscribes and waits until that is known to all servers.
  std::unique_ptr<Subscription> hear(Bus& bus, std::string_view subject, std::vector<Message>& into,
                                     std::size_t most_bytes = 1 << 20) {
    auto subscription = bus.subscribe(
        subject, [&into](Message message) { into.push_back(std::move(message)); }, most_bytes);
    installation_->pass();
    return subscription;
  }
  std::pair<Wrote, std::uint64_t> create(Bus& bus, const std::string& key,
                                         const std::string& value) {
    return written([&](auto done) { bus.create(key, value, done); });
  }
  std::pair<Wrote, std::uint64_t> update(Bus& bus, const std::string& key, const std::string& value,
                                         std::uint64_t revision) {
    return written([&](auto done) { bus.update(key, value, revision, done); });
  }
  template <typename Call>
  std::pair<Wrote, std::uint64_t> written(Call call) {
    std::optional<std::pair<Wrote, std::uint64_t>> answer;
    call([&](Wrote wrote, std::uint64_t revision) {
      EXPECT_FALSE(answer) << "answered twice";
      answer = {wrote, revision};
    });
    EXPECT_FALSE(answer) << "answered before the call came back";
    EXPECT_TRUE(installation_->wait_for([&] { return answer.has_value(); }));
    return answer.value_or(std::pair{Wrote::unreachable, std::uint64_t{0}});
  }
  Result<std::optional<Entry>> get(Bus& bus, const std::string& key) {
    std::optional<Result<std::optional<Entry>>> answer;
    bus.get(key, [&](Result<std::optional<Entry>> entry) { answer = std::move(entry); });
    EXPECT_TRUE(installation_->wait_for([&] { return answer.has_value(); }));
    return answer ? *answer : Result<std::optional<Entry>>(Error{"no answer came"});
  }
  std::string value(Bus& bus, const std::string& key) {
    const auto entry = get(bus, key);
    if (!entry) return "error: " + entry.error().message;
    return *entry ? (*entry)->value : "none";
  }

  std::unique_ptr<Installation> installation_;
  std::unique_ptr<Bus> first_, second_;
};

TEST_P(BusContract, a_message_reaches_whoever_listens_and_the_sender_too) {
  std::vector<Message> here, there, elsewhere;
  const auto mine = hear(*first_, "px.t.a", here);
  const auto others = hear(*second_, "px.t.*", there);
  const auto deaf = hear(*second_, "px.t.a.b", elsewhere);
  EXPECT_TRUE(first_->publish("px.t.a", std::string("zero\0inside", 11), "px.t.reply"));
  ASSERT_TRUE(installation_->wait_for([&] { return !here.empty() && !there.empty(); }));
  EXPECT_EQ(there[0].subject, "px.t.a");
  EXPECT_EQ(there[0].payload, std::string("zero\0inside", 11));
  EXPECT_EQ(there[0].reply, "px.t.reply");
  EXPECT_FALSE(there[0].nobody_there);
  installation_->pass();
  EXPECT_EQ(here.size(), 1u);
  EXPECT_EQ(there.size(), 1u);
  EXPECT_TRUE(elsewhere.empty());
}

TEST_P(BusContract, messages_of_one_sender_on_one_subject_arrive_in_order) {
  std::vector<Message> heard;
  const auto subscription = hear(*second_, "px.t.>", heard);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(first_->publish("px.t.order", std::to_string(i)));
  ASSERT_TRUE(installation_->wait_for([&] { return heard.size() == 500; })) << heard.size();
  for (int i = 0; i < 500; ++i) EXPECT_EQ(heard[i].payload, std::to_string(i));
  EXPECT_EQ(subscription->dropped(), 0u);
}

TEST_P(BusContract, a_subscription_that_has_ended_hears_nothing_even_of_what_waited) {
  std::vector<std::string> heard;
  std::unique_ptr<Subscription> subscription;
  subscription = second_->subscribe("px.t.end", [&](Message message) {
    heard.push_back(message.payload);
    subscription.reset();  // from within
  });
  installation_->pass();
  first_->publish("px.t.end", "one");
  first_->publish("px.t.end", "two");
  ASSERT_TRUE(installation_->wait_for([&] { return !heard.empty(); }));
  installation_->pass();
  EXPECT_EQ(heard, std::vector<std::string>{"one"});
}

TEST_P(BusContract, a_bus_may_end_in_its_own_handler) {
  int heard = 0;
  auto third = join("second");
  auto subscription = third->subscribe("px.t.bye", [&](const Message&) {
    ++heard;
    third.reset();
  });
  installation_->pass();
  first_->publish("px.t.bye", "one");
  first_->publish("px.t.bye", "two");
  ASSERT_TRUE(installation_->wait_for([&] { return heard > 0; }));
  installation_->pass();
  EXPECT_EQ(heard, 1);
}

TEST_P(BusContract, who_asks_for_a_reply_learns_that_nobody_is_there) {
  std::vector<Message> replies;
  const std::string inbox = first_->new_inbox();
  EXPECT_NE(inbox, first_->new_inbox());
  EXPECT_NE(inbox, second_->new_inbox());
  const auto subscription = hear(*first_, inbox, replies);
  EXPECT_TRUE(first_->publish("px.t.nobody", "hello?", inbox));
  ASSERT_TRUE(installation_->wait_for([&] { return !replies.empty(); }));
  EXPECT_EQ(replies[0].subject, inbox);
  EXPECT_TRUE(replies[0].nobody_there);
}

TEST_P(BusContract, an_answer_comes_to_the_inbox) {
  std::vector<Message> replies;
  const auto echo = second_->subscribe("px.t.echo", [&](const Message& message) {
    EXPECT_TRUE(second_->publish(message.reply, message.payload + "!"));
  });
  const std::string inbox = first_->new_inbox();
  const auto subscription = hear(*first_, inbox, replies);
  EXPECT_TRUE(first_->publish("px.t.echo", "hello", inbox));
  ASSERT_TRUE(installation_->wait_for([&] { return !replies.empty(); }));
  EXPECT_EQ(replies[0].payload, "hello!");
  EXPECT_FALSE(replies[0].nobody_there);
}

TEST_P(BusContract, what_cannot_be_sent_is_refused) {
  EXPECT_EQ(first_->largest_payload(), installation_->largest_payload());
  std::vector<Message> heard;
  const auto subscription = hear(*second_, "px.t.large", heard, 1u << 24);
  EXPECT_FALSE(first_->publish("px.t.large", std::string(first_->largest_payload() + 1, 'x')));
  EXPECT_TRUE(first_->publish("px.t.large", std::string(first_->largest_payload(), 'x')));
  EXPECT_TRUE(installation_->wait_for([&] { return heard.size() == 1; }));
  EXPECT_FALSE(first_->publish("px.t.*", "to whom?"));
  EXPECT_FALSE(first_->publish("", "to whom?"));
  EXPECT_FALSE(first_->publish("px..t", "to whom?"));
}

TEST_P(BusContract, what_is_not_taken_is_dropped_beyond_the_bound_and_counted) {
  std::vector<Message> heard;
  const auto subscription = hear(*second_, "px.t.flood", heard, 1000);
  // Nothing is taken between these, because the thread is busy here.
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(first_->publish("px.t.flood", std::string(90, 'x')));
  installation_->pass();
  EXPECT_TRUE(installation_->wait_for([&] {
    return subscription->dropped() + heard.size() == 100;
  })) << subscription->dropped()
      << " + " << heard.size();
  EXPECT_GE(heard.size(), 1u);
}

TEST_P(BusContract, a_lost_connection_is_told_and_what_is_sent_meanwhile_never_arrives) {
  std::vector<bool> told;
  first_->on_connection([&](bool connected) { told.push_back(connected); });
  std::vector<Message> heard;
  const auto subscription = hear(*second_, "px.t.cut", heard);
  installation_->cut_off("first");
  ASSERT_TRUE(installation_->wait_for([&] { return !first_->connected(); }));
  EXPECT_EQ(told, std::vector<bool>{false});
  EXPECT_FALSE(first_->publish("px.t.cut", "lost"));
  EXPECT_FALSE(get(*first_, "cut"));
  EXPECT_EQ(create(*first_, "cut", "v").first, Wrote::unreachable);
  installation_->mend("first");
  ASSERT_TRUE(installation_->wait_for([&] { return first_->connected(); }));
  EXPECT_EQ(told, (std::vector<bool>{false, true}));
  ASSERT_TRUE(installation_->wait_for([&] { return first_->publish("px.t.cut", "comes"); }));
  ASSERT_TRUE(installation_->wait_for([&] { return !heard.empty(); }));
  installation_->pass();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].payload, "comes");
  EXPECT_EQ(value(*first_, "cut"), "none");
}

TEST_P(BusContract, subscriptions_outlive_a_lost_connection) {
  std::vector<Message> heard;
  const auto subscription = hear(*first_, "px.t.back", heard);
  installation_->cut_off("first");
  ASSERT_TRUE(installation_->wait_for([&] { return !first_->connected(); }));
  installation_->mend("first");
  ASSERT_TRUE(installation_->wait_for([&] { return first_->connected(); }));
  installation_->pass();
  EXPECT_TRUE(second_->publish("px.t.back", "here again"));
  EXPECT_TRUE(installation_->wait_for([&] { return heard.size() == 1; }));
}

TEST_P(BusContract, of_two_that_create_an_entry_one_wins) {
  EXPECT_EQ(value(*first_, "who.leads"), "none");
  const auto [wrote, revision] = create(*first_, "who.leads", "first");
  EXPECT_EQ(wrote, Wrote::yes);
  EXPECT_GT(revision, 0u);
  EXPECT_EQ(create(*second_, "who.leads", "second").first, Wrote::conflict);
  EXPECT_EQ(value(*second_, "who.leads"), "first");
}

TEST_P(BusContract, an_update_needs_the_revision_that_is_there) {
  const auto [wrote, revision] = create(*first_, "counter", "1");
  ASSERT_EQ(wrote, Wrote::yes);
  const auto second = update(*second_, "counter", "2", revision);
  EXPECT_EQ(second.first, Wrote::yes);
  EXPECT_GT(second.second, revision);
  EXPECT_EQ(update(*first_, "counter", "3", revision).first, Wrote::conflict);
  const auto entry = get(*first_, "counter");
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->value, "2");
  EXPECT_EQ((*entry)->revision, second.second);
  EXPECT_EQ(update(*first_, "counter", "3", (*entry)->revision).first, Wrote::yes);
}

TEST_P(BusContract, an_entry_that_is_removed_may_be_created_again) {
  ASSERT_EQ(create(*first_, "gone", "1").first, Wrote::yes);
  std::optional<bool> removed;
  first_->remove("gone", [&](bool yes) { removed = yes; });
  ASSERT_TRUE(installation_->wait_for([&] { return removed.has_value(); }));
  EXPECT_TRUE(*removed);
  EXPECT_EQ(value(*second_, "gone"), "none");
  EXPECT_EQ(create(*second_, "gone", "2").first, Wrote::yes);
  EXPECT_EQ(value(*first_, "gone"), "2");
}

TEST_P(BusContract, an_entry_ends_by_itself_and_renewing_keeps_it) {
  ASSERT_EQ(create(*first_, "left", "alone").first, Wrote::yes);
  auto [wrote, revision] = create(*first_, "kept", "0");
  ASSERT_EQ(wrote, Wrote::yes);
  int renewed = 0;
  EXPECT_TRUE(installation_->wait_for([&] {
    const auto next = update(*first_, "kept", std::to_string(++renewed), revision);
    EXPECT_EQ(next.first, Wrote::yes) << renewed;
    revision = next.second;
    installation_->pass();
    return value(*second_, "left") == "none";
  }));
  EXPECT_EQ(value(*second_, "kept"), std::to_string(renewed));
  EXPECT_EQ(create(*second_, "left", "taken").first, Wrote::yes);
}

TEST_P(BusContract, answers_come_in_the_order_of_the_calls) {
  std::string order;
  first_->create("a", "1", [&](Wrote, std::uint64_t) { order += 'a'; });
  first_->get("a", [&](const Result<std::optional<Entry>>& entry) {
    EXPECT_TRUE(entry && *entry);
    order += 'b';
  });
  first_->remove("a", [&](bool) { order += 'c'; });
  ASSERT_TRUE(installation_->wait_for([&] { return order.size() == 3; }));
  EXPECT_EQ(order, "abc");
}

INSTANTIATE_TEST_SUITE_P(Memory, BusContract, testing::Values(&in_memory));
INSTANTIATE_TEST_SUITE_P(Nats, BusContract, testing::Values(&on_a_nats_server));

}  // namespace
}  // namespace pollux::bus
