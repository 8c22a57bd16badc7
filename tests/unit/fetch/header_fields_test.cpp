#include "fetch/header_fields.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

namespace pollux::fetch {
namespace {

using Verdict = HeaderFields::Verdict;
using std::chrono::hours;
using std::chrono::seconds;

// The verdict on the last line; every line before it must be fine.
Verdict feed(HeaderFields& fields, std::initializer_list<std::string_view> lines) {
  fields.reset(64u << 10);
  Verdict verdict = Verdict::ok;
  for (const std::string_view line : lines) {
    EXPECT_EQ(verdict, Verdict::ok) << "before " << line;
    verdict = fields.add(std::string(line) + "\r\n");
  }
  return verdict;
}

TEST(HeaderFields, validators_are_found_whatever_the_case) {
  HeaderFields fields;
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "eTAG:  \"a\" ", "LAST-modified: yesterday", ""}),
            Verdict::ok);
  EXPECT_EQ(fields.status(), 200);
  EXPECT_TRUE(fields.complete());
  EXPECT_EQ(fields.etag(), "\"a\"");
  EXPECT_EQ(fields.last_modified(), "yesterday");
}

TEST(HeaderFields, an_early_hint_is_not_the_response) {
  HeaderFields fields;
  feed(fields, {"HTTP/1.1 103 Early Hints", "ETag: \"hint\"", "", "HTTP/1.1 200 OK", ""});
  EXPECT_EQ(fields.status(), 200);
  EXPECT_EQ(fields.etag(), "");
}

TEST(HeaderFields, trailers_say_nothing) {
  HeaderFields fields;
  feed(fields, {"HTTP/1.1 200 OK", "", "ETag: \"late\"", "HTTP/1.1 500 Oops"});
  EXPECT_EQ(fields.etag(), "");
  EXPECT_EQ(fields.status(), 200);
}

TEST(HeaderFields, a_huge_or_odd_etag_is_dropped) {
  HeaderFields fields;
  feed(fields, {"HTTP/1.1 200 OK", "ETag: " + std::string(1025, 'x'), ""});
  EXPECT_EQ(fields.etag(), "");
  feed(fields, {"HTTP/1.1 200 OK", "ETag: \"\xc3\xa9\"", ""});
  EXPECT_EQ(fields.etag(), "");
}

TEST(HeaderFields, the_age_of_a_page_is_counted_from_the_servers_own_clock) {
  const std::string modified = "Mon, 16 Nov 2026 00:15:32 GMT";
  EXPECT_EQ(parse_modified_ago(modified, "Mon, 16 Nov 2026 01:15:33 GMT", 5),
            Duration(std::chrono::seconds(3601)));
  EXPECT_EQ(parse_modified_ago(modified, "", 1794788132 + 60), Duration(std::chrono::seconds(60)));
  EXPECT_EQ(parse_modified_ago("Mon, 16 Nov 2026 00:15:42 GMT", modified, 5),
            Duration(std::chrono::seconds(-10)));
  EXPECT_EQ(parse_modified_ago("yesterday", modified, 5), std::nullopt);
  EXPECT_EQ(parse_modified_ago("", modified, 5), std::nullopt);
}

TEST(HeaderFields, lengths_must_agree) {
  HeaderFields fields;
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5", ""}),
            Verdict::ok);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6", ""}),
            Verdict::malformed);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "Content-Length: -5", ""}), Verdict::malformed);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "Content-Length: 5, 6", ""}), Verdict::malformed);
  EXPECT_EQ(feed(fields,
                 {"HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: gzip, Chunked", ""}),
            Verdict::malformed);
}

