#include "bench/agents/loss_web.hpp"

#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr auto tolerance = 5ms;  // beside what the web's own thread was late

std::string hash_of(const std::string& body) {
  detect::Digest digest;
  digest.update(body);
  return detect::to_hex(digest.finish());
}

}  // namespace

LossWeb::LossWeb(LossWebOptions options) : options_(std::move(options)) {
  for (const std::string& agent : options_.agents) {
    proxies_[agent] = std::make_unique<test::Proxy>(origin_.port());
    proxies_[agent]->set_mark("X-Through: " + agent);
  }
  origin_.otherwise([this](test::Exchange& exchange) -> test::Step { co_await answer(exchange); });
}

std::string LossWeb::host_name(std::size_t host) const {
  return (host < options_.quick_hosts ? "quick" : "slow") + std::to_string(host) + ".test";
}

std::string LossWeb::url(std::size_t page) const {
  return "http://" + host_name(page / options_.pages_a_host) + "/p/" + std::to_string(page);
}

std::string LossWeb::pages_yaml() const {
  std::string text = "pages:\n";
  for (std::size_t page = 0; page < pages(); ++page) text += "  - " + url(page) + "\n";
  return text;
}

void LossWeb::change_all(SteadyTime from, std::chrono::milliseconds spread) {
  const std::lock_guard lock(mutex_);
  waves_.push_back({from, spread});
}

std::size_t LossWeb::version(std::size_t page, SteadyTime now) const {
  return static_cast<std::size_t>(std::ranges::count_if(waves_, [&](const Wave& wave) {
    return wave.from + wave.spread * static_cast<int>(page * 37 % 101) / 101 <= now;
  }));
}

std::string LossWeb::body(std::size_t page, std::size_t version) {
  return "page " + std::to_string(page) + ", version " + std::to_string(version) + "\n";
}

test::Step LossWeb::answer(test::Exchange& exchange) {
  const std::string_view path = exchange.path;
  std::size_t page = pages();
  if (path.starts_with("/p/")) std::from_chars(path.data() + 3, path.data() + path.size(), page);
  if (page >= pages()) {
    co_await exchange.respond(404, "", "no such page");
    co_return;
  }
  const std::size_t host = page / options_.pages_a_host;
  std::size_t entry = 0, shown = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    shown = version(page, now);
    entry = log_.size();
    log_.push_back({host, page, shown, exchange.header("x-through"), now});
  }
  if (host >= options_.quick_hosts) co_await exchange.sleep(options_.slow);
  co_await exchange.respond(200, "Content-Type: text/plain\r\n", body(page, shown));
  const std::lock_guard lock(mutex_);
  log_[entry].answered = std::chrono::steady_clock::now();
}

std::vector<LossWeb::Request> LossWeb::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

LossWeb::Counted LossWeb::compare(const std::vector<store::ChangeView>& recorded) const {
  std::map<std::string, std::set<std::size_t>> shown;  // versions, by URL
  for (const Request& one : log()) {
    if (one.answered) shown[url(one.page)].insert(one.version);
  }
  std::map<std::string, std::multiset<std::string>> found;  // hashes, likewise
  for (const store::ChangeView& change : recorded) found[change.url].insert(change.row.new_hash);
  Counted all;
  const std::lock_guard lock(mutex_);
  for (std::size_t page = 0; page < pages(); ++page) {
    std::multiset<std::string>& hashes = found[url(page)];
    const std::set<std::size_t>& versions = shown[url(page)];
    for (auto it = versions.begin(); it != versions.end(); ++it) {
      if (it == versions.begin()) continue;  // the first one is the baseline
      ++all.shown;
      const std::string hash = hash_of(body(page, *it));
      const std::size_t times = hashes.count(hash);
      if (times == 0) ++all.lost;
      if (times > 1) all.twice += times - 1;
      hashes.erase(hash);
    }
    if (!versions.contains(version(page, std::chrono::steady_clock::now()))) ++all.unseen;
    all.invented += hashes.size();
  }
  return all;
}

Limits limits_of(const LossWeb& web, SteadyTime from, SteadyTime to,
                 std::chrono::milliseconds delay, std::chrono::milliseconds timeout) {
  Limits limits;
  const std::vector<LossWeb::Request> log = web.log();
  std::map<std::size_t, const LossWeb::Request*> last;  // by host
  std::size_t first = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const LossWeb::Request& one = log[i];
    const LossWeb::Request* before = std::exchange(last[one.host], &one);
    if (one.came < from || one.came >= to) continue;
    // What came late stands closer together than it was sent.
    const auto late = web.lateness(log[first].came, one.came);
    while (first < i && one.came - log[first].came + late >= 1s) ++first;
    limits.fullest_second = std::max(limits.fullest_second, i - first + 1);
    if (before == nullptr) continue;
    const auto allowance = web.lateness(before->came, one.came) + tolerance;
    const bool given_up = one.came - before->came + allowance >= timeout;
    const bool open = !before->answered || *before->answered > one.came;
    if (open && !given_up) ++limits.overlaps;
    if (!open && one.came - *before->answered + allowance < delay) ++limits.gaps_broken;
  }
  return limits;
}

Recovery recovery_of(const LossWeb& web, const std::string& lost, SteadyTime injected,
                     SteadyTime end) {
  const std::vector<LossWeb::Request> log = web.log();
  std::vector<const LossWeb::Request*> before(web.hosts(), nullptr), after(web.hosts(), nullptr);
  for (const LossWeb::Request& one : log) {
    if (one.came < injected) {
      before[one.host] = &one;
    } else if (one.came < end && after[one.host] == nullptr &&
               (lost.empty() || one.agent != lost)) {
      after[one.host] = &one;
    }
  }
  Recovery recovery;
  for (std::size_t host = 0; host < web.hosts(); ++host) {
    if (before[host] == nullptr || (!lost.empty() && before[host]->agent != lost)) continue;
    const bool busy = !before[host]->answered || *before[host]->answered > injected;
    if (after[host] == nullptr) {
      ++recovery.never;
      continue;
    }
    (busy ? recovery.busy : recovery.idle).push_back(Seconds(after[host]->came - injected).count());
  }
  return recovery;
}

}  // namespace pollux::bench
