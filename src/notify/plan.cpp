#include "pollux/notify/plan.hpp"

#include "pollux/notify/quiet_hours.hpp"

#include <algorithm>

namespace pollux::notify {
namespace {

using std::chrono::milliseconds;

constexpr auto first_pause = milliseconds(1000);
constexpr auto longest_pause = std::chrono::duration_cast<milliseconds>(std::chrono::hours(1));
constexpr auto longest_asked_for = std::chrono::hours(24);
constexpr auto longest_wait = std::chrono::hours(25);  // with its share of chance
// A message that waited behind others for days has a few attempts of its own.
constexpr std::int64_t fewest_attempts = 5;
constexpr std::int64_t most_in_a_message = 10'000;

milliseconds ms(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration);
}

Step wait_until(std::optional<WallTime> wake) {
  return {.wake = wake};
}

bool may_group(const Rule& rule) {
  return rule.digest > Duration::zero() || rule.quiet || rule.limit;
}

// Nothing waits longer than it was meant to because the clock was set back.
WallTime no_later(WallTime due, WallTime now, milliseconds longest) {
  return due > now + longest ? now : due;
}

Step step_of_current(const Rule& rule, const store::OutboxHead::Message& message, WallTime now) {
  WallTime due = no_later(message.next_attempt_at.value_or(now), now, longest_wait);
  if (due < now) due = now;
  if (rule.quiet && !message.by_hand) due = quiet_until(*rule.quiet, due);
  if (due > now) return wait_until(due);
  return {.what = Step::What::send, .message = message.id};
}

// Messages of the last while, and when the next one may follow them.
struct Room {
  std::int64_t left = 0;
  std::optional<WallTime> next = {};  // when there is none now
};

Room room_of(const Limit& limit, const std::vector<WallTime>& sent, WallTime now) {
  std::vector<WallTime> counted;
  for (const WallTime at : sent) {
    if (at <= now && at > now - ms(limit.within)) counted.push_back(at);
  }
  const auto messages = static_cast<std::size_t>(limit.messages);
  if (counted.size() < messages)
    return {.left = static_cast<std::int64_t>(messages - counted.size())};
  return {.next = counted[counted.size() - messages] + ms(limit.within)};
}

}  // namespace

store::OutboxQuery question(const Rule& rule, WallTime now) {
  store::OutboxQuery query{.rule = rule.name, .now = now};
  if (may_group(rule)) query.most = most_in_a_message;
  if (rule.limit) query.sent_since = now - ms(rule.limit->within);
  return query;
}

Step next_step(const Rule& rule, const store::OutboxHead& head, WallTime now) {
  if (head.current) return step_of_current(rule, *head.current, now);
  if (head.waiting == 0) return wait_until(head.next_held);
  if (rule.quiet && is_quiet(*rule.quiet, now)) return wait_until(quiet_until(*rule.quiet, now));
  const WallTime oldest = std::min(head.oldest.value_or(now), now);
  Room room{.left = head.waiting};
  if (rule.limit) room = room_of(*rule.limit, head.sent, now);
  if (room.left == 0) return wait_until(room.next);
  if (const WallTime due = oldest + ms(rule.digest); due > now) return wait_until(due);
  const bool held_back = rule.quiet && is_quiet(*rule.quiet, oldest);
  const bool together = rule.digest > Duration::zero() || held_back || head.waiting > room.left;
  if (together && head.waiting > 1)
    return {.what = Step::What::group, .message = head.first, .last = head.last};
  return {.what = Step::What::send, .message = head.first};
}

store::DeliveryChange after(const Rule& rule, std::int64_t message, const Sending& sending,
                            const Attempt& attempt, WallTime now, Rng& rng) {
  using What = store::DeliveryChange::What;
  store::DeliveryChange change{
      .what = What::sent, .rule = rule.name, .message = message, .at = now};
  if (attempt.delivered) return change;
  change.error = attempt.error;
  const bool old = now - sending.newest >= longest_retrying;
  if (attempt.hopeless || sending.by_hand || (old && sending.attempts + 1 >= fewest_attempts)) {
    change.what = What::dead;
    return change;
  }
  change.what = What::failed;
  const auto doublings = std::min<std::int64_t>(sending.attempts, 12);
  const milliseconds pause =
      std::min<milliseconds>(first_pause * (1LL << doublings), longest_pause);
  // Half of it by chance: who failed together need not come back together.
  auto delay = milliseconds(
      static_cast<std::int64_t>(static_cast<double>(pause.count()) * (0.5 + 0.5 * rng.uniform())));
  if (attempt.retry_after) {
    const auto asked = std::min<Duration>(*attempt.retry_after, longest_asked_for);
    delay = std::max(delay, ms(asked) + milliseconds(rng.below(250)));
  }
  change.next_attempt_at = now + delay;
  return change;
}

}  // namespace pollux::notify
