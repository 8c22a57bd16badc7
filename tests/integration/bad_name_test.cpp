// The bad-server list, item by item: names. In a network of the test's own, with a name server of
// its own, so that the real resolver is asked and nothing leaves the machine.
#include "integration/hostile_web.hpp"
#include "support/dns_server.hpp"
#include "support/network_namespace.hpp"

namespace pollux::test {
namespace {

// A base, so that the servers of the test are already born inside.
struct OwnNetwork {
  std::unique_ptr<NetworkNamespace> network = NetworkNamespace::enter();
};

class BadName : private OwnNetwork, public HostileWeb {
 protected:
  void SetUp() override {
    if (!network) GTEST_SKIP() << "a network of its own needs root";
    HostileWeb::SetUp();
    dns_ = std::make_unique<DnsServer>();
    dns_->set(name, {.addresses = {here}});
    bad_.on("/bad", serve::page(content));
    url_ = bad_.url_at(name, "/bad");
  }
  // With the files that tell the resolver whom to ask.
  void launch() override {
    std::ofstream(folder_ / "resolv.conf") << "nameserver 127.0.0.53\noptions attempts:1\n";
    std::ofstream(folder_ / "nsswitch.conf") << "hosts: dns\n";
    const std::string script =
        "mount --bind resolv.conf /etc/resolv.conf && mount --bind nsswitch.conf "
        "/etc/nsswitch.conf && exec " POLLUX_BINARY " run --config pollux.yaml";
    daemon_ = std::make_unique<Program>("/usr/bin/unshare", folder_,
                                        std::vector<std::string>{"--mount", "sh", "-c", script});
  }
  // The name is good in one run of the daemon and says this in the next.
  void turn_bad(DnsAnswer answer) {
    watch(url_, [](const store::PageProgress& page) { return page.polls >= 1; });
    EXPECT_EQ(progress(url_).errors, 0) << progress(url_).last_error;
    dns_->set(name, std::move(answer));
  }
  static constexpr const char* name = "page.test";
  std::unique_ptr<DnsServer> dns_;
  std::string url_;
};

TEST_F(BadName, dns_rebinding) {
  Origin trap{Origin::Options{.port = bad_.port()}};  // where the name leads later
  turn_bad({.addresses = {"127.0.0.1"}});
  expect_error_at(url_, "address_refused");
  EXPECT_EQ(trap.connections(), 0u);
}
// Only the permitted one of its addresses is used, whichever comes first.
TEST_F(BadName, mixed_a_records) {
  Origin trap{Origin::Options{.port = bad_.port()}};
  dns_->set(name, {.addresses = {"127.0.0.1", here, "10.0.0.1", "169.254.169.254"}});
  expect_nothing_at(url_);
  EXPECT_EQ(trap.connections(), 0u);
}
TEST_F(BadName, dns_black_hole) {
  turn_bad({.kind = DnsAnswer::Kind::silence});
  expect_error_at(url_, "dns");
}
TEST_F(BadName, dns_servfail) {
  timeout_ = "20s";
  turn_bad({.kind = DnsAnswer::Kind::servfail});
  expect_error_at(url_, "dns");
}
TEST_F(BadName, dns_1000_records) {
  dns_->set(name, {.addresses = std::vector<std::string>(1000, here)});
  expect_nothing_at(url_);
}
TEST_F(BadName, dns_cname_loop) {
  timeout_ = "20s";
  turn_bad({.kind = DnsAnswer::Kind::cname, .alias = "other.test"});
  dns_->set("other.test", {.kind = DnsAnswer::Kind::cname, .alias = name});
  expect_error_at(url_, "dns");
}

}  // namespace
}  // namespace pollux::test
