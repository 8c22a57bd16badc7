// What goes over the wire between a brain and its agent: `bench_wire [REQUESTS PER PAGE]`. The real
// programs, a real nats-server with TLS; bytes are counted at the agent's socket, by a relay, in
// both directions, the heartbeat and everything else included. What counts is what came after ten
// requests for each page, by which time the criterion has something to go by; "with learning" is
// the same from a page's second request on.
//
// Three mixes of pages, in four sizes, and each in four ways (nats.content): the content with
// every poll (always), with every poll whose content is news (at once), when it is asked for (hash
// first), and as the criterion chooses. Then the same over a long, thin line, where waiting is part
// of the cost (see src/agent/README.md).
#include "pollux/base/rng.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/nats_servers.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/relay.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace pollux;
using namespace pollux::test;
using std::chrono::steady_clock;

namespace {

constexpr double bar = 1.05;                // the criterion's choice ÷ the better of both
constexpr double worth = 4096;              // bytes that a second of waiting is worth
constexpr std::chrono::minutes longest(2);  // for one run
constexpr std::size_t learning = 10;        // requests for each page
constexpr std::array<const char*, 4> ways = {"always", "at_once", "hash_first", "auto"};

// What a page shows at its nth request. A version lasts for some requests, because what differs
// moments later is noise and another matter.
struct Mix {
  const char* name;
  const char* what;
  unsigned (*version)(unsigned nth);  // pages are not in step
  bool other_bytes;  // every second page's bytes differ at every request, its content does not
};
constexpr Mix mixes[] = {
    {"still", "one request in 20 shows something new; half of the pages differ in their bytes only",
     [](unsigned nth) { return nth / 20; }, true},
    {"flapping", "three versions that come again and again",
     [](unsigned nth) { return nth / 3 % 3; }, false},
    {"changing", "something new at nearly every poll", [](unsigned nth) { return nth / 2; }, false},
};

struct Size {
  const char* name;
  std::size_t bytes;
  int pages;
};
constexpr Size sizes[] = {
    {"0.2 KB", 200, 24}, {"1 KB", 1000, 24}, {"10 KB", 10'000, 16}, {"100 KB", 100'000, 8}};
constexpr Size on_thin_line = {"10 KB", 10'000, 12};

std::string words(std::uint64_t seed, std::size_t bytes) {
  Rng rng(seed);
  std::string text = "<p>";
  while (text.size() < bytes) {
    // Of three thousand: as compressible as prose.
    Rng word(rng.below(3000) + 1);
    for (std::uint64_t letters = 2 + word.below(8); letters-- > 0;)
      text += static_cast<char>('a' + word.below(26));
    text += rng.below(12) == 0 ? ".</p>\n<p>" : " ";
  }
  return text + "</p>";
}

// Four fifths of a page stay.
std::string body_of(const Mix& mix, int page, std::size_t bytes, unsigned nth) {
  const std::uint64_t seed = static_cast<std::uint64_t>(page) * 100'003 + 1;
  std::string body =
      "<html><title>A page</title><body>" + words(seed, bytes * 4 / 5) +
      words(seed + 1 + mix.version(nth + static_cast<unsigned>(page) * 7), bytes / 5);
  if (mix.other_bytes && page % 2 == 1) body += "<!-- " + std::to_string(nth) + " -->";
  return body + "</body></html>";
}

std::string nats_section(const bus::Options& client, std::uint16_t port, const std::string& more) {
  return "nats: { servers: [\"tls://127.0.0.1:" + std::to_string(port) +
         "\"], ca_file: " + client.ca_file + ", certificate_file: " + client.certificate_file +
         ", key_file: " + client.key_file + more + " }\n";
}

struct Cost {
  double bytes = 0;          // per poll
  double brought = 0;        // contents that were asked for, per poll
  double seconds = 0;        // that the line keeps a poll waiting: bytes, and the second pair
  double with_learning = 0;  // bytes
};

// A brain, its agent, and the wire between them.
class Run {
 public:
  Run(NatsServers& nats, std::size_t which, const Mix& mix, const Size& size, Relay::Line line,
      int budget)
      : line_(line), pages_(static_cast<std::size_t>(size.pages)), relay_(nats.port(0), line) {
    const std::string name = "agent-" + std::to_string(which);
    std::string pages;
    for (int i = 0; i < size.pages; ++i) {
      const std::string path = "/" + std::to_string(i);
      origin_.on(path, [&mix, i, bytes = size.bytes](Exchange& exchange) -> Step {
        return exchange.respond(200, "Content-Type: text/html\r\n",
                                body_of(mix, i, bytes, exchange.nth - 1));
      });
      pages += "  - " + origin_.url(path) + "\n";
    }
    const std::string local = "network: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n";
    std::ofstream(agent_folder_.file("agent.yaml"))
        << "agent: { name: " << name << " }\n"
        << nats_section(nats.client(name), relay_.port(), "") << local
        << "hosts: { delay: 0s, connections: 64 }\n";
    std::ofstream(folder_.file("pollux.yaml"))
        << "budget: " << budget << "\ndatabase: wire.db\n"
        << local << "hosts: { delay: 0s, connections: 64, robots: ignore }\n"
        << "learner: { seed: 7, policy: uniform }\n"
        << "defaults: { min_interval: 0s, timeout: 10s }\n"
        << nats_section(nats.client("brain"), nats.port(0),
                        std::string(", content: ") + ways[which])
        << "access_points:\n  - { name: far, agent: " << name << " }\npages:\n"
        << pages;
    agent_ = std::make_unique<Program>(
        POLLUX_BINARY, agent_folder_.path(),
        std::vector<std::string>{"agent", "--config", agent_folder_.file("agent.yaml")});
    brain_ = std::make_unique<Program>(
        POLLUX_BINARY, folder_.path(),
        std::vector<std::string>{"run", "--config", folder_.file("pollux.yaml")});
  }

  // False: it did not get there.
  bool begin() {
    const bool there = reach(2 * pages_);
    start_ = mark();
    return there;
  }
  bool learn() {
    const bool there = reach(learning * pages_);
    // What was asked for until then is known when the brain has saved it.
    while (there && line_.bytes_per_second > 0 && figure("polls") < learning_polls())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    brought_ = figure("brought");
    polls_ = figure("polls");
    learnt_ = mark();
    return there;
  }
  bool reach(std::size_t requests) const {
    const auto end = steady_clock::now() + longest;
    while (origin_.requests() < requests) {
      if (steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  bool finish(std::size_t per_page) {
    const bool there = reach(per_page * pages_);
    const Mark end = mark();
    cost_.bytes = per_poll(learnt_, end);
    cost_.with_learning = per_poll(start_, end);
    brain_->send(SIGTERM);
    const bool ended = brain_->wait().exit_code == 0;
    cost_.brought = (figure("brought") - brought_) / (figure("polls") - polls_);
    const double latency = std::chrono::duration<double>(line_.latency).count();
    if (line_.bytes_per_second > 0)
      cost_.seconds = 2 * latency * cost_.brought + cost_.bytes / line_.bytes_per_second;
    faults_ = figure("faults") + figure("not_brought") + figure("lost");
    return there && ended;
  }
  const Cost& cost() const { return cost_; }
  double faults() const { return faults_; }
  double round_trip() const { return figure("round_trip"); }

 private:
  struct Mark {
    double requests = 0, bytes = 0;
  };
  Mark mark() const {
    return {static_cast<double>(origin_.requests()), static_cast<double>(relay_.carried())};
  }
  static double per_poll(const Mark& from, const Mark& to) {
    return (to.bytes - from.bytes) / (to.requests - from.requests);
  }
  double learning_polls() const { return static_cast<double>(learning * pages_); }
  double figure(const std::string& name) const {
    const auto reader = store::Reader::open(folder_.file("wire.db"));
    const auto meta = reader.ok() ? reader.value()->meta()
                                  : Result<std::map<std::string, std::string>>(reader.error());
    if (!meta.ok() || !meta->contains("agents")) return 0;
    const std::string& row = meta->at("agents");
    const std::string key = "\"" + name + "\":";
    const std::size_t at = row.find(key);
    return at == std::string::npos ? 0 : std::strtod(row.c_str() + at + key.size(), nullptr);
  }

  const Relay::Line line_;
  const std::size_t pages_;
  TempFolder folder_, agent_folder_;
  Origin origin_;
  Relay relay_;
  std::unique_ptr<Program> agent_, brain_;
  Mark start_, learnt_;
  double brought_ = 0, polls_ = 0;  // until it had learnt, as its brain counts
  Cost cost_;
  double faults_ = 0;
};

// By way. Empty: something did not work.
std::vector<Cost> measure(NatsServers& nats, const Mix& mix, const Size& size, Relay::Line line,
                          int budget, std::size_t per_page) {
  std::vector<std::unique_ptr<Run>> runs;
  for (std::size_t which = 0; which < ways.size(); ++which)
    runs.push_back(std::make_unique<Run>(nats, which, mix, size, line, budget));
  bool good = true;
  for (const auto& run : runs) good = run->begin() && good;
  for (const auto& run : runs) good = run->learn() && good;
  for (const auto& run : runs) good = run->finish(per_page) && good;
  std::vector<Cost> costs;
  for (const auto& run : runs) {
    costs.push_back(run->cost());
    if (run->faults() > 0) std::printf("   %.0f polls or contents were lost\n", run->faults());
  }
  return good ? costs : std::vector<Cost>();
}

// The criterion's choice ÷ the better of at once and hash first.
double ratio_of(const std::vector<double>& costs) {
  return costs[3] / std::min(costs[1], costs[2]);
}

bool judge(const std::vector<double>& costs) {
  const double ratio = ratio_of(costs);
  const bool met = ratio <= bar;
  std::printf("  %6.3f  %-6s", ratio, met ? "met" : "missed");
  return met;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const std::size_t per_page = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 36;
  if (!NatsServers::installed()) {
    std::printf("   nats-server is not installed\n");
    return 1;
  }
  NatsServersOptions options;
  options.users = {nats_brain("brain")};
  for (std::size_t i = 0; i < ways.size(); ++i)
    options.users.push_back(nats_agent("agent-" + std::to_string(i)));
  NatsServers nats(options);

  bool met = true;
  std::printf(
      "   bytes over the wire per poll, %zu requests for each page; the criterion's choice "
      "÷ the better of hash first and at once (wanted: %.2f)\n"
      "   %-9s %-7s %9s %9s %11s %9s  %6s          with learning\n",
      per_page, bar, "pages", "size", "always", "at once", "hash first", "criterion", "÷");
  for (const Mix& mix : mixes) {
    for (const Size& size : sizes) {
      const std::vector<Cost> costs = measure(nats, mix, size, {}, 200, per_page);
      if (costs.empty()) return 1;
      std::printf("   %-9s %-7s %9.0f %9.0f %11.0f %9.0f", mix.name, size.name, costs[0].bytes,
                  costs[1].bytes, costs[2].bytes, costs[3].bytes);
      std::vector<double> bytes, all;
      for (const Cost& cost : costs) {
        bytes.push_back(cost.bytes);
        all.push_back(cost.with_learning);
      }
      met = judge(bytes) && met;
      std::printf("  %6.3f\n", ratio_of(all));
    }
  }

  const Relay::Line line{std::chrono::milliseconds(50), 125'000};
  std::printf(
      "   the same over 50 ms and 125 KB/s, pages of 10 KB: ms that the line keeps a poll, "
      "and the cost, in bytes: those that travel and %.0f for each second\n"
      "   %-9s %19s %19s %19s  %6s\n",
      worth, "pages", "at once", "hash first", "criterion", "÷");
  for (const Mix& mix : mixes) {
    const std::vector<Cost> costs = measure(nats, mix, on_thin_line, line, 20, per_page * 3 / 4);
    if (costs.empty()) return 1;
    std::vector<double> all;
    std::printf("   %-9s", mix.name);
    for (const Cost& cost : costs) {
      all.push_back(cost.bytes + worth * cost.seconds);
      if (&cost != &costs.front()) std::printf(" %8.1f ms %7.0f", cost.seconds * 1000, all.back());
    }
    met = judge(all) && met;
    std::printf("\n");
  }
  for (const Mix& mix : mixes) std::printf("   %s: %s\n", mix.name, mix.what);
  return met ? 0 : 1;
}
