// Telling people. First: changes at a steady rate, receivers that fail at random in every way,
// kills in between: what is lost, repeated or out of order. Then: how late polls are at 500 a
// second, without and with rules of notify, in turn.
//   bench_notify [CHANGES [SECONDS [KILLS [ALTERNATIONS [SECONDS_EACH]]]]]
#include "pollux/base/rng.hpp"
#include "pollux/store/reader.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/receiver.hpp"
#include "support/steady_polls.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>
#include <sys/syscall.h>
#include <unistd.h>

using namespace pollux;
using namespace pollux::test;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr int rules = SteadyPolls::groups, pages_a_rule = 20;
constexpr double failing = 0.04;  // part of the requests that go wrong, a quarter in each way

std::string rule_line(int rule, const std::string& url) {
  return "  - { name: r" + std::to_string(rule) + ", when: { match: \"*/r" + std::to_string(rule) +
         "/*\", events: [change] }, to: { webhook: \"" + url + "\", allow: [127.0.0.0/8] } }\n";
}

// A receiver for one rule that is away now and then: connections are refused meanwhile.
class MoodyReceiver {
 public:
  // On a port that no connection of the daemon's is given, or it could not come back.
  explicit MoodyReceiver(std::uint64_t seed) : rng_(seed), places_(0) {
    while (!is_there()) {
      port_ = static_cast<std::uint16_t>(20'000 + places_.below(10'000));
      come_back();
    }
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hook"; }
  void go_away() { receiver_.reset(); }
  // Unless somebody else has its port just now.
  void come_back() {
    try {
      open(port_);
    } catch (const std::exception&) {
    }
  }
  bool is_there() const { return receiver_ != nullptr; }
  void be_good() { good_ = true; }
  // In the order in which they were taken: the key, and the numbers of the changes.
  struct Taken {
    std::string key;
    std::vector<std::int64_t> changes;
    std::int64_t notification = 0;
  };
  std::vector<Taken> taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  std::size_t failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  void open(std::uint16_t port) {
    Origin::Options options;
    options.port = port;
    receiver_ = std::make_unique<Receiver>(
        [this](const Received& message) { return decide(message); }, options);
    port_ = receiver_->origin().port();
  }
  Reply decide(const Received& message) {
    const std::lock_guard lock(mutex_);
    if (!good_ && rng_.chance(failing)) {
      constexpr Reply bad[] = {Reply::error, Reply::busy, Reply::half, Reply::hang};
      ++failed_;
      return bad[rng_.below(4)];
    }
    Taken one{.key = message.key(), .changes = {}};
    const boost::json::value body = boost::json::parse(message.body);
    for (const boost::json::value& event : body.at("events").as_array()) {
      one.changes.push_back(event.at("change_id").as_int64());
      one.notification = event.at("id").as_int64();
    }
    taken_.push_back(std::move(one));
    return Reply::ok;
  }
  std::mutex mutex_;
  Rng rng_, places_;
  std::vector<Taken> taken_;
  std::size_t failed_ = 0;
  bool good_ = false;
  std::uint16_t port_ = 0;
  std::unique_ptr<Receiver> receiver_;
};

std::set<std::int64_t> changes_in(const std::string& database) {
  std::set<std::int64_t> ids;
  const auto reader = store::Reader::open(database);
  if (!reader) return ids;
  const auto changes = (*reader)->changes({.limit = 0});
  if (!changes) return ids;
  for (const store::ChangeView& change : *changes) ids.insert(change.id);
  return ids;
}

store::DeliveryCounts counts_in(const std::string& database) {
  const auto reader = store::Reader::open(database);
  if (!reader) return {};
  const auto summary = (*reader)->summary();
  return summary ? summary->deliveries : store::DeliveryCounts{};
}

