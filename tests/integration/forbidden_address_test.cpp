// Nothing inside is reachable: every forbidden address is refused, as a listed page and behind a
// redirect, and not one packet is sent to it. In a network of the test's own in which every address
// of the world is this machine, so that a connection to any of them would succeed and be seen.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/network_namespace.hpp"
#include "support/origin.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace pollux::test {
namespace {

// One of each kind, and the edges of the blocks. What a URL cannot even say is tested with URLs.
constexpr const char* forbidden[] = {
    "0.0.0.0",  // this host
    "0.255.255.255",
    "10.0.0.1",  // private
    "10.255.255.255",
    "100.64.0.1",       // carrier-grade NAT
    "100.100.100.200",  // metadata of a cloud
    "100.127.255.255",
    "127.0.0.1",  // loopback
    "127.255.255.254",
    "168.63.129.16",    // metadata of a cloud
    "169.254.0.1",      // link-local
    "169.254.169.254",  // metadata of most clouds
    "169.254.170.2",
    "172.16.0.1",  // private
    "172.31.255.255",
    "192.0.0.1",    // protocol assignments
    "192.0.0.192",  // metadata of a cloud
    "192.0.2.1",    // documentation
    "192.88.99.1",  // 6to4 relays
    "192.168.0.1",  // private
    "192.168.255.255",
    "198.18.0.1",  // benchmarking
    "198.19.255.255",
    "198.51.100.1",  // documentation
    "203.0.113.1",   // documentation
    "224.0.0.1",     // multicast
    "239.255.255.255",
    "240.0.0.1",           // reserved
    "255.255.255.255",     // broadcast
    "[::]",                // this host
    "[::1]",               // loopback
    "[::7f00:1]",          // v4-compatible
    "[::ffff:127.0.0.1]",  // v4-mapped
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:7f00:1]",  // v4-translated
    "[64:ff9b::7f00:1]",  // NAT64
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::1]",  // NAT64, local
    "[100::1]",        // discard
    "[2001::1]",       // Teredo
    "[2001:2::1]",     // benchmarking
    "[2001:10::1]",    // ORCHID
    "[2001:20::1]",
    "[2001:db8::1]",     // documentation
    "[2002:7f00:1::1]",  // 6to4 of 127.0.0.1
    "[2002:a9fe:a9fe::1]",
    "[3fff::1]",        // documentation
    "[5f00::1]",        // segment routing
    "[fc00::1]",        // unique local
    "[fd00:ec2::254]",  // metadata of a cloud
    "[fd20:ce::254]",   // metadata of a cloud
    "[fe80::1]",        // link-local
    "[fec0::1]",        // site-local
    "[ff02::1]",        // multicast
};
constexpr const char* open_to_all[] = {"93.184.215.14", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]"};

class ForbiddenAddress : public RunningDaemon {
 protected:
  void SetUp() override {
    network_ = NetworkNamespace::enter();
    if (!network_) GTEST_SKIP() << "a network of its own needs root";
    ASSERT_TRUE(network_->own_every_address());
    RunningDaemon::SetUp();
    everywhere_ = std::make_unique<Origin>(Origin::Options{.address = "::"});
  }
  void TearDown() override {
    RunningDaemon::TearDown();
    everywhere_.reset();
    network_.reset();
  }
  std::string at(const std::string& host, const std::string& path) const {
    return everywhere_->url_at(host, path);
  }
  // Polls each page until it has been answered or refused, then stops.
  void watch(const std::vector<std::string>& urls) {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: unlimited\ndatabase: test.db\nhosts: { delay: 0s, connections: 64 }\npages:\n";
    for (const std::string& url : urls) file << "  - " << url << "\n";
    file.close();
    start();
    ASSERT_TRUE(eventually([&] {
      const auto open = reader();
      const auto summary = open ? open->summary() : Error{};
      return summary.ok() && summary->polls >= static_cast<std::int64_t>(urls.size());
    }));
    EXPECT_EQ(stop().exit_code, 0);
    for (const std::string& url : urls) EXPECT_GE(progress(url).polls, 1) << url;
  }
  // Connections that this network has seen anybody begin.
  static std::size_t connections_begun() {
    std::ifstream file("/proc/thread-self/net/snmp");
    std::string names, values;
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("Tcp:")) continue;
      names = std::exchange(values, line);
    }
    std::istringstream name_words(names), value_words(values);
    for (std::string name, value; name_words >> name && value_words >> value;) {
      if (name == "ActiveOpens") return std::stoul(value);
    }
    return SIZE_MAX;
  }
  std::unique_ptr<NetworkNamespace> network_;
  std::unique_ptr<Origin> everywhere_;
};

TEST_F(ForbiddenAddress, is_refused_as_a_page_and_no_packet_is_sent) {
  std::vector<std::string> urls;
  for (const char* host : forbidden) urls.push_back(at(host, "/"));
  watch(urls);
  for (const std::string& url : urls) {
    EXPECT_TRUE(progress(url).last_error.starts_with("address_refused"))
        << url << ": " << progress(url).last_error;
  }
  EXPECT_EQ(everywhere_->connections(), 0u);
  EXPECT_EQ(connections_begun(), 0u);
}

TEST_F(ForbiddenAddress, is_refused_behind_a_redirect_and_no_packet_is_sent) {
  std::vector<std::string> urls;
  for (const char* host : forbidden) {
    const std::string path = "/" + std::to_string(urls.size());
    everywhere_->on(path, serve::redirect(302, at(host, "/inside")));
    urls.push_back(at(open_to_all[0], path));
  }
  watch(urls);
  for (const std::string& url : urls) {
    EXPECT_TRUE(progress(url).last_error.starts_with("address_refused"))
        << url << ": " << progress(url).last_error;
  }
  EXPECT_EQ(everywhere_->requests("/inside"), 0u);
  EXPECT_EQ(everywhere_->connections(), connections_begun()) << "all of them to the public server";
}

// The control: the same network lets everything else through, and sees it.
TEST_F(ForbiddenAddress, is_not_a_public_one) {
  everywhere_->on("/", serve::page("public"));
  std::vector<std::string> urls;
  for (const char* host : open_to_all) urls.push_back(at(host, "/"));
  watch(urls);
  for (const std::string& url : urls) {
    EXPECT_EQ(progress(url).last_error, "");
    EXPECT_FALSE(progress(url).content_hash.empty());
  }
  EXPECT_GE(connections_begun(), urls.size());
}

}  // namespace
}  // namespace pollux::test
