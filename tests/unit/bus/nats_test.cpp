// What only NATS has: servers that are lost, certificates, permissions.
#include "bus/nats_address.hpp"
#include "unit/bus/in_nats.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::bus {
namespace {

using namespace std::chrono_literals;

class Nats : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::NatsServers::installed()) GTEST_SKIP() << "nats-server is not installed";
  }
  InNats& start(test::NatsServersOptions options = {}) {
    installation_ = std::make_unique<InNats>(std::move(options));
    return *installation_;
  }
  std::unique_ptr<Bus> connected(const Options& options) {
    auto bus = connect(installation_->loop, options);
    EXPECT_TRUE(bus);
    EXPECT_TRUE(installation_->wait_for([&] { return (*bus)->connected(); })) << (*bus)->trouble();
    return std::move(*bus);
  }
  // What a connection that cannot come about says.
  std::string trouble(const Options& options) {
    auto bus = connect(installation_->loop, options);
    if (!bus) return bus.error().message;
    EXPECT_TRUE(installation_->wait_for([&] { return !(*bus)->trouble().empty(); }));
    EXPECT_FALSE((*bus)->connected());
    return (*bus)->trouble();
  }
  // Tries until it works; true when the entry is there.
  bool create(Bus& bus, const std::string& key) {
    std::optional<Wrote> wrote;
    bool asked = false;
    return installation_->wait_for([&] {
      if (wrote == Wrote::yes || wrote == Wrote::conflict) return true;
      if (!asked || wrote) {
        asked = true;
        wrote.reset();
        bus.create(key, "v", [&](Wrote how, std::uint64_t) { wrote = how; });
      }
      return false;
    });
  }
  std::unique_ptr<InNats> installation_;
};

TEST_F(Nats, without_a_certificate_the_reason_is_told) {
  InNats& in = start();
  Options options = in.servers.client("first");
  options.certificate_file = options.key_file = "";
  EXPECT_NE(trouble(options).find("wants a certificate, and we have none"), std::string::npos)
      << trouble(options);
}

TEST_F(Nats, with_a_foreign_certificate_the_reason_is_told) {
  InNats& in = start();
  const test::Authority foreign;
  const auto certificate = foreign.issue("first");
  Options options = in.servers.client("first");
  options.certificate_file = in.servers.folder().write("foreign.pem", certificate.pem);
  options.key_file = in.servers.folder().write("foreign.key", certificate.key_pem);
  EXPECT_NE(trouble(options).find("does not accept our certificate"), std::string::npos)
      << trouble(options);
}

TEST_F(Nats, a_name_that_the_servers_do_not_know_is_told) {
  InNats& in = start();
  EXPECT_NE(trouble(in.servers.client("nobody")).find("does not know the name in our certificate"),
            std::string::npos)
      << trouble(in.servers.client("nobody"));
}

TEST_F(Nats, a_server_that_we_do_not_trust_is_told) {
  InNats& in = start();
  Options options = in.servers.client("first");
  options.ca_file = in.servers.folder().write("other-ca.pem", test::Authority().pem());
  EXPECT_NE(trouble(options).find("signed by nobody we trust"), std::string::npos)
      << trouble(options);
}

// Any member has a certificate of the authority: it must not do for a server.
TEST_F(Nats, a_certificate_for_another_name_is_no_servers) {
  InNats& in = start();
  Options options = in.servers.client("first");
  options.servers = {"tls://[::ffff:127.0.0.1]:" + std::to_string(in.servers.port(0))};
  EXPECT_NE(trouble(options).find("is not for the name ::ffff:127.0.0.1"), std::string::npos)
      << trouble(options);
}

TEST_F(Nats, a_server_that_is_not_there_is_told) {
  InNats& in = start();
  Options options = in.servers.client("first");
  in.servers.kill(0);
  EXPECT_NE(trouble(options).find("does not answer"), std::string::npos) << trouble(options);
}

TEST_F(Nats, what_no_time_mends_is_an_error_at_once) {
  boost::asio::io_context io;
  engine::AsioLoop loop(io);
  const auto why = [&](const Options& options) {
    auto bus = connect(loop, options);
    return bus ? "connected" : bus.error().message;
  };
  EXPECT_NE(why({}).find("no server"), std::string::npos);
  EXPECT_NE(why({.servers = {"http://a"}}).find("another scheme"), std::string::npos);
  const Options missing{.servers = {"tls://a"}, .ca_file = "/nowhere/ca.pem"};
  EXPECT_NE(why(missing).find("/nowhere/ca.pem: it cannot be read"), std::string::npos)
      << why(missing);
  const Options half{.servers = {"tls://a"}, .certificate_file = "/etc/hostname"};
  EXPECT_NE(why(half).find("belong together"), std::string::npos) << why(half);
  const Options none{
      .servers = {"tls://a"}, .certificate_file = "/etc/hostname", .key_file = "/etc/hostname"};
  EXPECT_NE(why(none).find("/etc/hostname: it cannot be used"), std::string::npos) << why(none);
}

