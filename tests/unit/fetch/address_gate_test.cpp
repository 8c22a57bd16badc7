#include "pollux/fetch/address_gate.hpp"

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace pollux::fetch {
namespace {

bool permits(const AddressGate& gate, const std::string& text) {
  sockaddr_in v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    return gate.permits(reinterpret_cast<const sockaddr&>(v4));
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
  return gate.permits(reinterpret_cast<const sockaddr&>(v6));
}

AddressGate gate_allowing(const std::vector<std::string>& allow) {
  Result<AddressGate> gate = AddressGate::create(allow);
  EXPECT_TRUE(gate.ok());
  return std::move(gate).value();
}

TEST(AddressGate, public_addresses_pass) {
  const AddressGate gate = gate_allowing({});
  for (const char* address : {
           "1.1.1.1",
           "8.8.8.8",
           "9.255.255.255",
           "11.0.0.0",
           "100.63.255.255",
           "100.128.0.0",
           "126.255.255.255",
           "128.0.0.0",
           "168.63.129.15",
           "169.253.255.255",
           "169.255.0.0",
           "172.15.255.255",
           "172.32.0.0",
           "192.0.1.0",
           "192.0.3.0",
           "192.31.195.255",
           "192.31.197.0",
           "192.52.192.255",
           "192.52.194.0",
           "192.88.98.255",
           "192.88.100.0",
           "192.167.255.255",
           "192.169.0.0",
           "192.175.47.255",
           "192.175.49.0",
           "198.17.255.255",
           "198.20.0.0",
           "198.51.99.255",
           "203.0.114.0",
           "223.255.255.255",
           "2606:4700:4700::1111",
           "2a00:1450:4001::1",
           "2001:4860::8888",
           "2001:200::1",
           "2001:db7:ffff::1",
           "2001:db9::1",
           "2620:4f:7fff::1",
           "2620:4f:8001::1",
           "3fff:1000::1",
           "3ffe::1",
           "::ffff:8.8.8.8",
           "64:ff9b::8.8.8.8",
           "2002:808:808::1",
       }) {
    EXPECT_TRUE(permits(gate, address)) << address;
  }
}

TEST(AddressGate, everything_that_is_not_public_is_refused) {
  const AddressGate gate = gate_allowing({});
  for (const char* address : {
           "0.0.0.0",
           "0.1.2.3",
           "10.0.0.1",
           "10.255.255.255",
           "100.64.0.0",
           "100.127.255.255",
           "100.100.100.200",
           "127.0.0.1",
           "127.255.255.255",
           "168.63.129.16",
           "169.254.0.1",
           "169.254.169.254",
           "169.254.170.2",
           "172.16.0.1",
           "172.31.255.255",
           "192.0.0.1",
           "192.0.0.192",
           "192.0.2.1",
           "192.0.0.9",  // the nearest answers: anycast
           "192.0.0.10",
           "192.31.196.0",
           "192.31.196.255",
           "192.52.193.0",
           "192.52.193.255",
           "192.88.99.1",
           "192.168.0.1",
           "192.168.255.255",
           "192.175.48.1",
           "192.175.48.255",
           "198.18.0.1",
           "198.19.255.255",
           "198.51.100.1",
           "203.0.113.255",
           "224.0.0.1",
           "239.255.255.255",
           "240.0.0.1",
           "255.255.255.255",
           // IPv6
           "::",
           "::1",
           "::2",
           "::127.0.0.1",
           "::8.8.8.8",
           "100::1",
           "100:0:0:1::1",
           "5f00::1",
           "fc00::1",
           "fd00::1",
           "fd00:ec2::254",
           "fe80::1",
           "febf::1",
           "fec0::1",
           "ff02::1",
           "ff0e::1",
           "2001::1",
           "2001:0:4136:e378:8000:63bf:3fff:fdd2",
           "2001:1::1",
           "2001:1::2",
           "2001:1::3",
           "2001:2::1",
           "2001:3::1",
           "2001:4:112::1",
           "2001:10::1",
           "2001:20::1",
           "2001:30::1",
           "2001:1ff::1",
           "2001:db8::1",
           "2001:db8:ffff::1",
           "2620:4f:8000::1",
           "2620:4f:8000:ffff::1",
           "3fff::1",
           "3fff:fff::1",
           "4000::1",
           // IPv4 inside IPv6
           "::ffff:127.0.0.1",
           "::ffff:10.0.0.1",
           "::ffff:169.254.169.254",
           "::ffff:0.0.0.0",
           "::ffff:0:127.0.0.1",
           "::ffff:192.175.48.1",
           "64:ff9b::192.31.196.1",
           "2002:c034:c101::1",
           "64:ff9b::127.0.0.1",
           "64:ff9b::10.0.0.1",
           "64:ff9b::a9fe:a9fe",
           "64:ff9b:1::1",
           "64:ff9b:1::8.8.8.8",
           "2002:7f00:1::1",
           "2002:a00:1::1",
           "2002:a9fe:a9fe::1",
           "2002:c0a8:101::1",
       }) {
    EXPECT_FALSE(permits(gate, address)) << address;
  }
}

TEST(AddressGate, an_allowed_block_passes_and_its_neighbours_do_not) {
  const AddressGate gate =
      gate_allowing({"127.0.0.1", "10.1.0.0/16", "fd00::/8", "172.16.5.128/25"});
  for (const char* address : {"127.0.0.1", "10.1.2.3", "fd12::1", "172.16.5.200",
                              "::ffff:127.0.0.1", "::ffff:10.1.0.0"}) {
    EXPECT_TRUE(permits(gate, address)) << address;
  }
  for (const char* address : {"127.0.0.2", "10.2.0.0", "10.0.255.255", "fc00::1", "fe80::1",
                              "172.16.5.127", "64:ff9b::10.1.2.3", "::1"}) {
    EXPECT_FALSE(permits(gate, address)) << address;
  }
}

TEST(AddressGate, everything_can_be_allowed_knowingly) {
  const AddressGate gate = gate_allowing({"0.0.0.0/0", "::/0"});
  for (const char* address : {"127.0.0.1", "255.255.255.255", "::1", "fe80::1"}) {
    EXPECT_TRUE(permits(gate, address)) << address;
  }
}

TEST(AddressGate, a_mapped_entry_means_the_ipv4_block) {
  const AddressGate gate = gate_allowing({"::ffff:10.0.0.0/104"});
  EXPECT_TRUE(permits(gate, "10.9.9.9"));
  EXPECT_FALSE(permits(gate, "127.0.0.1"));
}

TEST(AddressGate, other_address_families_are_refused) {
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  EXPECT_FALSE(
      gate_allowing({"0.0.0.0/0", "::/0"}).permits(reinterpret_cast<const sockaddr&>(path)));
}

TEST(AddressGate, a_bad_entry_is_named_in_the_error) {
  for (const char* entry : {"", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
                            "10.0.0", "fd00::/129", "localhost", "10.0.0.0/8 "}) {
    const Result<AddressGate> gate = AddressGate::create({"127.0.0.1", entry});
    ASSERT_FALSE(gate.ok()) << entry;
    EXPECT_NE(gate.error().message.find(std::string("\"") + entry + "\""), std::string::npos);
    EXPECT_EQ(gate.error().exit_code, ExitCode::configuration);
  }
}

}  // namespace
}  // namespace pollux::fetch
