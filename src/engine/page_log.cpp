#include "engine/page_log.hpp"

#include "pollux/base/log.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url_distance.hpp"

#include <algorithm>
#include <bit>

#include <spdlog/fmt/fmt.h>

namespace pollux::engine {

const char* word_for(detect::Verdict verdict) {
  switch (verdict) {
    case detect::Verdict::baseline:
      return "baseline";
    case detect::Verdict::same:
      return "same";
    case detect::Verdict::changed:
      return "changed";
    case detect::Verdict::noisy:
      return "noisy";
    case detect::Verdict::withheld:
      return "withheld";
    case detect::Verdict::unknown:
      break;
  }
  return "unknown";
}

namespace {

constexpr Duration said_together = std::chrono::minutes(1);

LogFields fields_of(const PageRecord& page) {
  return {{"url", printable_url(page.url.view())}, {"page_id", value(page.id)}};
}

void add_answer(LogFields& fields, const fetch::Response& answer) {
  if (answer.status != 0) fields.push_back({"status", answer.status});
  if (answer.failure == fetch::Failure::none)
    fields.push_back({"bytes", static_cast<std::int64_t>(answer.body_bytes)});
}

std::string without_content_for(const PageRecord& page, Instant now) {
  if (!page.has_hash) return {};
  return ", its content was last seen " + format_duration(now - page.last_confirmed) + " ago";
}

void log_poll(const PageRecord& page, const Flight& flight, const Outcome& outcome) {
  const fetch::Response& answer = flight.answer;
  LogFields fields = fields_of(page);
  add_answer(fields, answer);
  fields.push_back({"verdict", word_for(outcome.verdict)});
  fields.push_back({"elapsed_ms",
                    std::chrono::duration_cast<std::chrono::milliseconds>(answer.elapsed).count()});
  if (outcome.change) fields.push_back({"old_hash", outcome.change->old_hash});
  if (outcome.conclusive()) {
    fields.push_back({"new_hash", detect::to_hex(page.hash)});
  } else {
    fields.push_back({"error", outcome.error});
  }
  const std::string found = outcome.conclusive()
                                ? fmt::format("{}, HTTP {}, {}", word_for(outcome.verdict),
                                              answer.status, format_bytes(answer.body_bytes))
                                : printable(outcome.error);
  log_event(LogLevel::debug, "polled",
            fmt::format("polled: {}: {} in {}", printable_url(page.url.view()), found,
                        format_duration(answer.elapsed)),
            fields);
}

void log_failure(const PageRecord& page, const Flight& flight, const Outcome& outcome,
                 const Moment& at) {
  const bool first = page.error_streak == 1;
  LogFields fields = fields_of(page);
  if (flight.answer.status != 0) fields.push_back({"status", flight.answer.status});
  fields.push_back({"error", outcome.error});
  fields.push_back({"failures", page.error_streak});
  std::string message = fmt::format("{}: {}: {}", first ? "failing" : "still failing",
                                    printable_url(page.url.view()), printable(outcome.error));
  if (!first)
    message += fmt::format(" ({} in a row{})", count_of(page.error_streak, "failure"),
                           without_content_for(page, at.now));
  if (outcome.not_before) {
    message += "; next attempt in " + format_duration(*outcome.not_before - at.now);
    fields.push_back({"retry_at", format_time(at.to_wall(*outcome.not_before))});
  }
  log_event(LogLevel::warn, first ? "failing" : "still_failing", message, fields);
}

void log_recovery(const PageRecord& page, const Flight& flight, int failures) {
  LogFields fields = fields_of(page);
  add_answer(fields, flight.answer);
  fields.push_back({"failures", failures});
  fields.push_back({"new_hash", detect::to_hex(page.hash)});
  log_event(LogLevel::info, "recovered",
            fmt::format("recovered: {} after {}", printable_url(page.url.view()),
                        count_of(failures, "failure")),
            fields);
}

// Bytes that an earlier version of Pollux knew are others now; what counted in them nobody knows.
void log_rebaseline(const PageRecord& page) {
  log_event(LogLevel::info, "rebaselined",
            fmt::format("taken as it is: {}: its bytes differ from those of an earlier version",
                        printable_url(page.url.view())),
            fields_of(page));
}

// Failures and moves have lines of their own.
bool told_here(Health health) {
  return health == Health::suspect || health == Health::selector || health == Health::flapping ||
         health == Health::noisy || health == Health::masked;
}

bool health_is_news(const PageRecord& page, const Outcome& outcome) {
  return page.health != outcome.health_before &&
         (told_here(page.health) ||
          (told_here(outcome.health_before) && page.health == Health::ok));
}

// Once when it begins, and once when it is over.
void log_health(const PageRecord& page, const Outcome& outcome) {
  LogFields fields = fields_of(page);
  fields.push_back({"health", std::string(name_of(page.health))});
  if (told_here(page.health)) {
    const std::string reason = health_reason(page, outcome.error);
    fields.push_back({"reason", printable(reason)});
    log_event(LogLevel::warn, "health",
              fmt::format("{}: {}: {}", name_of(page.health), printable_url(page.url.view()),
                          printable(reason)),
              fields);
  } else {
    log_event(LogLevel::info, "health",
              fmt::format("no longer {}: {}", name_of(outcome.health_before),
                          printable_url(page.url.view())),
              fields);
  }
}

void log_move(const PageRecord& page) {
  LogFields fields = fields_of(page);
  fields.push_back({"moved_to", printable_url(page.moved_to.view())});
  log_event(LogLevel::warn, "moved",
            fmt::format("moved for good: {} is now {}; the list should say so",
                        printable_url(page.url.view()), printable_url(page.moved_to.view())),
            fields);
}

// A query may hold what the server knows us by: it is not repeated.
void log_landing(const PageRecord& page) {
  const std::string_view there = page.final_url.view();
  LogFields fields = fields_of(page);
  if (there.empty()) {
    log_event(LogLevel::info, "redirected",
              fmt::format("answers at its own URL again: {}", printable_url(page.url.view())),
              fields);
    return;
  }
  const UrlDistance distance = url_distance(page.url.view(), there);
  const Gateway gateway = gateway_of(there);
  fields.push_back({"final_url", printable_url(without_query(there))});
  fields.push_back({"distance", std::string(name_of(distance))});
  std::string message =
      fmt::format("redirected: {} is answered by {}", printable_url(page.url.view()),
                  printable_url(without_query(there)));
  if (gateway != Gateway::none) {
    fields.push_back({"looks_like", std::string(name_of(gateway))});
    message += fmt::format(", which looks like a {} page", name_of(gateway));
  }
  const bool far = distance == UrlDistance::other_host || gateway != Gateway::none;
  log_event(far ? LogLevel::warn : LogLevel::info, "redirected", message, fields);
}

}  // namespace

bool PageLog::may_say(Instant now, std::int64_t Unsaid::*kind) {
  room_ = std::min(most_at_once, room_ + per_second * std::max(to_seconds(now - filled_at_), 0.0));
  filled_at_ = now;
  if (room_ >= 1) {
    room_ -= 1;
    return true;
  }
  const bool first = unsaid_.failing + unsaid_.recovered + unsaid_.other == 0;
  if (first) left_out_since_ = now;
  ++(unsaid_.*kind);
  return false;
}

void PageLog::say_what_was_left_out(Instant now) {
  if (unsaid_.failing + unsaid_.recovered + unsaid_.other == 0) return;
  if (now - left_out_since_ < said_together) return;
  log_event(
      LogLevel::warn, "left_out",
      fmt::format("too many to log one by one in the last {}: {} failed polls, {} "
                  "recoveries, {} other lines; `pollux pages --order errors` lists those "
                  "that fail",
                  format_duration(now - left_out_since_), unsaid_.failing, unsaid_.recovered,
                  unsaid_.other),
      {{"failing", unsaid_.failing}, {"recovered", unsaid_.recovered}, {"other", unsaid_.other}});
  unsaid_ = {};
}

void PageLog::polled(const PageRecord& page, const Flight& flight, const Outcome& outcome,
                     const Moment& at) {
  say_what_was_left_out(at.now);
  if (is_logged(LogLevel::debug)) log_poll(page, flight, outcome);
  if (!outcome.conclusive()) {
    // Gaps that double, and nothing to remember but the streak itself.
    if (std::has_single_bit(page.error_streak) && may_say(at.now, &Unsaid::failing))
      log_failure(page, flight, outcome, at);
  } else if (outcome.failed_before > 0 && may_say(at.now, &Unsaid::recovered)) {
    log_recovery(page, flight, outcome.failed_before);
  }
  if (outcome.rebaselined && may_say(at.now, &Unsaid::other)) log_rebaseline(page);
  if (health_is_news(page, outcome) && may_say(at.now, &Unsaid::other)) log_health(page, outcome);
  if (outcome.moved && may_say(at.now, &Unsaid::other)) log_move(page);
  if (outcome.landed && !outcome.moved && may_say(at.now, &Unsaid::other)) log_landing(page);
}

void PageLog::denied(const PageRecord& page, const RobotsBook::Denial& denial, const Moment& at) {
  const auto streak = static_cast<std::uint16_t>(page.error_streak + 1);
  const bool news = denial.unreachable ? std::has_single_bit(streak) : !page.denied;
  if (!news || !may_say(at.now, denial.unreachable ? &Unsaid::failing : &Unsaid::other)) return;
  LogFields fields = fields_of(page);
  fields.push_back({"error", denial.reason});
  fields.push_back({"retry_at", format_time(at.to_wall(denial.until))});
  log_event(denial.unreachable ? LogLevel::warn : LogLevel::info,
            denial.unreachable ? (streak == 1 ? "failing" : "still_failing") : "denied",
            fmt::format("not polled: {}: {}; next attempt in {}", printable_url(page.url.view()),
                        printable(denial.reason), format_duration(denial.until - at.now)),
            fields);
}

void PageLog::unrendered(const PageRecord& page, const Moment& at) {
  say_what_was_left_out(at.now);
  if (!may_say(at.now, &Unsaid::other)) return;
  log_event(
      LogLevel::warn, "not_rendered",
      "not polled: no agent with a browser is there that takes " + printable_url(page.url.view()),
      fields_of(page));
}

void log_change(const store::ChangeRow& change) {
  log_event(LogLevel::info, "changed",
            "changed: " + printable_url(change.url) +
                (change.summary.empty() ? "" : ": " + printable(change.summary)),
            {{"url", printable_url(change.url)},
             {"page_id", value(change.page)},
             {"status", change.status},
             {"bytes", change.body_bytes},
             {"old_hash", change.old_hash},
             {"new_hash", change.new_hash},
             {"summary", printable(change.summary)}});
}

}  // namespace pollux::engine
