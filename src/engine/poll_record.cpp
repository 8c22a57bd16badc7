#include "engine/poll_record.hpp"

#include "engine/page_noise.hpp"
#include "pollux/base/url_distance.hpp"
#include "pollux/learn/importance.hpp"

#include <utility>

namespace pollux::engine {

store::PollRecord poll_record(PageSlot slot, const PageRecord& page, const fetch::Response& answer,
                              Outcome outcome, const Moment& moment, const PageSettings& settings,
                              const learn::Policy& policy, const schedule::Scheduler& scheduler) {
  store::PollRecord record;
  record.page = page.id;
  record.change = std::move(outcome.change);
  store::PageProgress& progress = record.progress;
  progress.polls = page.polls;
  progress.changes = page.changes;
  progress.errors = page.errors;
  progress.last_polled_at = moment.wall;
  if (page.has_hash) {
    progress.last_confirmed_at = moment.to_wall(page.last_confirmed);
    progress.content_hash = detect::to_hex(page.hash);
    progress.last_full_at = moment.to_wall(page.last_full);
  }
  if (page.has_body_hash) progress.body_hash = detect::to_hex(page.body_hash);
  if (page.kept_as != extract::As::automatic) progress.kept_as = name_of(page.kept_as);
  progress.rules_mark = settings.rules_mark;
  progress.traits = page.traits.str();
  progress.noise = noise_text(page);
  progress.health = name_of(page.health);
  progress.health_reason = health_reason(page, outcome.error);
  if (outcome.version) record.versions.push_back(std::move(*outcome.version));
  record.suspicions = std::move(outcome.suspicions);
  record.masks = std::move(outcome.masks);
  if (page.last_changed != WallTime{}) progress.last_changed_at = page.last_changed;
  progress.last_status = answer.status;
  progress.error_streak = page.error_streak;
  if (outcome.not_before) {
    (outcome.error.empty() ? progress.fresh_until : progress.retry_at) =
        moment.to_wall(*outcome.not_before);
  }
  progress.last_error = std::move(outcome.error);
  progress.moved_to = page.moved_to.str();
  progress.final_url = page.final_url.str();
  progress.redirects = page.redirects;
  if (!page.final_url.empty())
    progress.redirect_distance = name_of(url_distance(page.url.view(), page.final_url.view()));
  progress.request_mark = settings.mark;
  if (const auto since = page.recent.since(moment.now)) {
    progress.measured_since = moment.to_wall(*since);
    progress.measured_polls = page.recent.polls();
  }
  progress.etag = page.etag.str();
  progress.last_modified = page.last_modified.str();
  progress.not_modified = page.not_modified;
  progress.distrusted = page.distrusted ? 1 : 0;
  progress.body_bytes = page.body_bytes;
  progress.share = policy.share(slot);
  progress.next_due_at = moment.to_wall(scheduler.next_due(slot, moment.now));
  if (const auto rate = policy.change_rate(slot)) progress.change_rate_per_day = *rate * 86400;
  set_memory(progress, policy.memory(slot));
  set_outlook(progress, policy.outdated_after(slot));
  if (page.download_seconds > 0)
    progress.download_ms = static_cast<double>(page.download_seconds) * 1000;
  return record;
}

store::PollRecord denied_record(PageRecord& page, const RobotsBook::Denial& denial,
                                const Moment& moment) {
  page.denied = !denial.unreachable;
  if (denial.unreachable) page.note_failure();
  const WallTime until = moment.to_wall(denial.until);
  store::PollRecord record;
  record.page = page.id;
  record.note = store::PageNote{.errors = page.errors,
                                .error_streak = page.error_streak,
                                .last_error = denial.reason,
                                .retry_at = until,
                                .next_due_at = until};
  return record;
}

store::PollRecord unrendered_record(const PageRecord& page, WallTime again) {
  store::PollRecord record;
  record.page = page.id;
  record.note =
      store::PageNote{.errors = page.errors,
                      .error_streak = page.error_streak,
                      .last_error = "render: no agent with a browser is there that takes it",
                      .retry_at = {},
                      .next_due_at = again};
  return record;
}

void teach(learn::Policy& policy, PageSlot slot, const PageRecord& page, const Outcome& outcome,
           const PageSettings& settings, const learn::CostOptions& cost) {
  if (outcome.feedback) policy.feed(slot, *outcome.feedback);
  if (!outcome.conclusive() || !cost.by_time) return;
  const auto seconds = static_cast<double>(page.download_seconds);
  policy.set_importance(slot, learn::importance_by_cost(settings.importance, seconds, cost));
}

void count(detect::Verdict verdict, store::MinuteRow& counts) {
  switch (verdict) {
    case detect::Verdict::baseline:
    case detect::Verdict::noisy:
    case detect::Verdict::withheld:
      break;
    case detect::Verdict::same:
      ++counts.same;
      break;
    case detect::Verdict::changed:
      ++counts.changes;
      break;
    case detect::Verdict::unknown:
      ++counts.errors;
      break;
  }
}

}  // namespace pollux::engine
