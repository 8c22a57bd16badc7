#include "web/fields.hpp"

#include <gtest/gtest.h>

namespace pollux::web {
namespace {

using namespace std::chrono_literals;

TEST(Fields, reads_what_is_there) {
  const auto body = parse_body(
      R"({"text": "a", "number": 1.5, "yes": true, "list": ["x", "y"], "ids": [1, 2],
          "time": "2h", "rate": "60/min", "none": null})");
  ASSERT_TRUE(body.ok()) << body.error().message;
  Fields fields(*body);
  EXPECT_EQ(fields.text("text"), "a");
  EXPECT_EQ(fields.number("number"), 1.5);
  EXPECT_TRUE(fields.truth("yes"));
  EXPECT_FALSE(fields.truth("absent"));
  EXPECT_EQ(fields.texts("list"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(fields.ids("ids"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(fields.duration("time"), Duration(2h));
  EXPECT_EQ(fields.rate("rate"), 1.0);
  EXPECT_EQ(fields.text("none"), std::nullopt);
  EXPECT_TRUE(fields.end().ok());
}

TEST(Fields, refuses_what_nobody_asked_for_by_its_name) {
  const auto body = parse_body(R"({"urls": [], "headers": {"Cookie": "x"}})");
  Fields fields(*body, "pages[0].");
  fields.texts("urls");
  const Status read = fields.end();
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "there is no field 'pages[0].headers'; known: urls");
}

TEST(Fields, refuses_another_kind_of_value) {
  const auto refused = [](const char* body, auto read) {
    const auto object = parse_body(body);
    EXPECT_TRUE(object.ok()) << body;
    Fields fields(*object);
    read(fields);
    EXPECT_FALSE(fields.end().ok()) << body;
  };
  refused(R"({"x": 1})", [](Fields& f) { f.text("x"); });
  refused(R"({"x": "1"})", [](Fields& f) { f.number("x"); });
  refused(R"({"x": "true"})", [](Fields& f) { f.truth("x"); });
  refused(R"({"x": "a"})", [](Fields& f) { f.texts("x"); });
  refused(R"({"x": ["a", 1]})", [](Fields& f) { f.texts("x"); });
  refused(R"({"x": [1.5]})", [](Fields& f) { f.ids("x"); });
  refused(R"({"x": [0]})", [](Fields& f) { f.ids("x"); });
  refused(R"({"x": []})", [](Fields& f) { f.ids("x"); });
  refused(R"({"x": "5"})", [](Fields& f) { f.duration("x"); });
  refused(R"({"x": -1})", [](Fields& f) { f.rate("x"); });
  refused(R"({"x": []})", [](Fields& f) { f.object("x"); });
  refused(R"({"x": {}})", [](Fields& f) { f.array("x"); });
}

TEST(Fields, a_body_is_an_object_of_limited_depth) {
  EXPECT_TRUE(parse_body("").ok());
  EXPECT_FALSE(parse_body("[]").ok());
  EXPECT_FALSE(parse_body("{").ok());
  EXPECT_FALSE(parse_body("{} {}").ok());
  EXPECT_FALSE(parse_body("{\"x\": \"\xff\"}").ok()) << "no UTF-8";
  EXPECT_FALSE(parse_body("{\"x\":" + std::string(100'000, '[')).ok());
  EXPECT_FALSE(parse_body("{\"x\":" + std::string(40, '[') + std::string(40, ']') + "}").ok());
}

TEST(Query, is_decoded_and_strict) {
  auto query = Query::parse("url=https%3A%2F%2Fa%2F%3Fx%3D1&q=a+b&limit=20");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->text("url"), "https://a/?x=1");
  EXPECT_EQ(query->text("q"), "a b");
  EXPECT_EQ(query->whole("limit", 5, 100), 20);
  EXPECT_EQ(query->whole("other", 5, 100), 5);
  EXPECT_TRUE(query->end().ok());
  EXPECT_FALSE(Query::parse("a=%4").ok());
  EXPECT_FALSE(Query::parse("a=%zz").ok());
  EXPECT_FALSE(Query::parse("a=1&a=2").ok());
  for (const char* wrong : {"limit=x", "limit=-1", "limit=101", "limit=1.5", "unknown=1"}) {
    auto refused = Query::parse(wrong);
    ASSERT_TRUE(refused.ok());
    refused->whole("limit", 5, 100);
    EXPECT_FALSE(refused->end().ok()) << wrong;
  }
}

}  // namespace
}  // namespace pollux::web
