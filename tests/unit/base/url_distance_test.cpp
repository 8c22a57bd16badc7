#include "pollux/base/url_distance.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(UrlDistance, grows_from_spelling_to_another_host) {
  const auto far = [](const char* a, const char* b) { return name_of(url_distance(a, b)); };
  EXPECT_EQ(far("http://a.test/x", "http://a.test/x"), "");
  EXPECT_EQ(far("http://example.org/x", "https://www.example.org/x/"), "same_page");
  EXPECT_EQ(far("http://a.test/x", "http://a.test/login?next=x"), "same_host");
  EXPECT_EQ(far("https://www.example.org/", "https://id.example.org/"), "same_domain");
  EXPECT_EQ(far("https://example.org/", "https://id.eu.example.org/"), "same_domain");
  EXPECT_EQ(far("https://example.org/", "https://example.com/"), "other_host");
  EXPECT_EQ(far("https://bbc.co.uk/", "https://itv.co.uk/"), "other_host");
  EXPECT_EQ(far("http://127.0.0.1:8000/", "http://127.0.0.1:8001/"), "other_host");
  EXPECT_EQ(far("http://10.0.0.1/", "http://9.0.0.1/"), "other_host");
  EXPECT_EQ(far("http://[::1]:80/a", "http://[::1]:80/b"), "same_host");
  EXPECT_EQ(far("https://badexample.org/", "https://example.org/"), "other_host");
}

TEST(UrlDistance, a_login_or_a_question_for_consent_is_recognised_by_whole_words) {
  const auto gateway = [](const char* url) { return name_of(gateway_of(url)); };
  EXPECT_EQ(gateway("https://example.org/users/sign_in?next=%2F"), "login");
  EXPECT_EQ(gateway("https://example.org/Login.aspx"), "login");
  EXPECT_EQ(gateway("https://login.example.org/"), "login");
  EXPECT_EQ(gateway("https://consent.example.org/m?continue=x"), "consent");
  EXPECT_EQ(gateway("https://example.org/authors/login-less"), "login");
  EXPECT_EQ(gateway("https://example.org/authors/blogging"), "");
  EXPECT_EQ(gateway("https://example.org/news?from=login"), "") << "that is where it came from";
}

}  // namespace
}  // namespace pollux
