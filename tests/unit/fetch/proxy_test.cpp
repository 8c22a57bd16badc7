// Requests that leave through the proxy for everything (network.proxy).
#include "support/proxy.hpp"

#include "fake_dns.hpp"
#include "fetch_fixture.hpp"

namespace pollux::fetch {
namespace {

class CommonProxyTest : public FetchTest {
 protected:
  CommonProxyTest() {
    resolver = dns.options(4, 8);
    resolver.now = std::chrono::steady_clock::now;
    origin.on("/p", serve::page("content"));
    secure.on("/s", serve::page("secret content"));
    trust(secure.ca_pem());
    options.proxy = proxy.url();
  }

  // To the origin with TLS, through a proxy of its own.
  Response fetch_secure() {
    Request r = request(secure.url("/s"));
    r.headers = std::make_shared<const HeaderLines>(
        HeaderLines{"Authorization: Bearer " + credential, "Cookie: login=" + credential});
    return fetch(std::move(r));
  }
  static bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  const std::string credential = "only-for-the-page";
  FakeDns dns;
  Origin secure{Origin::Options{.tls = true}};
  test::Proxy proxy{origin.port()}, tunnel{secure.port()};
};
using CommonProxy = CommonProxyTest;

TEST_F(CommonProxy, carries_every_request_and_looks_the_names_up) {
  for (int i = 0; i < 2; ++i) {
    const Response r = fetch(request("http://site.test/p"));
    EXPECT_EQ(r.body, "content") << r.failure_text;
    EXPECT_EQ(r.new_connection, i == 0);
  }
  EXPECT_EQ(proxy.requests("site.test"), 2u);
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(CommonProxy, of_socks_carries_requests_and_looks_the_names_up) {
  options.proxy = proxy.url("socks5h");
  EXPECT_EQ(fetch(request("http://site.test/p")).body, "content");
  EXPECT_EQ(proxy.requests("site.test"), 1u);
  EXPECT_TRUE(dns.asked().empty());
}

TEST_F(CommonProxy, sees_nothing_of_what_goes_through_its_tunnel) {
  options.proxy = tunnel.url();
  options.proxy_login = "me:only-for-the-proxy";
  const Response r = fetch_secure();
  EXPECT_EQ(r.body, "secret content") << r.failure_text;
  EXPECT_EQ(secure.last_header("/s", "authorization"), "Bearer " + credential);
  EXPECT_EQ(secure.last_header("/s", "proxy-authorization"), "")
      << "the login stays with the proxy";
  const std::string seen = tunnel.received();
  EXPECT_TRUE(seen.starts_with("CONNECT 127.0.0.1:")) << seen.substr(0, 100);
  EXPECT_TRUE(contains(seen, "Proxy-Authorization: Basic ")) << "it was sent at once";
  EXPECT_FALSE(contains(seen, credential));
  EXPECT_FALSE(contains(seen, "\r\nAuthorization:"));
  EXPECT_FALSE(contains(seen, "\r\nCookie:"));
}

TEST_F(CommonProxy, of_socks_sees_nothing_of_what_goes_through_either) {
  options.proxy = tunnel.url("socks5h");
  const std::string url = secure.url_at("localhost", "/s");
  Request r = request(url);
  r.headers =
      std::make_shared<const HeaderLines>(HeaderLines{"Authorization: Bearer " + credential});
  const Response response = fetch(std::move(r));
  EXPECT_EQ(response.body, "secret content") << response.failure_text;
  EXPECT_EQ(secure.last_header("/s", "authorization"), "Bearer " + credential);
  EXPECT_FALSE(contains(tunnel.received(), credential));
}

TEST_F(CommonProxy, that_is_dead_cannot_be_connected_to) {
  for (const char* dead : {"http://127.0.0.1:1", "socks5h://127.0.0.1:1"}) {
    options.proxy = dead;
    auto other = make_curl_fetcher(io, options, *this).value();
    when_ready = [&](Token token) { other->send(token); };
    for (const std::string& url : {std::string("http://site.test/p"), secure.url("/s")}) {
      other->start(request(url));
      run_until_done();
      EXPECT_EQ(done.back().failure, Failure::connect) << dead << done.back().failure_text;
      EXPECT_EQ(done.back().status, 0);
    }
  }
  EXPECT_EQ(secure.connections(), 0u) << "never past the proxy";
}

TEST_F(CommonProxy, that_hangs_up_loses_the_connection) {
  proxy.set_broken(true);
  EXPECT_EQ(fetch(request("http://site.test/p")).failure, Failure::connection_lost);
  const Response tunnelled = fetch(request("https://site.test/s"));
  EXPECT_TRUE(tunnelled.failure == Failure::connection_lost ||
              tunnelled.failure == Failure::connect)
      << failure_name(tunnelled.failure) << tunnelled.failure_text;
  EXPECT_EQ(tunnelled.status, 0);
}

TEST_F(CommonProxy, that_refuses_is_an_answer_in_clear_and_no_connection_behind_tls) {
  for (const int status : {407, 502}) {
    proxy.set_refusal(status);
    const Response clear = fetch(request("http://site.test/p"));
    EXPECT_EQ(clear.failure, Failure::none) << clear.failure_text;
    EXPECT_EQ(clear.status, status);
    const Response tunnelled = fetch(request("https://site.test/s"));
    EXPECT_EQ(tunnelled.failure, Failure::connect) << failure_name(tunnelled.failure);
    EXPECT_EQ(tunnelled.status, 0) << "the page has not said anything";
    EXPECT_TRUE(contains(tunnelled.failure_text, std::to_string(status))) << tunnelled.failure_text;
  }
}

TEST_F(CommonProxy, of_socks_that_refuses_is_no_connection) {
  options.proxy = proxy.url("socks5h");
  proxy.set_refusal(502);
  for (const char* url : {"http://site.test/p", "https://site.test/s"}) {
    const Response r = fetch(request(url));
    EXPECT_EQ(r.failure, Failure::connect) << failure_name(r.failure) << r.failure_text;
    EXPECT_EQ(r.status, 0);
  }
}

TEST_F(CommonProxy, does_not_open_what_the_gate_refuses) {
  options.allow.clear();
  for (const char* url : {"http://10.1.2.3/", "https://169.254.169.254/", "http://localhost/"}) {
    EXPECT_EQ(fetch(request(url)).failure, Failure::address_refused) << url;
  }
  EXPECT_EQ(proxy.connections(), 0u);
}

}  // namespace
}  // namespace pollux::fetch
