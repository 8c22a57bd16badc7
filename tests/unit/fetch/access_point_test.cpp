// Requests that leave by different ways: proxies, local addresses.
#include "fake_dns.hpp"
#include "fetch_fixture.hpp"
#include "support/proxy.hpp"

namespace pollux::fetch {
namespace {

class AccessPointTest : public FetchTest {
 protected:
  AccessPointTest() {
    resolver = dns.options(4, 8);
    resolver.now = std::chrono::steady_clock::now;
    origin.on("/p", serve::page("content"));
    options.access_points = {{"first", "", "", first.url(), ""},
                             {"second", "", "", second.url(), ""},
                             {"near", "", "127.0.0.5", "", ""},
                             {"far", "", "127.0.0.6", "", ""},
                             {"socks", "", "", first.url("socks5h"), ""}};
  }
  Response through(std::uint32_t way, const std::string& url) {
    Request r = request(url);
    r.access_point = AccessPointId{way};
    return fetch(std::move(r));
  }
  FakeDns dns;
  test::Proxy first{origin.port()}, second{origin.port()};
};
using AccessPointTest = AccessPointTest;

TEST_F(AccessPointTest, with_a_proxy_is_asked_for_names_that_nobody_else_looks_up) {
  EXPECT_EQ(through(0, "http://site.test/p").body, "content");
  EXPECT_EQ(through(1, "http://site.test/p").body, "content");
  EXPECT_EQ(through(1, "http://site.test/p").body, "content");
  EXPECT_EQ(first.requests("site.test"), 1u);
  EXPECT_EQ(second.requests("site.test"), 2u);
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(AccessPointTest, keeps_its_connections_to_itself) {
  for (int i = 0; i < 4; ++i) {
    const auto way = static_cast<std::uint32_t>(i % 2);
    const Response response = through(way, "http://site.test/p");
    EXPECT_EQ(response.new_connection, i < 2) << i;
  }
  EXPECT_EQ(first.connections(), 1u);
  EXPECT_EQ(second.connections(), 1u);
  EXPECT_EQ(first.requests("site.test"), 2u);
}

TEST_F(AccessPointTest, binds_its_local_address_and_mixes_no_connections) {
  for (int i = 0; i < 4; ++i) {
    const Response response = through(2 + static_cast<std::uint32_t>(i % 2), origin.url("/p"));
    EXPECT_EQ(response.body, "content");
    EXPECT_EQ(response.new_connection, i < 2) << i;
  }
  EXPECT_EQ(origin.connections(), 2u);
}

TEST_F(AccessPointTest, binds_its_interface) {
  options.access_points = {{"loopback", "lo", "", "", ""}};
  const Response response = through(0, origin.url("/p"));
  EXPECT_EQ(response.body, "content") << response.failure_text;
}

TEST_F(AccessPointTest, of_socks_passes_the_name_on) {
  EXPECT_EQ(through(4, "http://site.test/p").body, "content");
  EXPECT_EQ(first.requests("site.test"), 1u);
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(AccessPointTest, whose_proxy_has_a_name_has_it_looked_up_by_us) {
  dns.set("proxy.test", {{"127.0.0.1"}, ""});
  options.access_points[0].proxy = "http://proxy.test:" + std::to_string(first.port());
  EXPECT_EQ(through(0, "http://site.test/p").body, "content");
  EXPECT_EQ(dns.asked(), std::vector<std::string>{"proxy.test"});
}

TEST_F(AccessPointTest, with_a_proxy_of_its_own_does_not_wait_for_the_name_of_the_common_one) {
  dns.hang("common");
  options.proxy = "http://common.test:3128";
  EXPECT_EQ(through(0, "http://site.test/p").body, "content") << "a numeric proxy";
  EXPECT_TRUE(dns.asked().empty());
  Request waiting = request("http://site.test/p", 8);
  waiting.access_point = AccessPointId{2};  // it has none of its own
  fetcher().start(waiting);
  run_for(50ms);
  EXPECT_EQ(ready, std::vector{Token{1}});
  dns.wait_until_running(1);
  EXPECT_EQ(dns.asked(), std::vector<std::string>{"common.test"});
}

TEST_F(AccessPointTest, whose_proxy_has_no_address_fails_as_a_name) {
  dns.set("proxy.test", {{}, "no such name"});
  options.access_points[0].proxy = "http://proxy.test:3128";
  EXPECT_EQ(through(0, "http://site.test/p").failure, Failure::dns);
}

TEST_F(AccessPointTest, with_a_proxy_does_not_open_what_the_gate_refuses) {
  options.allow.clear();
  for (const char* url : {"http://127.0.0.1/", "http://10.1.2.3/", "http://169.254.169.254/",
                          "http://[::1]/", "http://localhost/", "http://a.localhost:8080/"}) {
    EXPECT_EQ(through(0, url).failure, Failure::address_refused) << url;
    EXPECT_EQ(through(4, url).failure, Failure::address_refused) << url;
  }
  EXPECT_EQ(first.connections(), 0u);
  // The proxy itself stands on loopback, which nobody allowed: it was named, so it may be used.
  EXPECT_EQ(through(0, "http://site.test/p").body, "content");
}

TEST_F(AccessPointTest, without_a_proxy_stays_behind_the_gate) {
  options.allow.clear();
  EXPECT_EQ(through(2, origin.url("/p")).failure, Failure::address_refused);
  EXPECT_EQ(origin.connections(), 0u);
}

TEST_F(AccessPointTest, that_does_not_exist_on_this_machine_cannot_connect) {
  options.access_points[2].address = "192.0.2.77";
  options.access_points[3] = {"gone", "nosuchif0", "", "", ""};
  EXPECT_EQ(through(2, origin.url("/p")).failure, Failure::connect);
  EXPECT_EQ(through(3, origin.url("/p")).failure, Failure::connect);
  EXPECT_EQ(origin.connections(), 0u);
}

TEST_F(AccessPointTest, that_is_broken_loses_the_connection_and_nothing_else) {
  first.set_broken(true);
  EXPECT_EQ(through(0, "http://site.test/p").failure, Failure::connection_lost);
  EXPECT_EQ(through(1, "http://site.test/p").body, "content");
}

TEST_F(AccessPointTest, is_measured_without_the_time_to_connect) {
  first.set_delay("site.test", 60ms);
  const Response response = through(0, "http://site.test/p");
  EXPECT_GE(response.exchange, Duration(60ms));
  EXPECT_LE(response.exchange, response.elapsed);
  EXPECT_EQ(through(2, "http://10.0.0.1/").exchange, Duration::zero());
}

// A tunnel opens slowly: that is no part of what a poll takes on a kept connection.
TEST_F(AccessPointTest, tunnels_https_and_shows_no_header_of_the_proxy) {
  Origin secure({.tls = true});
  secure.on("/s", serve::page_with_etag("secret", "\"v\""));
  test::Proxy proxy(secure.port());
  proxy.set_delay("127.0.0.1", 80ms);
  trust(secure.ca_pem());
  options.access_points = {{"tunnel", "", "", proxy.url(), ""}};
  const auto began = std::chrono::steady_clock::now();
  const Response response = through(0, secure.url("/s"));
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(response.body, "secret") << response.failure_text;
  EXPECT_EQ(response.etag, "\"v\"");
  EXPECT_GE(took - response.exchange, Duration(80ms));
  EXPECT_GE(took - response.elapsed, Duration(80ms)) << "it counts from the sending";
}

}  // namespace
}  // namespace pollux::fetch
