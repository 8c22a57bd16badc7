// How polls add up as agents are added, and what a poll by an agent costs its brain against one
// that the brain would make itself: the same pages at the same rate in the same run, in turn.
//
// An agent is held by the delays of its sites: it has so many polls at a time, and each site takes
// a fifth of a second to answer.
#include "bench/agents/fleet.hpp"
#include "bench/agents/parts.hpp"
#include "bench/agents/verdict.hpp"
#include "support/origin.hpp"
#include "support/steady_polls.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;
using test::Origin;

constexpr int hosts = 50;
constexpr auto site_delay = 200ms;
constexpr int agent_rate = 300;  // that an agent with `slots` cannot exceed
constexpr int slots = agent_rate * static_cast<int>(site_delay.count()) / 1000;
constexpr int rounds = 3;
constexpr auto measured_for = 7s;

class Sites {
 public:
  Sites() {
    std::string body(4096, 'x');
    origin_.otherwise([body](test::Exchange& x) -> test::Step {
      co_await x.sleep(site_delay);
      co_await x.respond(200, "Content-Type: text/html\r\n", "<p>" + x.path + "</p>" + body);
    });
  }
  std::string pages_yaml(int pages) const {
    std::string text =
        "learner: { seed: 7, policy: uniform }\nlog: { level: info }\n"
        "network: { allow: [127.0.0.0/8] }\n"
        "hosts: { delay: 0s, connections: 32, adaptive_delay: 0, robots: ignore }\n"
        "defaults: { min_interval: 0s }\npages:\n";
    for (int page = 0; page < pages; ++page)
      text += "  - " +
              origin_.url_at("127.0.7." + std::to_string(1 + page % hosts),
                             "/" + std::to_string(page)) +
              "\n";
    return text;
  }
  std::size_t requests() const { return origin_.requests(); }

 private:
  Origin origin_{Origin::Options{.address = "0.0.0.0"}};
};

struct Cost {
  double per_second = 0;  // polls, as the sites count them
  double cpu = 0;         // of the polling process, in µs per poll
};

// Once every page has been seen twice: the first poll of a page brings its content.
Cost measure(const Sites& sites, pid_t pid, int pages) {
  const std::size_t before = sites.requests();
  const auto end = std::chrono::steady_clock::now() + 90s;
  while (sites.requests() < before + static_cast<std::size_t>(pages) * 3 / 2 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(20ms);
  const auto begun = std::chrono::steady_clock::now();
  const std::size_t polls = sites.requests();
  const double cpu = cpu_of(pid);
  std::this_thread::sleep_for(measured_for);
  const auto made = static_cast<double>(sites.requests() - polls);
  const double took = Seconds(std::chrono::steady_clock::now() - begun).count();
  return {made / took, (cpu_of(pid) - cpu) / std::max(made, 1.0) * 1e6};
}

struct Held {
  int by_slots = slots;
  int by_budget = 2000;
};

Cost by_agents(const Sites& sites, int agents, int pages, Held held = {}) {
  const std::vector<std::string> all{"one", "two"};
  Fleet fleet({all.begin(), all.begin() + agents});
  for (int i = 0; i < agents; ++i)
    fleet.start_agent(all[i], {.settings = ", slots: " + std::to_string(held.by_slots),
                               .sections = "network: { allow: [127.0.0.0/8] }\n"
                                           "hosts: { delay: 0s, connections: 32 }\n"});
  fleet.start_brain("budget: " + std::to_string(held.by_budget) + "\n" + sites.pages_yaml(pages));
  const Cost cost = measure(sites, fleet.brain().pid(), pages);
  fleet.end_brain(SIGTERM);
  return cost;
}

Cost locally(const Sites& sites, double rate, int pages) {
  const test::TempFolder folder;
  const auto daemon = start_daemon(folder, "database: local.db\nbudget: " + std::to_string(rate) +
                                               "\n" + sites.pages_yaml(pages));
  return measure(sites, daemon->pid(), pages);
}

double median_of(const std::vector<Cost>& costs, double Cost::*figure) {
  std::vector<double> values;
  for (const Cost& cost : costs) values.push_back(cost.*figure);
  return test::median(values);
}

bool grow(const Sites& sites) {
  std::vector<Cost> one, two, local;
  std::vector<double> added, dear;
  for (int round = 0; round < rounds; ++round) {
    one.push_back(by_agents(sites, 1, 2000));
    two.push_back(by_agents(sites, 2, 2000));
    local.push_back(locally(sites, two.back().per_second, 2000));
    added.push_back(two.back().per_second / one.back().per_second - 1);
    dear.push_back(two.back().cpu / local.back().cpu);
    std::printf(
        "   round %d: polls/s %.0f by one agent, %.0f by two, %.0f locally; CPU of a poll "
        "%.2f by one agent, %.2f by two, 1 locally (%.0f us)\n",
        round + 1, one.back().per_second, two.back().per_second, local.back().per_second,
        one.back().cpu / local.back().cpu, dear.back(), local.back().cpu);
  }
  const bool held = median_of(one, &Cost::per_second) > 0.8 * agent_rate;
  std::printf("   2 000 pages, an agent held to %d polls/s: one makes %.0f, two make %.0f\n",
              agent_rate, median_of(one, &Cost::per_second), median_of(two, &Cost::per_second));
  bool met = judge("polls/s that the second agent adds / those of the first", test::median(added),
                   Bar::at_least, 0.9);
  met &= judge("CPU of the brain per poll by its agents / per poll of its own", test::median(dear),
               Bar::at_most, 0.6);
  return met && held;
}

// The pages are the same, there are only more of them.
void by_pages(const Sites& sites) {
  double first_remote = 0, first_local = 0;
  for (const int pages : {500, 2000, 8000}) {
    const Cost remote = by_agents(sites, 2, pages);
    const Cost local = locally(sites, remote.per_second, pages);
    if (first_remote == 0) first_remote = remote.cpu, first_local = local.cpu;
    std::printf(
        "   %d pages: CPU of a poll %.2f of a local one; %.2f of that with 500 pages "
        "(locally %.2f)\n",
        pages, remote.cpu / local.cpu, remote.cpu / first_remote, local.cpu / first_local);
  }
}

// Wake-ups dominate where little happens at a time.
void by_budget(const Sites& sites) {
  const int budget = 300;
  const Cost remote = by_agents(sites, 2, 500, {.by_slots = 256, .by_budget = budget});
  const Cost local = locally(sites, budget, 500);
  std::printf(
      "   held by a budget of %d/s instead: %.0f polls/s by two agents, %.0f locally; CPU of "
      "a poll %.2f of a local one\n",
      budget, remote.per_second, local.per_second, remote.cpu / local.cpu);
}

}  // namespace

bool scale() {
  std::puts("1. Two agents, three NATS servers with TLS");
  const Sites sites;
  const bool met = grow(sites);
  by_pages(sites);
  by_budget(sites);
  return met;
}

}  // namespace pollux::bench
