#include "bench/agents/loss_world.hpp"

#include "pollux/store/reader.hpp"
#include "support/tcp.hpp"

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

#include <boost/json.hpp>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;

std::string hosts_section() {
  return "hosts: { delay: " + std::to_string(LossWorld::delay.count()) + "ms, connections: 1";
}

}  // namespace

LossWorld::LossWorld(std::chrono::seconds timeout)
    : timeout_(timeout), web_({.agents = agents_}), fleet_(agents_) {
  for (const std::string& name : agents_) {
    for (int server = 0; server < 3; ++server)
      relays_[name].push_back(std::make_unique<test::Relay>(fleet_.nats().port(server)));
    clocks_[name] = std::make_unique<test::ShiftedWallClock>(clocks_folder_ / name);
    start_agent(name);
  }
  fleet_.start_brain(
      "budget: " + std::to_string(budget) + "\nlog: { level: info }\n" + hosts_section() +
      ", adaptive_delay: 0, robots: ignore }\nlearner: { seed: 7, policy: uniform }\n"
      "defaults: { min_interval: 0s, timeout: " +
      std::to_string(timeout.count()) + "s, content: { as: raw } }\n" + web_.pages_yaml());
}

LossWorld::~LossWorld() {
  for (const std::string& name : agents_) fleet_.end_agent(name, SIGKILL);
}

bus::Options LossWorld::relayed(const std::string& name) {
  bus::Options nats = fleet_.nats().client(name);
  nats.servers.clear();
  for (const auto& relay : relays_.at(name))
    nats.servers.push_back("tls://127.0.0.1:" + std::to_string(relay->port()));
  return nats;
}

void LossWorld::start_agent(const std::string& name, const bus::Options& nats) {
  fleet_.start_agent(name, {.sections = "network: { proxy: \"" + web_.proxy_of(name) + "\" }\n" +
                                        hosts_section() + " }\n",
                            .nats = nats,
                            .environment = clocks_.at(name)->environment(SHIFTED_CLOCK)});
}

bool LossWorld::wait_until_steady() {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end) {
    const auto now = std::chrono::steady_clock::now();
    std::map<std::string, std::set<std::size_t>> recent;
    std::set<std::size_t> asked;
    for (const LossWeb::Request& one : web_.log()) {
      if (one.came < now - 6s) continue;
      recent[one.agent].insert(one.host);
      asked.insert(one.host);
    }
    const bool all = std::ranges::all_of(
        agents_, [&](const std::string& name) { return recent[name].size() >= 5; });
    if (all && asked.size() == web_.hosts()) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

std::string LossWorld::busiest_agent() const {
  std::map<std::size_t, std::string> last;
  for (const LossWeb::Request& one : web_.log()) last[one.host] = one.agent;
  std::map<std::string, std::size_t> hosts;
  for (const auto& [host, agent] : last) ++hosts[agent];
  return std::ranges::max_element(hosts, {}, [](const auto& one) { return one.second; })->first;
}

void LossWorld::cut_off(const std::string& name) {
  for (const auto& relay : relays_.at(name)) relay->cut_off();
}
void LossWorld::hold(const std::string& name) {
  for (const auto& relay : relays_.at(name)) relay->hold();
}
void LossWorld::mend(const std::string& name) {
  for (const auto& relay : relays_.at(name)) relay->mend();
}
void LossWorld::shift_clock(const std::string& name, std::chrono::seconds by) {
  clocks_.at(name)->shift(by);
}

bus::Options LossWorld::with_name_of_another(const std::string& name) {
  bus::Options nats = relayed(name);
  const bus::Options other = relayed(name == "one" ? "two" : "one");
  nats.certificate_file = other.certificate_file;
  nats.key_file = other.key_file;
  return nats;
}

bus::Options LossWorld::with_foreign_certificate(const std::string& name) {
  bus::Options nats = relayed(name);
  const test::Certificate certificate = foreign_.issue(name);
  nats.certificate_file = clocks_folder_.write("foreign.pem", certificate.pem);
  nats.key_file = clocks_folder_.write("foreign.key", certificate.key_pem);
  return nats;
}

void LossWorld::speak_as_old_agent(const std::string& name) {
  old_ = std::make_unique<OldAgent>(name, fleet_.nats().client(name));
}

int LossWorld::server_of_brain() {
  const std::string log = fleet_.brain_log();
  int found = -1;
  std::size_t latest = 0;
  for (int server = 0; server < 3; ++server) {
    const std::size_t at =
        log.rfind("connected to 127.0.0.1:" + std::to_string(fleet_.nats().port(server)));
    if (at == std::string::npos || (found >= 0 && at < latest)) continue;
    found = server;
    latest = at;
  }
  return std::max(found, 0);
}

int LossWorld::leading_server() {
  return fleet_.nats().leader();
}

LossWorld::Totals LossWorld::read_totals() const {
  Totals totals;
  totals.unknown = web_.pages();
  auto reader = store::Reader::open(fleet_.database());
  if (!reader.ok()) return totals;
  store::Reader::ChangeQuery every;
  every.limit = 10'000'000;
  if (const auto changes = (*reader)->changes(every); changes.ok()) {
    totals.changes = changes->size();
    totals.counted = web_.compare(*changes);
  }
  store::Reader::PageQuery all;
  all.limit = 0;
  if (const auto pages = (*reader)->pages(all); pages.ok()) {
    for (const store::PageRow& page : *pages) totals.page_errors += page.progress.errors;
    totals.unknown = static_cast<std::size_t>(std::ranges::count_if(
        *pages, [](const store::PageRow& page) { return page.progress.content_hash.empty(); }));
  }
  return totals;
}

LossWorld::Totals LossWorld::totals(std::chrono::seconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  Totals totals = read_totals();
  while (totals.counted.lost + totals.counted.unseen + totals.unknown > 0 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(250ms);
    totals = read_totals();
  }
  return totals;
}

std::size_t LossWorld::lost_polls() const {
  auto reader = store::Reader::open(fleet_.database());
  if (!reader.ok()) return 0;
  const auto meta = (*reader)->meta();
  if (!meta.ok() || !meta->contains("agents") || meta->at("agents").empty()) return 0;
  std::size_t lost = 0;
  const boost::json::value agents = boost::json::parse(meta->at("agents"));
  for (const boost::json::value& agent : agents.as_array())
    lost += static_cast<std::size_t>(agent.at("lost").to_number<std::int64_t>());
  return lost;
}

}  // namespace pollux::bench
