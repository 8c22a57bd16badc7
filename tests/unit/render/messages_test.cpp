#include "render/messages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::render {
namespace {

TEST(Messages, texts_are_cut_at_zero_bytes_however_they_come) {
  MessageSplitter splitter;
  const std::string stream("{\"a\":1}\0{}\0{\"b\"", 15);
  std::vector<std::string> texts;
  for (const char byte : stream) {
    ASSERT_TRUE(splitter.add({&byte, 1}));
    while (auto text = splitter.next()) texts.push_back(*text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"{\"a\":1}", "{}"}));
}

TEST(Messages, a_text_without_end_is_not_waited_for) {
  MessageSplitter splitter(10);
  EXPECT_TRUE(splitter.add("12345"));
  EXPECT_FALSE(splitter.add("678901"));
  MessageSplitter many(10);
  EXPECT_TRUE(many.add(std::string("12345\0", 6)));
  EXPECT_TRUE(many.add(std::string("123\0", 4)));
  EXPECT_EQ(many.next(), "12345");
  EXPECT_EQ(many.next(), "123");
  EXPECT_EQ(many.next(), std::nullopt);
}

TEST(Messages, answers_and_events_are_told_apart) {
  const auto answer = parse_message(R"({"id":7,"result":{"x":{"y":"z"}},"sessionId":"S"})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, 7u);
  EXPECT_EQ(answer->session, "S");
  EXPECT_EQ(text_at(answer->values, "x.y"), "z");
  EXPECT_EQ(text_at(answer->values, "x.y.z"), "");
  EXPECT_EQ(text_at(answer->values, "x"), "");
  const auto error = parse_message(R"({"id":8,"error":{"code":-1,"message":"no\u0007"}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error, "no\\x07");
  const auto event = parse_message(R"({"method":"Page.x","params":{"n":5}})");
  ASSERT_TRUE(event);
  EXPECT_FALSE(event->id);
  EXPECT_EQ(event->method, "Page.x");
  EXPECT_EQ(number_at(event->values, "n"), 5);
}

TEST(Messages, what_is_no_message_is_refused) {
  for (const char* text : {"", "x", "[]", "{}", "7", R"({"id":-1})", R"({"id":"1"})",
                           R"({"method":7})", R"({"id":1} x)"})
    EXPECT_FALSE(parse_message(text)) << text;
  EXPECT_FALSE(parse_message(std::string(1000, '[')));
  EXPECT_TRUE(parse_message(R"({"id":1,"result":[]})")->values.empty());
}

}  // namespace
}  // namespace pollux::render
