#include "engine/robots_book.hpp"

#include "engine/adaptive_pause.hpp"
#include "engine/manners.hpp"
#include "pollux/base/units.hpp"
#include "pollux/robots_txt/robots_txt.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::engine {
namespace {

using Verdict = HostRobots::Verdict;

constexpr Duration retry_unasked = std::chrono::seconds(1);

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::rules:
      return "rules";
    case Verdict::allow:
      return "allow";
    case Verdict::unknown:
    case Verdict::disallow:
      break;
  }
  return "disallow";
}

// "Unavailable" in the words of the RFC: there are no rules. A 429 says "later", not "none". A
// redirect that ends here led nowhere.
bool is_unavailable(int status) {
  return (status >= 300 && status < 500) && status != 429;
}

}  // namespace

RobotsBook::RobotsBook(const config::Config& config, HostTable& hosts,
                       schedule::Scheduler& scheduler, const RobotsOptions& options)
    : config_(config),
      hosts_(hosts),
      scheduler_(scheduler),
      options_(options),
      product_(robots_txt::product_token(config.settings.front().user_agent)) {
  make_room();
}

// Rules are an excerpt for one user agent.
void RobotsBook::forget_other_product(HostRobots& robots) const {
  if (std::exchange(robots.product, product_number_) != product_number_ &&
      robots.verdict == Verdict::rules) {
    robots.verdict = Verdict::unknown;
  }
}

bool RobotsBook::must_ask(HostSlot host, Instant now) {
  HostRecord& record = hosts_[host];
  forget_other_product(record.robots);
  const bool known = record.robots.verdict != Verdict::unknown && record.robots.check_at > now;
  return !known && config_.politeness(record.name).obey_robots;
}

RobotsBook::Answer RobotsBook::check(HostSlot host, std::string_view url, Instant now,
                                     RobotsVerdict* known) {
  if (must_ask(host, now)) return Answer::ask;
  HostRecord& record = hosts_[host];
  if (!config_.politeness(record.name).obey_robots) return Answer::allowed;
  HostRobots& robots = record.robots;
  robots.used = true;
  if (robots.verdict == Verdict::disallow) return Answer::denied;
  if (robots.verdict == Verdict::allow) return Answer::allowed;
  if (robots.copy == 0) robots.copy = ++copies_;
  RobotsVerdict fresh;
  RobotsVerdict& judged = known ? *known : fresh;
  if (judged.copy != robots.copy) {
    judged = {robots.copy, robots_txt::allows(robots.rules.view(), url, &work_)};
  }
  return judged.allowed ? Answer::allowed : Answer::denied;
}

RobotsBook::Denial RobotsBook::denial(HostSlot host, Instant now, Rng& rng) const {
  const HostRobots& robots = hosts_[host].robots;
  Denial denial;
  // Not all of a host's pages in the same moment.
  const Duration left = std::max(robots.check_at - now, Duration(std::chrono::seconds(1)));
  denial.until = now + left + from_seconds(0.02 * rng.uniform() * to_seconds(left));
  if (robots.verdict == Verdict::rules) {
    denial.reason = "robots: disallowed by robots.txt";
  } else if (robots.status != 0) {
    denial.reason = "robots: robots.txt cannot be read (HTTP " + std::to_string(robots.status) +
                    "), so nothing of the host is polled";
  } else {
    denial.reason = robots.error.str() + " (robots.txt)";
    denial.unreachable = true;
  }
  return denial;
}

void RobotsBook::begin(HostSlot host) {
  hosts_[host].robots.asking = true;
  scheduler_.hold_host(host);
}

bool RobotsBook::asking(HostSlot host) const {
  return hosts_[host].robots.asking;
}

// Its pages stand where they stood: without a pause the next of them would ask at once, and where
// nobody can ask, that would use up the budget.
void RobotsBook::give_up(HostSlot host, Instant now) {
  scheduler_.delay_host(host, now + retry_unasked);
  end(host, now);
}

void RobotsBook::end(HostSlot host, Instant now) {
  hosts_[host].robots.asking = false;
  scheduler_.unhold_host(host, now);
}

void RobotsBook::learn(HostSlot host, const Outcome& outcome, Instant now, Rng& rng) {
  HostRecord& record = hosts_[host];
  HostRobots& robots = record.robots;
  robots.status = static_cast<std::uint16_t>(outcome.error.empty() ? outcome.status : 0);
  const bool read = outcome.error.empty() && fetch::is_success(outcome.status);
  if (read || (outcome.error.empty() && is_unavailable(outcome.status))) {
    robots.error = "";
    robots.fetched = now;
    // So that hosts which were first asked together are not asked together for ever.
    robots.check_at = now + from_seconds(to_seconds(options_.keep) * (1 - 0.1 * rng.uniform()));
    robots.unreachable_since.reset();
    robots.failures = 0;
    robots_txt::Excerpt excerpt;
    if (read) excerpt = robots_txt::read_robots_txt(outcome.text, product_);
    robots.verdict = read ? Verdict::rules : Verdict::allow;
    robots.product = product_number_;
    if (robots.rules.view() != excerpt.rules) robots.copy = 0;
    robots.rules = excerpt.rules;
    robots.crawl_delay = excerpt.crawl_delay;
    robots.used = false;
    rule_bytes_ += excerpt.rules.size();
    if (rule_bytes_ > options_.most_rule_bytes) make_room();
  } else {
    learn_failure(robots, outcome, now, rng);
  }
  const schedule::Politeness politeness = polite_towards(config_.politeness(record.name), robots);
  scheduler_.set_politeness(host, politeness, now);
  note_pause(record, config_.politeness(record.name));
  scheduler_.delay_host(host, now + record.pause);
  end(host, now);
}