bool deliver(int changes, int seconds, int kills) {
  const TempFolder folder;
  Origin origin;
  std::vector<std::unique_ptr<MoodyReceiver>> receivers;
  std::ofstream config(folder.file("pollux.yaml"));
  // The first poll of a page finds nothing, nor do those that a kill ends.
  config << "budget: " << 1.15 * changes / seconds << "\ndatabase: notify.db\n"
         << "network: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n"
         << "hosts: { delay: 0s, connections: 16, robots: ignore }\n"
         << "defaults: { min_interval: 0s, timeout: 5s }\n"
         << "rules: [{ match: \"*\", content: { as: raw } }]\nnotify:\n";
  for (int rule = 0; rule < rules; ++rule) {
    receivers.push_back(std::make_unique<MoodyReceiver>(static_cast<std::uint64_t>(rule) + 1));
    config << rule_line(rule, receivers.back()->url());
  }
  config << "pages:\n";
  origin.otherwise(serve::changing_page());
  for (int rule = 0; rule < rules; ++rule) {
    for (int page = 0; page < pages_a_rule; ++page) {
      const std::string path = "/r" + std::to_string(rule) + "/" + std::to_string(page);
      origin.on(path, serve::changing_page());
      config << "  - " << origin.url(path) << "\n";
    }
  }
  config.close();

  const auto start = [&] {
    // A daemon that inherits the socket of a receiver would keep it listening when it is away.
    ::syscall(SYS_close_range, 3U, ~0U, 4U);  // CLOSE_RANGE_CLOEXEC
    return std::make_unique<Program>(
        POLLUX_BINARY, folder,
        std::vector<std::string>{"run", "--config", folder.file("pollux.yaml")});
  };
  const std::string database = folder.file("notify.db");
  Rng rng(5);
  const auto begun = SteadyClock::now();
  const auto end = begun + std::chrono::seconds(seconds);
  std::unique_ptr<Program> daemon = start();
  int killed = 0;
  while (SteadyClock::now() < end) {
    std::this_thread::sleep_for(500ms);
    MoodyReceiver& one = *receivers[rng.below(rules)];
    if (!one.is_there()) {
      one.come_back();
    } else if (rng.chance(0.02)) {
      one.go_away();
    }
    const auto next = begun + (end - begun) * (killed + 1) / (kills + 1);
    if (killed < kills && SteadyClock::now() >= next) {
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(400)));
      daemon->send(SIGKILL);
      daemon->wait();
      daemon = start();
      ++killed;
    }
  }
  // No more changes: what waits is told.
  for (int rule = 0; rule < rules; ++rule) {
    while (!receivers[static_cast<std::size_t>(rule)]->is_there()) {
      receivers[static_cast<std::size_t>(rule)]->come_back();
      std::this_thread::sleep_for(50ms);
    }
    receivers[static_cast<std::size_t>(rule)]->be_good();
    for (int page = 0; page < pages_a_rule; ++page)
      origin.on("/r" + std::to_string(rule) + "/" + std::to_string(page), serve::status(503));
  }
  const auto stopped = SteadyClock::now();
  while (SteadyClock::now() < stopped + 10min) {
    std::this_thread::sleep_for(200ms);
    if (SteadyClock::now() > stopped + 3s && counts_in(database).waiting == 0) break;
  }
  const double drained = std::chrono::duration<double>(SteadyClock::now() - stopped).count();
  daemon->send(SIGTERM);
  const int exit_code = daemon->wait().exit_code;

  const std::set<std::int64_t> found = changes_in(database);
  std::set<std::int64_t> told;
  std::size_t messages = 0, repeated = 0, most_repeated = 0, out_of_order = 0, failures = 0;
  for (const auto& receiver : receivers) {
    std::map<std::string, int> keys;
    std::int64_t last = 0;
    std::size_t again = 0;
    for (const MoodyReceiver::Taken& one : receiver->taken()) {
      ++messages;
      told.insert(one.changes.begin(), one.changes.end());
      if (keys[one.key]++ > 0) {
        ++again;
        continue;
      }
      if (one.notification <= last) ++out_of_order;
      last = one.notification;
    }
    repeated += again;
    most_repeated = std::max(most_repeated, again);
    failures += receiver->failed();
  }
  std::vector<std::int64_t> lost;
  std::set_difference(found.begin(), found.end(), told.begin(), told.end(),
                      std::back_inserter(lost));
  const store::DeliveryCounts counts = counts_in(database);
  std::printf("   %zu changes in %d s, %d kills, %zu requests failed on purpose\n", found.size(),
              seconds, killed, failures);
  std::printf("   %zu messages taken, %zu changes lost (wanted: 0), %lld given up\n", messages,
              lost.size(), static_cast<long long>(counts.dead));
  std::printf(
      "   %zu repeated, %zu under one rule at most (wanted: %d or less), %zu out of order "
      "(wanted: 0)\n",
      repeated, most_repeated, killed, out_of_order);
  std::printf("   all told %.1f s after the last change; exit code %d\n", drained, exit_code);
  return lost.empty() && out_of_order == 0 && most_repeated <= static_cast<std::size_t>(killed) &&
         counts.waiting == 0 && counts.dead == 0 && exit_code == 0;
}

// The 99th part in a hundred of how late polls were, in milliseconds.
double lateness(int seconds, bool with_rules) {
  const TempFolder folder;
  const SteadyPolls polls;
  std::vector<std::unique_ptr<MoodyReceiver>> receivers;
  std::string notify = with_rules ? "notify:\n" : "";
  for (int rule = 0; rule < rules; ++rule) {
    receivers.push_back(std::make_unique<MoodyReceiver>(static_cast<std::uint64_t>(rule) + 1));
    if (with_rules) notify += rule_line(rule, receivers.back()->url());
  }
  folder.write("pollux.yaml", notify + polls.yaml());
  const SteadyTime begin = SteadyClock::now();
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  daemon.send(SIGTERM);
  daemon.wait();
  return polls.seen(begin, SteadyClock::now()).late_p99_ms;
}

int argument(int argc, char** argv, int at, int fallback) {
  return argc > at ? std::atoi(argv[at]) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
  const int changes = argument(argc, argv, 1, 10'000), seconds = argument(argc, argv, 2, 600);
  const int kills = argument(argc, argv, 3, 5), alternations = argument(argc, argv, 4, 5);
  const int seconds_each = argument(argc, argv, 5, 30);
  bool good = changes == 0 || deliver(changes, seconds, kills);
  if (alternations > 0) {
    std::vector<double> without, with;
    for (int i = 0; i < alternations; ++i) {
      without.push_back(lateness(seconds_each, false));
      with.push_back(lateness(seconds_each, true));
      std::printf("   lateness p99 at 500 polls/s: %.1f ms without rules, %.1f ms with\n",
                  without.back(), with.back());
      std::fflush(stdout);
    }
    const double before = median(without), after = median(with);
    std::printf("   medians: %.1f ms and %.1f ms (wanted: 10 %% or 2 ms more at most)\n", before,
                after);
    good = good && after <= std::max(before * 1.1, before + 2);
  }
  std::puts(good ? "   all as wanted" : "   NOT as wanted");
  return good ? 0 : 1;
}
