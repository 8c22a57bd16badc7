#include "render/answers.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::render {
namespace {

using fetch::Failure;

boost::json::object object(const char* text) {
  return boost::json::parse(text).as_object();
}

TEST(Answers, a_paused_request_has_a_head) {
  const fetch::AnswerHead head = head_of(object(
      R"({"responseStatusCode":301,"responseHeaders":[{"name":"Location","value":"/x"},
          {"name":"Content-Length","value":"5"},{"name":"Set-Cookie","value":"a=b"},7]})"));
  EXPECT_EQ(head.status, 301);
  ASSERT_EQ(head.fields.size(), 1u);
  EXPECT_EQ(head.fields[0].second, "/x");
  EXPECT_EQ(head_of(object(R"({"responseStatusCode":99999})")).status, 0);
  EXPECT_EQ(head_of(object("{}")).status, 0);
}

TEST(Answers, errors_of_the_browser_are_failures_as_others_know_them) {
  EXPECT_EQ(failure_of("net::ERR_CERT_DATE_INVALID"), Failure::tls);
  EXPECT_EQ(failure_of("net::ERR_SSL_PROTOCOL_ERROR"), Failure::tls);
  EXPECT_EQ(failure_of("net::ERR_NAME_NOT_RESOLVED"), Failure::dns);
  EXPECT_EQ(failure_of("net::ERR_CONNECTION_RESET"), Failure::connection_lost);
  EXPECT_EQ(failure_of("net::ERR_EMPTY_RESPONSE"), Failure::connection_lost);
  EXPECT_EQ(failure_of("net::ERR_CONNECTION_REFUSED"), Failure::connect);
  EXPECT_EQ(failure_of("net::ERR_TIMED_OUT"), Failure::timeout);
  EXPECT_EQ(failure_of("net::ERR_INVALID_HTTP_RESPONSE"), Failure::protocol);
  EXPECT_EQ(failure_of("something else"), Failure::rendering);
}

TEST(Answers, only_documents_have_scripts) {
  EXPECT_TRUE(is_document("text/html; charset=utf-8"));
  EXPECT_TRUE(is_document("Application/XHTML+XML"));
  EXPECT_TRUE(is_document(""));
  EXPECT_FALSE(is_document("application/json"));
  EXPECT_FALSE(is_document("text/htmlx"));
}

TEST(Answers, a_jar_survives_its_way_through_the_browser) {
  const fetch::CookieLines jar = {"#HttpOnly_.example.org\tTRUE\t/\tTRUE\t2000000000\tid\tv=1",
                                  "a.test\tFALSE\t/x\tFALSE\t0\tplain\t", "garbage",
                                  "\t\t\t\t\t\t"};
  const boost::json::array given = cookies_for_browser(jar);
  ASSERT_EQ(given.size(), 2u);
  const boost::json::object& first = given[0].as_object();
  EXPECT_EQ(first.at("domain"), ".example.org");
  EXPECT_EQ(first.at("value"), "v=1");
  EXPECT_EQ(first.at("httpOnly"), true);
  EXPECT_EQ(first.at("secure"), true);
  EXPECT_FALSE(given[1].as_object().contains("domain")) << "for its own host only";
  EXPECT_EQ(given[1].as_object().at("url"), "http://a.test/");
  const auto back = cookies_from_browser(
      boost::json::parse(
          R"([{"name":"id","value":"v=1","domain":".example.org","path":"/","expires":2e9,
               "httpOnly":true,"secure":true,"session":false},
              {"name":"plain","value":"","domain":"a.test","path":"/x","expires":-1,"session":true},
              {"name":"bad\n","value":"x","domain":"a.test","path":"/"}, 7])")
          .as_array());
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0], jar[0]);
  EXPECT_EQ(back[1], jar[1]);
}

}  // namespace
}  // namespace pollux::render
