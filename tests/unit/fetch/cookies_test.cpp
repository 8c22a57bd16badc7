// Cookies: a jar goes with a request and comes back with its answer; nothing of it stays behind.
#include "fetch/cookies.hpp"

#include "fetch_fixture.hpp"

namespace pollux::fetch {
namespace {

class CookiesTest : public FetchTest {
 protected:
  CookiesTest() {
    origin.on("/set", [](Exchange& x) -> Step {
      co_await x.respond(200, "Set-Cookie: id=secret; Path=/\r\n", "set");
    });
    origin.on("/get", [](Exchange& x) -> Step {
      co_await x.respond(200, "", "cookie: " + x.header("cookie"));
    });
  }
  Response with(const std::string& path, CookieLines jar) {
    Request r = request(origin.url(path));
    r.cookies = std::move(jar);
    return fetch(std::move(r));
  }
};
using CookieTest = CookiesTest;

TEST_F(CookieTest, that_an_answer_sets_are_sent_with_the_jar_that_it_gave) {
  const Response set = with("/set", {});
  ASSERT_EQ(set.cookies.size(), 1u);
  EXPECT_EQ(with("/get", set.cookies).body, "cookie: id=secret");
}

TEST_F(CookieTest, never_go_with_a_request_of_another_jar_or_of_none) {
  const CookieLines jar = with("/set", {}).cookies;
  EXPECT_EQ(with("/get", jar).body, "cookie: id=secret");
  // The same handle, the same connection.
  EXPECT_EQ(fetch("/get").body, "cookie: ");
  EXPECT_EQ(with("/get", {}).body, "cookie: ");
  EXPECT_EQ(fetch("/set").cookies.size(), 0u);
  EXPECT_EQ(fetch("/get").body, "cookie: ");
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(CookieTest, of_one_host_do_not_go_to_another) {
  const CookieLines jar = with("/set", {}).cookies;
  Origin other({.address = "127.0.0.2"});
  other.on("/get", [](Exchange& x) -> Step {
    co_await x.respond(200, "", "cookie: " + x.header("cookie"));
  });
  Request r = request(other.url("/get"));
  r.cookies = jar;
  const Response answer = fetch(std::move(r));
  EXPECT_EQ(answer.body, "cookie: ");
  EXPECT_EQ(answer.cookies, jar) << "they stay for their own host";
}

TEST_F(CookieTest, written_by_the_user_go_in_one_header_with_those_of_the_jar) {
  const CookieLines jar = with("/set", {}).cookies;
  Request r = request(origin.url("/get"));
  r.cookies = jar;
  r.headers = std::make_shared<const HeaderLines>(HeaderLines{"Cookie: mine=1"});
  const Response answer = fetch(std::move(r));
  EXPECT_NE(answer.body.find("mine=1"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("id=secret"), std::string::npos) << answer.body;
  EXPECT_EQ(fetch("/get").body, "cookie: ");
}

TEST_F(CookieTest, come_back_as_they_were_when_there_is_no_answer) {
  const CookieLines jar = with("/set", {}).cookies;
  Request r = request("http://127.0.0.1:1/");
  r.cookies = jar;
  const Response answer = fetch(std::move(r));
  EXPECT_NE(answer.failure, Failure::none);
  EXPECT_EQ(answer.cookies, jar);
}

TEST_F(CookieTest, are_bounded_whatever_a_server_sets) {
  origin.on("/flood", [](Exchange& x) -> Step {
    std::string fields;
    for (int i = 0; i < 40; ++i)
      fields += "Set-Cookie: n" + std::to_string(x.nth) + "_" + std::to_string(i) + "=" +
                std::string(300, 'x') + "\r\n";
    co_await x.respond(200, fields, "");
  });
  CookieLines jar;
  for (int i = 0; i < 5; ++i) {
    const Response answer = with("/flood", jar);
    EXPECT_EQ(answer.failure, Failure::none) << answer.failure_text;
    jar = answer.cookies;
    std::size_t bytes = 0;
    for (const std::string& line : jar) bytes += line.size();
    EXPECT_LE(jar.size(), most_cookies);
    EXPECT_LE(bytes, most_cookie_bytes);
  }
}

}  // namespace
}  // namespace pollux::fetch
