#include "brains/messages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::brains {
namespace {

TEST(BrainMessages, come_back_as_they_were) {
  AskMessage ask;
  ask.incarnation = "00ff";
  ask.ask = {.id = 7,
             .knows = 3,
             .epoch = 2,
             .held = 6,
             .rate = 12.25,
             .leaving = true,
             .ends_in = from_seconds(2.5)};
  ask.figures = {0.125, 10, 3, 99, 4, 1, 1.5};
  const auto again = read_ask(text_of(ask));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->incarnation, "00ff");
  EXPECT_EQ(again->ask.id, 7u);
  EXPECT_EQ(again->ask.knows, 3u);
  EXPECT_EQ(again->ask.epoch, 2u);
  EXPECT_EQ(again->ask.held, 6u);
  EXPECT_EQ(again->ask.rate, 12.25);
  EXPECT_TRUE(again->ask.leaving);
  EXPECT_EQ(again->ask.ends_in, from_seconds(2.5));
  EXPECT_EQ(again->figures, ask.figures);

  GrantMessage grant{"00ff", {.epoch = 3, .ask = 8, .rate = 0.1, .lasts = from_seconds(20)}};
  const auto granted = read_grant(text_of(grant));
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->grant.rate, 0.1);
  EXPECT_EQ(granted->grant.lasts, from_seconds(20));
  EXPECT_FALSE(granted->grant.hello);
}

TEST(BrainMessages, that_are_none_are_refused) {
  const std::string good = text_of(GrantMessage{"00ff", {.epoch = 3, .ask = 8, .rate = 1}});
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  ASSERT_TRUE(read_grant(good));
  EXPECT_FALSE(read_grant(""));
  EXPECT_FALSE(read_grant("[]"));
  EXPECT_FALSE(read_grant("{}"));
  EXPECT_FALSE(read_grant(good + "x"));
  EXPECT_FALSE(read_grant(with("\"epoch\":3", "\"epoch\":-3")));
  EXPECT_FALSE(read_grant(with("\"epoch\":3", "\"epoch\":18446744073709551615")));
  EXPECT_FALSE(read_grant(with("\"epoch\":3", "\"epoch\":\"3\"")));
  EXPECT_FALSE(read_grant(with("\"rate\":1E0", "\"rate\":-1")));
  EXPECT_FALSE(read_grant(with("\"rate\":1E0", "\"rate\":1e999")));
  EXPECT_FALSE(read_grant(with("00ff", "a.b")));
  EXPECT_FALSE(read_grant(std::string(10000, '[')));
}

}  // namespace
}  // namespace pollux::brains
