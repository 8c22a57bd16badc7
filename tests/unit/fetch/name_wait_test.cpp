// When a request waits for a name, and when it does not.
#include "fake_dns.hpp"
#include "fetch_fixture.hpp"

#include <set>

namespace pollux::fetch {
namespace {

class NameWaitTest : public FetchTest {
 protected:
  NameWaitTest() {
    resolver = dns.options(1, 2);
    resolver.now = std::chrono::steady_clock::now;
    dns.set("page.test", {{"127.0.0.1"}, ""});
    dns.set("dead.test", {{}, "no such name"});
    origin.on("/p", serve::page("named"));
  }
  FakeDns dns;
};
using NameTest = NameWaitTest;

TEST_F(NameTest, that_is_numeric_is_not_looked_up) {
  EXPECT_EQ(fetch("/p").body, "named");
  EXPECT_EQ(fetch(request("http://[::1]:2/")).failure, Failure::connect);
  EXPECT_EQ(ready, std::vector{Token{1}});
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(NameTest, is_waited_for_by_all_who_need_it_and_then_known) {
  const std::string url = origin.url_at("page.test", "/p");
  when_ready = [](Token) {};
  fetcher().start(request(url, 1));
  fetcher().start(request(url + "?other", 2));
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(fetcher().in_flight(), 2u);
  run_until_ready(2);
  fetcher().start(request(url, 3));
  run_until_ready();
  EXPECT_EQ(std::set(ready.begin(), ready.end()), (std::set{Token{1}, Token{2}, Token{3}}));
  EXPECT_EQ(ready.back(), Token{3});
  EXPECT_EQ(origin.requests(), 0u);
  for (const Token token : ready) fetcher().send(token);
  run_until_done(3);
  EXPECT_EQ(done.back().body, "named");
  EXPECT_EQ(ready.size(), 3u);
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(NameTest, that_is_known_may_be_sent_to_from_inside_on_ready) {
  when_ready = [&](Token token) { fetcher().send(token); };
  EXPECT_EQ(fetch(request(origin.url_at("page.test", "/p"))).body, "named");
  EXPECT_EQ(ready.size(), 1u);
}

TEST_F(NameTest, that_is_dead_is_never_ready_and_fails_again_without_a_lookup) {
  const std::string url = "http://dead.test/";
  for (std::uint64_t i = 1; i < 4; ++i) {
    const Response r = fetch(request(url, i));
    EXPECT_EQ(r.failure, Failure::dns);
    EXPECT_EQ(r.failure_text, "name lookup: no such name");
    EXPECT_FALSE(r.reused_connection);
  }
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(NameTest, is_waited_for_by_a_request_that_needs_no_word_to_leave) {
  Request alive = request(origin.url_at("page.test", "/p")), dead = request("http://dead.test/");
  alive.send_when_ready = dead.send_when_ready = true;
  EXPECT_EQ(fetch(alive).body, "named");
  EXPECT_EQ(fetch(dead).failure, Failure::dns);
  EXPECT_TRUE(ready.empty());
}

TEST_F(NameTest, that_resolves_to_a_refused_address_is_still_refused) {
  options.allow.clear();
  const std::string url = origin.url_at("page.test", "/p");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(fetch(request(url)).failure, Failure::address_refused);
  }
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(origin.connections(), 0u);
}

TEST_F(NameTest, that_nobody_waits_for_any_more_is_not_looked_up) {
  dns.set("crowd.test", {{}, "no such name"});
  dns.hang("slow");
  // One thread for the slow name: the next ones queue. It is let go before it counts as hanging,
  // or after; the abandoned name has left the queue by then.
  resolver.max_threads = 1;
  fetcher().start(request("http://slow.test/", 1));
  fetcher().start(request("http://abandoned.test/", 2));
  while (fetcher().in_flight() == 2 && dns.asked().empty() && io.run_one() > 0) {
  }
  fetcher().cancel_all();
  run_until_done(2);
  dns.open_all();
  EXPECT_EQ(fetch(request("http://crowd.test/", 3)).failure, Failure::dns);
  EXPECT_EQ(dns.asked(), (std::vector<std::string>{"slow.test", "crowd.test"}));
}

TEST_F(NameTest, that_hangs_is_given_up_with_its_request) {
  dns.hang("slow");
  Request r = request("http://slow.test/");
  r.timeout = 300ms;
  EXPECT_EQ(fetch(r).failure, Failure::dns);
  EXPECT_LT(done.back().elapsed, 20s);
  EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace pollux::fetch