TEST(HeaderFields, control_bytes_are_malformed) {
  HeaderFields fields;
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", std::string_view("X: a\0b", 6)}), Verdict::malformed);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "X: \x1b[2J"}), Verdict::malformed);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "X: a\rSet: b"}), Verdict::malformed);
  EXPECT_EQ(feed(fields, {"HTTP/1.1 200 OK", "X: a\tb"}), Verdict::ok);
}

TEST(HeaderFields, all_header_bytes_count_towards_the_cap) {
  HeaderFields fields;
  fields.reset(100);
  EXPECT_EQ(fields.add("HTTP/1.1 103 Hint\r\n"), Verdict::ok);
  EXPECT_EQ(fields.add("\r\n"), Verdict::ok);
  EXPECT_EQ(fields.add("HTTP/1.1 200 OK\r\n"), Verdict::ok);
  EXPECT_EQ(fields.add("\r\n"), Verdict::ok);
  EXPECT_EQ(fields.add("Trailer: " + std::string(60, 'x')), Verdict::too_large);
}

TEST(RetryAfter, seconds_and_dates_are_clamped_to_a_day) {
  constexpr std::int64_t now = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
  const auto parse = [](std::string_view value, std::string_view date = "") {
    return parse_retry_after(value, date, now);
  };
  EXPECT_EQ(parse("120"), seconds(120));
  EXPECT_EQ(parse("0"), seconds(1));
  EXPECT_EQ(parse("1000000000000"), hours(24));
  EXPECT_EQ(parse("99999999999999999999999999"), hours(24));
  EXPECT_EQ(parse("Sun, 06 Nov 1994 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(parse("Sunday, 06-Nov-94 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(parse("Sun Nov  6 08:50:37 1994"), seconds(60));
  EXPECT_EQ(parse("Sun, 06 Nov 1994 08:00:00 GMT"), seconds(1));  // past
  EXPECT_EQ(parse("Fri, 31 Dec 2099 23:59:59 GMT"), hours(24));
  // The server's own clock counts.
  EXPECT_EQ(parse("Tue, 15 Nov 1994 08:12:41 GMT", "Tue, 15 Nov 1994 08:12:31 GMT"), seconds(10));
}

TEST(RetryAfter, garbage_is_ignored) {
  for (const char* value : {"", " ", "-1", "+5", "1.5", "soon", "12 seconds", "Sun", "tomorrow",
                            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 99 Zzz 1994 08:49:37 GMT"}) {
    EXPECT_EQ(parse_retry_after(value, "", 0), std::nullopt) << value;
  }
}

std::optional<Duration> fresh(std::string_view cache_control, std::string_view expires = "",
                              std::string_view age = "", std::string_view date = "") {
  return parse_freshness({cache_control, expires, age, date}, 784111777);
}

TEST(Freshness, max_age_less_the_age_counts_before_expires) {
  EXPECT_EQ(fresh("public, Max-Age=600"), seconds(600));
  EXPECT_EQ(fresh("max-age=\"600\""), seconds(600));
  EXPECT_EQ(fresh("max-age=600", "Sun, 06 Nov 1994 09:49:37 GMT"), seconds(600));
  EXPECT_EQ(fresh("max-age=600", "", "100"), seconds(500));
  EXPECT_EQ(fresh("max-age=600", "", "600"), std::nullopt);
  EXPECT_EQ(fresh("max-age=99999999999999999999"), hours(24 * 365));
  EXPECT_EQ(fresh("max-age=600, max-age=1"), seconds(600));
}

TEST(Freshness, expires_counts_against_the_servers_own_clock) {
  EXPECT_EQ(fresh("", "Sun, 06 Nov 1994 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(fresh("", "Tue, 15 Nov 1994 08:12:41 GMT", "", "Tue, 15 Nov 1994 08:12:31 GMT"),
            seconds(10));
  EXPECT_EQ(fresh("", "Sun, 06 Nov 1994 08:00:00 GMT"), std::nullopt);
}

TEST(Freshness, garbage_and_wishes_to_be_asked_are_no_freshness) {
  for (const char* value :
       {"", "no-store, max-age=600", "no-cache, max-age=600", "max-age=-1", "max-age=soon",
        "max-age", "max-age=", "s-maxage=600", ",,=,", "max-age=0"})
    EXPECT_EQ(fresh(value), std::nullopt) << value;
  for (const char* value : {"0", "-1", "soon"}) EXPECT_EQ(fresh("", value), std::nullopt) << value;
  EXPECT_EQ(fresh("max-age=x", "Fri, 31 Dec 2099 23:59:59 GMT"), std::nullopt);
}

TEST(Freshness, several_cache_control_headers_are_one_and_bounded) {
  HeaderFields fields;
  feed(fields, {"HTTP/1.1 200 OK", "Cache-Control: public", "CACHE-CONTROL: max-age=60",
                "Cache-Control: " + std::string(2000, 'x'), "Age: 10", ""});
  EXPECT_EQ(parse_freshness(fields.freshness(), 0), seconds(50));
}

TEST(Validator, only_printable_ascii_is_sent_back) {
  EXPECT_TRUE(is_clean_validator("W/\"abc\""));
  EXPECT_FALSE(is_clean_validator(""));
  EXPECT_FALSE(is_clean_validator("\"a\"\r\nHost: evil"));
  EXPECT_FALSE(is_clean_validator("\"\x80\""));
  EXPECT_FALSE(is_clean_validator(std::string(1025, 'a')));
}

}  // namespace
}  // namespace pollux::fetch
