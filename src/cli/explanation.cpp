#include "cli/explanation.hpp"

#include "cli/learner_text.hpp"
#include "cli/output.hpp"
#include "cli/politeness_text.hpp"
#include "pollux/base/units.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

std::string share_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  if (facts.page.state == "removed") {
    return "none: the page is no longer listed. Its history is kept; listed again, it goes on "
           "where it stopped.";
  }
  if (facts.page.state == "paused") return "none: the page is paused.";
  if (!(progress.share > 0)) return "not known yet: the daemon has not polled the page so far.";
  const Pace pace = pace_of(facts.page, facts.meta);
  std::string text = percent_text(progress.share) + " of the budget";
  if (const auto budget = meta_number(facts.meta, "budget")) {
    text += " of " + format_rate(*budget);
  }
  if (pace.wanted) text += ", that is a poll every " + seconds_text(pace.wanted);
  text += fmt::format(". Rank {} of {}", facts.rank.place, count_of(facts.rank.active, "page"));
  const double times = progress.share * static_cast<double>(facts.rank.active);
  if (times > 1.05 || times < 0.95) {
    text += fmt::format(", {:.2g} times the average page", times);
  } else {
    text += ", like the average page";
  }
  return text + ".";
}

std::string limits_text(const PageFacts& facts) {
  const store::PageSpec& spec = facts.page.spec;
  const std::string least = format_duration(std::chrono::milliseconds(spec.min_interval_ms));
  const std::string most = format_duration(std::chrono::milliseconds(spec.max_interval_ms));
  const Pace pace = pace_of(facts.page, facts.meta);
  std::string text;
  switch (pace.binding) {
    case Pace::Limit::min_interval:
      text = fmt::format("min_interval ({}) binds: its share would pay for a poll every {}.", least,
                         seconds_text(pace.wanted));
      break;
    case Pace::Limit::max_interval:
      text = fmt::format("max_interval ({}) binds: its share alone would mean a poll every {}.",
                         most, seconds_text(pace.wanted));
      break;
    case Pace::Limit::none:
      text = fmt::format("min_interval {} and max_interval {} {}.", least, most,
                         pace.wanted ? "do not bind" : "are set");
  }
  const auto stretch = meta_number(facts.meta, "max_interval_stretch");
  if (stretch && *stretch > 1.01) {
    text += fmt::format(
        " The budget cannot pay for every max_interval: all are stretched {:.2g} "
        "times.",
        *stretch);
  }
  return text;
}

std::string back_off_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  if (progress.error_streak == 0) {
    if (progress.last_error.starts_with("robots:") && progress.retry_at > facts.now) {
      return "not polled before " + format_time(*progress.retry_at) + " (" +
             until(progress.retry_at, facts.now) + "): " + progress.last_error + ".";
    }
    return progress.errors == 0 ? "none: no poll has failed."
                                : fmt::format("none now; {} of {} failed so far.", progress.errors,
                                              count_of(progress.polls, "poll"));
  }
  std::string text = fmt::format("{} in a row", count_of(progress.error_streak, "failure"));
  if (!progress.last_error.empty()) text += ", the last one: " + progress.last_error;
  if (progress.last_status != 0) text += fmt::format(" (HTTP {})", progress.last_status);
  if (progress.retry_at && *progress.retry_at > facts.now) {
    text += "; not polled again before " + format_time(*progress.retry_at) + " (" +
            until(progress.retry_at, facts.now) + ")";
  }
  return text + ". A failure teaches the learner nothing.";
}

std::string host_text(const PageFacts& facts) {
  const store::HostRow& host = facts.host;
  std::string text = host.host;
  if (host.blocked_until && *host.blocked_until > facts.now) {
    text += " asked us to wait until " + format_time(*host.blocked_until) + " (" +
            until(host.blocked_until, facts.now) + ")";
  } else if (host.last_request_at) {
    text += ": last request " + ago(host.last_request_at, facts.now);
  } else {
    text += ": no request yet";
  }
  if (host.requests > 0) {
    text += fmt::format("; {}, {} failed", count_of(host.requests, "request"), host.errors);
  }
  return text + ". All pages of a host share its delay and connections.";
}

std::string last_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  if (!progress.last_polled_at) return "never polled.";
  std::string text = ago(progress.last_polled_at, facts.now);
  if (progress.last_status != 0) text += fmt::format(", HTTP {}", progress.last_status);
  if (!progress.content_hash.empty()) {
    text += ", " + format_bytes(static_cast<std::uint64_t>(progress.body_bytes));
  }
  return text + "; last change " + ago(progress.last_changed_at, facts.now) + ".";
}

std::string copy_text(const PageFacts& facts) {
  const Outlook outlook = outlook_of(facts.page, facts.now);
  if (!outlook.outdated) return "no forecast yet: too little has been seen of the page.";
  std::string text = "probably outdated now: " + outdated_text(outlook);
  if (outlook.next_change) {
    text += "; next change expected: " + next_change_text(outlook, facts.now) + " (" +
            format_time(*outlook.next_change) + ")";
  }
  return text +
         (facts.page.progress.outdated_after.empty()
              ? ", by its change rate."
              : ", by its age: how long it has lived unchanged, and how long it usually does.");
}

std::string next_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  if (facts.page.state != "active") return "none.";
  std::string text = progress.next_due_at ? "about " + format_time(*progress.next_due_at) + " (" +
                                                until(progress.next_due_at, facts.now) + ")"
                                          : "as soon as its turn comes";
  if (!facts.health.running)
    text += "; but no daemon is running, this is what the last one planned";
  return text + ".";
}

}  // namespace

std::vector<Reason> explanation_of(const PageFacts& facts) {
  std::vector<Reason> reasons = {{"share", share_text(facts)},
                                 {"change rate", rate_text(facts.page, facts.meta)},
                                 {"importance", importance_text(facts.page, facts.meta)}};
  if (facts.page.state == "active") {
    reasons.push_back({"limits", limits_text(facts)});
    reasons.push_back({"back-off", back_off_text(facts)});
    reasons.push_back({"host", host_text(facts)});
    for (Reason& reason : politeness_of(facts)) reasons.push_back(std::move(reason));
    reasons.push_back({"copy", copy_text(facts)});
  }
  reasons.push_back({"last poll", last_text(facts)});
  reasons.push_back({"next poll", next_text(facts)});
  return reasons;
}

}  // namespace pollux::cli