// What is known stays in force while it cannot be refreshed (RFC 9309 §2.4).
void RobotsBook::learn_failure(HostRobots& robots, const Outcome& outcome, Instant now, Rng& rng) {
  robots.error = outcome.error.empty() ? "HTTP " + std::to_string(outcome.status) : outcome.error;
  if (!outcome.for_a_redirect)
    robots.failures = static_cast<std::uint16_t>(std::min(robots.failures + 1, 1000));
  if (!robots.unreachable_since) robots.unreachable_since = now;
  if (robots.verdict == Verdict::unknown) {
    // Where we may not even connect, the poll of the page says so, and more clearly.
    robots.verdict = outcome.not_asked ? Verdict::allow : Verdict::disallow;
    robots.fetched = now;
  }
  if (robots.verdict == Verdict::disallow &&
      now - *robots.unreachable_since >= options_.give_up_after) {
    robots.verdict = Verdict::allow;
  }
  const double doubled =
      to_seconds(options_.first_retry) * std::exp2(std::clamp(robots.failures - 1, 0, 40));
  const double retry = std::min(doubled, to_seconds(options_.longest_retry));
  const Duration asked_for = outcome.retry_after.value_or(Duration::zero());
  const Duration wait = std::max(from_seconds(retry * (0.75 + 0.5 * rng.uniform())), asked_for);
  robots.asked_to_wait_until = now + asked_for;
  robots.check_at =
      now + (outcome.for_a_redirect ? std::min(wait, longest_wait_by_redirect) : wait);
}

// Recounts, and forgets the rules that have not been used since the last time; then the others.
void RobotsBook::make_room() {
  rule_bytes_ = 0;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i)
    rule_bytes_ += hosts_[HostSlot{i}].robots.rules.view().size();
  for (int round = 0; round < 2 && rule_bytes_ > options_.most_rule_bytes; ++round) {
    for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
      HostRobots& robots = hosts_[HostSlot{i}].robots;
      if (robots.rules.empty() || std::exchange(robots.used, false) ||
          rule_bytes_ <= options_.most_rule_bytes / 4 * 3) {
        continue;
      }
      rule_bytes_ -= robots.rules.view().size();
      robots.rules = "";
      robots.copy = 0;
      robots.verdict = Verdict::unknown;
    }
  }
}

store::RobotsRow RobotsBook::row(HostSlot host, const Moment& moment) const {
  const HostRecord& record = hosts_[host];
  const HostRobots& robots = record.robots;
  store::RobotsRow row;
  row.host = record.name;
  row.verdict = name_of(robots.verdict);
  row.fetched_at = moment.to_wall(robots.fetched);
  row.check_at = moment.to_wall(robots.check_at);
  if (robots.unreachable_since) row.unreachable_since = moment.to_wall(*robots.unreachable_since);
  row.status = robots.status;
  row.error = robots.error.str();
  if (robots.crawl_delay) row.crawl_delay_ms = milliseconds(*robots.crawl_delay);
  row.product = product_;
  row.rules = robots.rules.str();
  return row;
}

void RobotsBook::reloaded() {
  std::string product = robots_txt::product_token(config_.settings.front().user_agent);
  if (product == product_) return;
  product_ = std::move(product);
  ++product_number_;
}

void restore_robots(const store::RobotsRow& row, const std::string& user_agent, HostTable& hosts,
                    const Moment& moment) {
  const auto slot = hosts.find(row.host);
  if (!slot || row.product != robots_txt::product_token(user_agent)) return;
  HostRobots& robots = hosts[*slot].robots;
  robots.verdict = row.verdict == "rules"   ? Verdict::rules
                   : row.verdict == "allow" ? Verdict::allow
                                            : Verdict::disallow;
  robots.fetched = moment.to_instant_past(row.fetched_at);
  robots.check_at = moment.to_instant_future(row.check_at, row.fetched_at);
  if (row.unreachable_since)
    robots.unreachable_since = moment.to_instant_past(*row.unreachable_since);
  robots.status = static_cast<std::uint16_t>(std::clamp(row.status, 0, 999));
  robots.error = row.error;
  robots.failures = row.error.empty() ? 0 : 1;
  if (row.crawl_delay_ms) robots.crawl_delay = std::chrono::milliseconds(*row.crawl_delay_ms);
  robots.rules = row.rules;
}

}  // namespace pollux::engine