TEST_F(Nats, an_agent_cannot_speak_for_another) {
  InNats& in = start();
  const auto brain = connected(in.servers.client("first"));
  const auto agent = connected(in.servers.client("fra-1"));
  std::vector<std::string> heard;
  const auto subscription = brain->subscribe(
      "px.up.>", [&](const Message& message) { heard.push_back(message.subject); });
  in.pass();
  EXPECT_TRUE(agent->publish("px.up.ams-1.ask", "I am somebody else"));
  EXPECT_TRUE(agent->publish("px.up.fra-1.ask", "it is me"));
  ASSERT_TRUE(in.wait_for([&] { return !heard.empty(); }));
  in.pass();
  EXPECT_EQ(heard, std::vector<std::string>{"px.up.fra-1.ask"});
  EXPECT_TRUE(agent->connected());
}

TEST_F(Nats, an_agent_cannot_reach_the_bucket_and_is_told_why) {
  InNats& in = start();
  const auto agent = connected(in.servers.client("fra-1"));
  std::optional<Wrote> wrote;
  agent->create("allocator", "me", [&](Wrote how, std::uint64_t) { wrote = how; });
  ASSERT_TRUE(in.wait_for([&] { return wrote.has_value(); }));
  EXPECT_EQ(wrote, Wrote::unreachable);
  EXPECT_NE(agent->trouble().find("the bucket px cannot be reached"), std::string::npos);
}

TEST_F(Nats, a_server_that_hangs_is_noticed_and_nothing_comes_late) {
  InNats& in = start();
  const auto first = in.join("first"), second = in.join("second");
  ASSERT_TRUE(in.wait_for([&] { return first->connected() && second->connected(); }));
  std::vector<std::string> heard;
  const auto subscription =
      second->subscribe("px.t", [&](const Message& message) { heard.push_back(message.payload); });
  in.pass();
  in.hold("first");
  ASSERT_TRUE(in.wait_for([&] { return !first->connected(); }));
  EXPECT_FALSE(first->publish("px.t", "late"));
  in.pass();
  in.cut_off("first");
  in.mend("first");
  ASSERT_TRUE(in.wait_for([&] { return first->publish("px.t", "now"); }));
  ASSERT_TRUE(in.wait_for([&] { return !heard.empty(); }));
  EXPECT_EQ(heard, std::vector<std::string>{"now"});
}

TEST_F(Nats, members_of_a_lost_server_go_on_by_another_and_keep_the_bucket) {
  InNats& in = start({.servers = 3});
  Options options = in.servers.client("first");
  options.entries_live = std::chrono::hours(1);
  const auto first = connected(options);
  const auto second = connected(in.servers.client("second"));
  std::vector<std::string> heard;
  const auto subscription =
      second->subscribe("px.t", [&](const Message& message) { heard.push_back(message.payload); });
  ASSERT_TRUE(create(*first, "before"));
  const int leader = in.servers.leader_of("px");
  ASSERT_GE(leader, 0);
  in.servers.kill(leader);
  ASSERT_TRUE(create(*second, "after"));
  ASSERT_TRUE(in.wait_for([&] {
    first->publish("px.t", "over another way");
    return !heard.empty();
  }));
  in.servers.start(leader);
  std::optional<std::string> value;
  first->get("before", [&](const Result<std::optional<Entry>>& entry) {
    value = !entry ? "unreachable" : *entry ? (*entry)->value : "none";
  });
  ASSERT_TRUE(in.wait_for([&] { return value.has_value(); }));
  EXPECT_EQ(value, "v");
}

TEST(NatsAddress, has_a_scheme_a_host_and_perhaps_a_port) {
  EXPECT_EQ(parse_nats_address("nats://a")->url, "nats://a:4222");
  EXPECT_FALSE(parse_nats_address("nats://a")->tls);
  EXPECT_TRUE(parse_nats_address("tls://a.example:1")->tls);
  EXPECT_EQ(parse_nats_address("tls://a.example:1")->url, "nats://a.example:1");
  EXPECT_EQ(parse_nats_address("tls://[::1]:7")->host, "::1");
  EXPECT_EQ(parse_nats_address("tls://[::1]:7")->url, "nats://[::1]:7");
  for (const char* bad : {"", "a:1", "nats://", "nats://:1", "nats://a:0", "nats://a:65536",
                          "nats://a:b", "nats://u:p@a", "nats://a,nats://b", "nats://a/",
                          "nats://[::1", "nats://[::1]7", "http://a"}) {
    EXPECT_FALSE(parse_nats_address(bad)) << bad;
  }
}

}  // namespace

std::unique_ptr<Installation> on_a_nats_server() {
  if (!test::NatsServers::installed()) return nullptr;
  return std::make_unique<InNats>(test::NatsServersOptions{});
}

}  // namespace pollux::bus
