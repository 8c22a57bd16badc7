// When a request waits for a name, and when it does not.
#include "fake_dns.hpp"
#include "fetch_fixture.hpp"

namespace pollux::fetch {
namespace {

class ResolvedTest : public FetchTest {
 protected:
  ResolvedTest() {
    resolver = dns.options(1, 2);
    resolver.now = std::chrono::steady_clock::now;
    dns.set("page.test", {{"127.0.0.1"}, ""});
    dns.set("dead.test", {{}, "no such name"});
    origin.on("/p", serve::page("named"));
  }
  void run_until_resolved(std::size_t count = 1) {
    const std::size_t wanted = resolved.size() + count;
    io.restart();
    while (resolved.size() < wanted && io.run_one() > 0) {
    }
    ASSERT_GE(resolved.size(), wanted);
  }
  FakeDns dns;
};
using a_name = ResolvedTest;

TEST_F(a_name, that_is_numeric_is_resolved_at_once) {
  EXPECT_TRUE(fetcher().resolved(origin.url("/p"), Token{1}, {}));
  EXPECT_TRUE(fetcher().resolved("http://[::1]:80/", Token{2}, {}));
  EXPECT_EQ(fetch("/p").body, "named");
  EXPECT_TRUE(resolved.empty());
}

TEST_F(a_name, is_reported_once_it_is_known_and_then_sent_to_at_once) {
  const std::string url = origin.url_at("page.test", "/p");
  EXPECT_FALSE(fetcher().resolved(url, Token{1}, {}));
  EXPECT_FALSE(fetcher().resolved(url + "?other", Token{2}, {}));
  EXPECT_TRUE(resolved.empty());
  run_until_resolved(2);
  EXPECT_EQ(resolved, (std::vector{Token{1}, Token{2}}));
  EXPECT_TRUE(fetcher().resolved(url, Token{3}, {}));
  EXPECT_EQ(fetcher().in_flight(), 0u);
  EXPECT_EQ(origin.requests(), 0u);
  EXPECT_EQ(fetch(request(url)).body, "named");
  EXPECT_EQ(resolved.size(), 2u);
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(a_name, may_be_fetched_from_inside_the_report) {
  const std::string url = origin.url_at("page.test", "/p");
  when_resolved = [&](Token token) {
    EXPECT_TRUE(fetcher().resolved(url, token, {}));
    fetcher().start(request(url));
  };
  EXPECT_FALSE(fetcher().resolved(url, Token{1}, {}));
  run_until_done();
  EXPECT_EQ(done.back().body, "named");
}

TEST_F(a_name, that_is_dead_is_reported_too_and_a_start_then_fails_without_a_lookup) {
  const std::string url = "http://dead.test/";
  for (std::uint64_t i = 1; i < 4; ++i) {
    EXPECT_FALSE(fetcher().resolved(url, Token{i}, {}));
    EXPECT_EQ(resolved.size(), i - 1);
    run_until_resolved();
    const Response r = fetch(request(url));
    EXPECT_EQ(r.failure, Failure::dns);
    EXPECT_EQ(r.failure_text, "name lookup: no such name");
    EXPECT_FALSE(r.reused_connection);
  }
  EXPECT_EQ(dns.asked().size(), 1u);
}

TEST_F(a_name, is_waited_for_by_a_start_without_a_question) {
  EXPECT_EQ(fetch(request(origin.url_at("page.test", "/p"))).body, "named");
  EXPECT_EQ(fetch(request("http://dead.test/")).failure, Failure::dns);
  EXPECT_TRUE(resolved.empty());
}

TEST_F(a_name, that_resolves_to_a_refused_address_is_still_refused) {
  options.allow.clear();
  const std::string url = origin.url_at("page.test", "/p");
  EXPECT_FALSE(fetcher().resolved(url, Token{1}, {}));
  run_until_resolved();
  EXPECT_EQ(fetch(request(url)).failure, Failure::address_refused);
  EXPECT_EQ(origin.connections(), 0u);
}

TEST_F(a_name, that_nobody_waits_for_any_more_is_not_looked_up) {
  dns.set("crowd.test", {{"127.0.0.1"}, ""});
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
  EXPECT_FALSE(fetcher().resolved("http://crowd.test/", Token{3}, {}));
  run_until_resolved();
  EXPECT_EQ(dns.asked(), (std::vector<std::string>{"slow.test", "crowd.test"}));
}

}  // namespace
}  // namespace pollux::fetch
