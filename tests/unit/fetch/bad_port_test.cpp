// Ports that belong to other services: no connection is made.
#include "fetch_fixture.hpp"
#include "pollux/base/bad_ports.hpp"

namespace pollux::fetch {
namespace {

using BadPortTest = FetchTest;

TEST_F(BadPortTest, is_refused_with_the_cure_and_no_connection_is_made) {
  for (const char* port : {"22", "25", "6667", "10080"}) {
    const Response r = fetch(request("http://127.0.0.1:" + std::string(port) + "/p"));
    EXPECT_EQ(r.failure, Failure::address_refused) << r.failure_text;
    EXPECT_NE(r.failure_text.find("network.allow_ports"), std::string::npos) << r.failure_text;
    EXPECT_FALSE(r.new_connection);
    EXPECT_TRUE(ready.empty());
  }
}

TEST_F(BadPortTest, may_be_allowed) {
  options.allow_ports = {10080};
  Origin there(Origin::Options{.port = 10080});
  there.on("/p", serve::page("hello"));
  EXPECT_EQ(fetch(request(there.url("/p"))).body, "hello") << done.back().failure_text;
}

TEST(BadPort, is_found_where_it_is_written) {
  EXPECT_EQ(written_port("http://example.org"), 0u);
  EXPECT_EQ(written_port("http://example.org:25"), 25u);
  EXPECT_EQ(written_port("https://[2001:db8::25]"), 0u);
  EXPECT_EQ(written_port("https://[2001:db8::1]:65535"), 65535u);
  EXPECT_EQ(written_port("example.org:"), 0u);
  EXPECT_EQ(written_port(""), 0u);
  EXPECT_TRUE(is_bad_port(25));
  EXPECT_FALSE(is_bad_port(80));
  EXPECT_FALSE(is_bad_port(443));
  EXPECT_FALSE(is_bad_port(8080));
  EXPECT_FALSE(is_bad_port(0));
}

}  // namespace
}  // namespace pollux::fetch
