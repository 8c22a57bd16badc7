// Two daemons under one budget, over a real NATS server with TLS; the servers that are polled
// count.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/nats_servers.hpp"
#include "support/origin.hpp"

#include <algorithm>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t budget = 40;

class Brain {
 public:
  Brain(std::string called, const bus::Options& nats, Origin& origin)
      : name(std::move(called)), nats_(nats), origin_(origin) {}
  void start() {
    std::ofstream file(folder / "pollux.yaml");
    file << "budget: " << budget << "\ndatabase: test.db\nbrains: { name: " << name
         << " }\nnetwork: { allow: [127.0.0.0/8] }\n"
         << "hosts: { delay: 0s, connections: 64, robots: ignore }\n"
         << "defaults: { min_interval: 0s, timeout: 5s }\n"
         << "nats:\n  servers: [\"" << nats_.servers[0] << "\"]\n  ca_file: " << nats_.ca_file
         << "\n  certificate_file: " << nats_.certificate_file << "\n  key_file: " << nats_.key_file
         << "\n"
         << every_byte_counts << "pages:\n";
    for (int i = 0; i < 50; ++i)
      file << "  - " << origin_.url("/" + name + std::to_string(i)) << "\n";
    file.close();
    program = std::make_unique<Program>(
        POLLUX_BINARY, folder,
        std::vector<std::string>{"run", "--config", (folder / "pollux.yaml").string()});
  }
  bool allocates() const {
    return program && program->text("err").find("divides the budget now") != std::string::npos;
  }
  std::string status() const {
    const TempFolder out;
    Program asked(POLLUX_BINARY, out,
                  {"status", "--all", "--config", (folder / "pollux.yaml").string()});
    return asked.wait().out;
  }

  const std::string name;
  TempFolder folder;
  std::unique_ptr<Program> program;

 private:
  const bus::Options nats_;
  Origin& origin_;
};

class Brains : public testing::Test {
 protected:
  void SetUp() override {
    if (!NatsServers::installed()) GTEST_SKIP() << "nats-server is not installed";
    origin_.otherwise(serve::changing_page());
    servers_ = std::make_unique<NatsServers>(
        NatsServersOptions{.users = {nats_brain("north"), nats_brain("south")}});
    for (const char* name : {"north", "south"}) {
      brains_.push_back(std::make_unique<Brain>(name, servers_->client(name), origin_));
      brains_.back()->start();
    }
  }
  template <typename Condition>
  static bool eventually(Condition condition) {
    const auto end = steady_clock::now() + 2min;
    while (!condition()) {
      if (steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(20ms);
    }
    return true;
  }
  std::size_t requests_of(const std::string& name) {
    std::size_t all = 0;
    for (int i = 0; i < 50; ++i) all += origin_.requests("/" + name + std::to_string(i));
    return all;
  }
  bool goes_on(const std::string& name, std::size_t more) {
    const std::size_t before = requests_of(name);
    return eventually([&] { return requests_of(name) >= before + more; });
  }
  // The most that came within one second.
  std::size_t fullest_second() {
    const auto arrivals = origin_.arrivals();
    std::size_t most = 0, first = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      while (arrivals[i] - arrivals[first] >= 1s) ++first;
      most = std::max(most, i - first + 1);
    }
    return most;
  }

  Origin origin_;
  std::unique_ptr<NatsServers> servers_;
  std::vector<std::unique_ptr<Brain>> brains_;
};

TEST_F(Brains, share_a_budget_and_go_on_when_the_one_that_divides_it_is_killed) {
  ASSERT_TRUE(eventually([&] { return requests_of("north") >= 20 && requests_of("south") >= 20; }));
  EXPECT_TRUE(eventually([&] {
    const std::string status = brains_[0]->status();
    return status.find("north") != std::string::npos && status.find("south") != std::string::npos &&
           status.find("divides the budget.") != std::string::npos;
  })) << brains_[0]->status();

  const std::size_t allocator = brains_[0]->allocates() ? 0 : 1;
  Brain& other = *brains_[1 - allocator];
  brains_[allocator]->program->send(SIGKILL);
  brains_[allocator]->program->wait();
  // Its own lease is renewed by whoever comes next: itself.
  ASSERT_TRUE(eventually([&] { return other.allocates(); }));
  EXPECT_TRUE(goes_on(other.name, 20));

  brains_[allocator]->start();
  EXPECT_TRUE(goes_on(brains_[allocator]->name, 20));
  EXPECT_TRUE(goes_on(other.name, 20));
  EXPECT_LE(fullest_second(), budget + brains_.size() + 1) << "the one that came back is a third";
}

TEST_F(Brains, without_the_servers_nothing_is_polled_once_the_leases_have_ended) {
  ASSERT_TRUE(eventually([&] { return requests_of("north") >= 20 && requests_of("south") >= 20; }));
  servers_->kill(0);
  ASSERT_TRUE(eventually([&] {
    return std::ranges::all_of(brains_, [](const auto& brain) {
      return brain->program->text("err").find("brains: ") != std::string::npos &&
             brain->program->text("err").find("does not answer") != std::string::npos;
    });
  }));
  // Quiet, whenever that begins: for as long as forty requests would take twice.
  ASSERT_TRUE(eventually([&] {
    const std::size_t before = origin_.requests();
    std::this_thread::sleep_for(2s);
    return origin_.requests() == before;
  }));
  servers_->start(0);
  EXPECT_TRUE(goes_on("north", 5));
  EXPECT_TRUE(goes_on("south", 5));
  EXPECT_LE(fullest_second(), budget + brains_.size());
}

}  // namespace
}  // namespace pollux::test
