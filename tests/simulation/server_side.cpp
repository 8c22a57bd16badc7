#include "simulation/server_side.hpp"

#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <utility>

namespace pollux::simulation {
namespace {

std::size_t number_of(const std::string& host) {
  return std::stoul(host.substr(1));
}

std::string sha256(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return detect::to_hex(digest.finish());
}

}  // namespace

void ServerSide::violated(std::string what) {
  ++violation_count;
  if (violations.size() < 100) {
    violations.push_back("after " + std::to_string(to_seconds(clock_.now().time_since_epoch())) +
                         " s: " + std::move(what));
  }
}

void ServerSide::on_request(const std::string& host, const std::string& path, Instant at) {
  ++requests;
  if (path != "/robots.txt") ++page_requests;
  last_second_.push_back(at);
  while (last_second_.front() <= at - std::chrono::seconds(1)) last_second_.pop_front();
  fullest_second = std::max(fullest_second, last_second_.size());
  if (static_cast<double>(last_second_.size()) > budget_ + static_cast<double>(holders_))
    violated("budget: " + std::to_string(last_second_.size()) + " requests within a second");
  Seen& seen = hosts_[host];
  if (seen.open++ > 0) violated("politeness: two requests at once to " + host);
  if (seen.last_end != Instant::min() && at - seen.last_end < delay_)
    violated("politeness: " + host + " was asked again after " +
             std::to_string(to_seconds(at - seen.last_end)) + " s");
  if (at < seen.blocked_until && askers_may_be_lost) {
    ++forgotten_blocks;
  } else if (at < seen.blocked_until) {
    violated("politeness: " + host + " had asked to be left alone");
  }
  if (const std::string url = "http://" + host.substr(0, host.find(':')) + path;
      is_silent && is_silent(url))
    violated("a page that is paused was polled: " + url);
  const std::string forbidden = SimulatedWeb::forbidden_path(number_of(host));
  if (!forbidden.empty() && path.starts_with(forbidden))
    violated("robots.txt: " + host + path + " is forbidden");
}

void ServerSide::on_answer(const std::string& host, Instant at) {
  Seen& seen = hosts_[host];
  --seen.open;
  seen.last_end = at;
}

void ServerSide::on_block(const std::string& host, Instant until) {
  Seen& seen = hosts_[host];
  seen.blocked_until = std::max(seen.blocked_until, until);
}

void ServerSide::on_content(const std::string& page_url, const std::string& body) {
  if (is_listed(page_url)) delivered_[page_url] = sha256(body);
}

void ServerSide::on_record(const std::string& url, const std::string& hash, bool changed,
                           bool failed) {
  std::string& before = recorded_[url];
  const bool differs = !before.empty() && before != hash;
  if (changed != differs)
    violated(std::string(changed ? "a false change: " : "a change without a row: ") + url);
  if (failed && hash != before) violated("an error changed the content of " + url);
  if (const auto sent = delivered_.find(url); sent != delivered_.end() && !failed) {
    if (sent->second != hash) violated("another content was recorded than was sent: " + url);
  }
  before = hash;
}

}  // namespace pollux::simulation
