#include "pollux/report/explanation.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/conditions.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/masks.hpp"
#include "pollux/report/page.hpp"
#include "report/health_text.hpp"
#include "report/learner_text.hpp"
#include "report/politeness_text.hpp"
#include "report/validators_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

std::string share_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  if (facts.page.state == "removed") {
    return "none: the page is no longer listed. Its history is kept; listed again, it goes on "
           "where it stopped.";
  }
  if (facts.page.state == "paused") return "none: the page is paused.";
  if (!(progress.share > 0)) return "not known yet: the daemon has not polled the page so far.";
  const Pace pace = pace_of(facts.page, facts.figures, facts.loads);
  const Measured measured = measured_of(facts.page, facts.figures, facts.now);
  std::string text = percent_text(pace.share.value_or(progress.share)) + " of the budget";
  if (facts.figures.budget) text += " of " + format_rate(*facts.figures.budget);
  if (pace.seconds) text += ", that is a poll every " + seconds_text(pace.seconds);
  if (measured.seconds) {
    text += " as planned; measured over " + seconds_text(measured.covered) + ": ";
    if (measured.share) text += percent_text(*measured.share) + ", ";
    text += "a poll every " + seconds_text(measured.seconds);
  }
  if (pace.binding != Pace::Limit::none)
    text += fmt::format(". The learner gives it {}; limits make that another part of the polls",
                        percent_text(progress.share));
  text += fmt::format(". Rank {} of {}", facts.rank.position, count_of(facts.rank.active, "page"));
  const double ratio = pace.share.value_or(progress.share) * static_cast<double>(facts.rank.active);
  if (ratio > 1.05 || ratio < 0.95) {
    text += fmt::format(", {} times the average page", number_text(ratio));
  } else {
    text += ", like the average page";
  }
  return text + ".";
}

std::string limits_text(const PageFacts& facts) {
  const store::PageSpec& spec = facts.page.spec;
  const std::string least = format_duration(std::chrono::milliseconds(spec.min_interval_ms));
  const std::string most = format_duration(std::chrono::milliseconds(spec.max_interval_ms));
  const Pace pace = pace_of(facts.page, facts.figures, facts.loads);
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
    case Pace::Limit::host:
      text = fmt::format(
          "the pause of its host binds: its share would pay for a poll every {}, but all pages of "
          "{} have to wait for each other.",
          seconds_text(pace.wanted), facts.page.spec.host);
      break;
    case Pace::Limit::back_off:
      text = fmt::format("its back-off binds: its share would pay for a poll every {}.",
                         seconds_text(pace.wanted));
      break;
    case Pace::Limit::none:
      text = fmt::format("min_interval {} and max_interval {} {}.", least, most,
                         pace.wanted ? "do not bind" : "are set");
  }
  if (const auto& stretch = facts.figures.max_interval_stretch; stretch && *stretch > 1.01) {
    text += fmt::format(
        " The budget cannot pay for every max_interval: all are stretched {} "
        "times.",
        number_text(*stretch));
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
    if (progress.last_error.starts_with("render:"))
      return "not polled now, and that is no failure: " + progress.last_error + ".";
    return progress.errors == 0 ? "none: no poll has failed."
                                : fmt::format("none now; {} of {} failed so far.", progress.errors,
                                              count_of(progress.polls, "poll"));
  }
  std::string text = fmt::format("{} in a row", count_of(progress.error_streak, "failure"));
  if (!progress.last_error.empty()) text += ", the last one: " + progress.last_error;
  const std::string status = fmt::format("HTTP {}", progress.last_status);
  if (progress.last_status != 0 && progress.last_error.find(status) == std::string::npos) {
    text += " (" + status + ")";
  }
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
    if (!host.blocked_by.empty()) {
      text += ", when " + printable_url(host.blocked_by) +
              " was redirected to it; that binds its own pages for a minute at most";
    }
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

namespace {

// A line for each rule of `content:`.
void add_content(const PageFacts& facts, std::vector<Line>& lines) {
  const std::string& as = facts.page.progress.kept_as;
  if (!as.empty()) lines.push_back({"content", "kept as " + as + "."});
  if (!facts.content) return;
  if (!facts.content->problem.empty()) {
    lines.push_back({"content", "its rules are not known: " + facts.content->problem + "."});
    return;
  }
  if (facts.content->rules.empty()) {
    lines.push_back({"content", "no rule of the configuration speaks of it."});
  }
  for (const ContentRule& rule : facts.content->rules)
    lines.push_back({"content", rule.rule + "   (" + rule.where + ")"});
  for (const extract::Condition& condition : facts.content->conditions)
    lines.push_back({condition.rule, condition_text(condition, Compared::no) + "."});
}

std::string node_text(const store::NodeRow& node) {
  return fmt::format(
      "{}: {} with {:.2f} % of the budget; when a page of one half changed unforeseen, one of the "
      "other had changed, too, with a chance of {:.0f} %.",
      printable_url(node.prefix), count_of(node.pages, "page"), node.share * 100,
      node.affinity * 100);
}

std::string look_text(const PageFacts& facts) {
  const bool last = facts.page.progress.last_polled_at == facts.look->at;
  return fmt::format(
      "{} it was polled out of turn, because {} had changed and nobody had foreseen "
      "it; they have changed together before, or it was tried whether they do.",
      last ? "The last time" : ago(facts.look->at, facts.now), printable_url(facts.look->because));
}

// What was said of it while the daemon ran.
std::string live_text(const store::PageRow& page) {
  std::string text;
  if (page.spec.source == "live")
    text = "No file lists it: it was added while the daemon ran, and `pollux remove` removes it. ";
  if (page.overrides)
    text += fmt::format("Set while the daemon ran: {}; `pollux set {} --reset` drops that. ",
                        json_text(overrides_json(page)), printable_url(page.spec.url));
  if (page.state == "paused" && page.paused_until)
    text += "Paused until " + format_time(*page.paused_until) + ". ";
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::vector<Line> explanation_of(const PageFacts& facts) {
  std::vector<Line> lines = {{"share", share_text(facts)},
                             {"change rate", rate_text(facts)},
                             {"importance", importance_text(facts.page, facts.figures)}};
  if (!facts.page.spec.tags.empty()) lines.push_back({"tags", tags_text(facts.page.spec.tags)});
  if (const std::string set = live_text(facts.page); !set.empty()) lines.push_back({"live", set});
  if (facts.page.state == "active") {
    lines.push_back({"limits", limits_text(facts)});
    lines.push_back({"back-off", back_off_text(facts)});
    lines.push_back({"host", host_text(facts)});
    for (Line& line : politeness_of(facts)) lines.push_back(std::move(line));
    lines.push_back({"asked", validators_text(facts.page.progress, facts.now)});
    lines.push_back({"copy", copy_text(facts)});
  }
  const store::PageProgress& progress = facts.page.progress;
  for (Line& line : health_of_page(progress)) lines.push_back(std::move(line));
  add_content(facts, lines);
  for (const store::MaskView& view : facts.masks) {
    const std::optional<extract::Mask> mask = extract::mask_from_text(view.mask);
    if (!mask) continue;
    lines.push_back({"mask", view.state == "expired"
                                 ? "compared again, since it no longer differs at every look: " +
                                       mask_text(*mask) + "."
                                 : "not compared: " + mask_text(*mask) + "."});
  }
  for (const std::string& line : rule_lines(page_rules(facts.masks, facts.kept)))
    lines.push_back({"mask", "the same as a rule: " + line});
  if (const auto kept = facts.kept.find(facts.page.spec.url); kept != facts.kept.end()) {
    for (const std::string& line : aside_lines(facts.masks, kept->second))
      lines.push_back({"set aside", "differs at every look, and no mask may hide it: " + line});
  }
  for (const store::NodeRow& node : facts.nodes) lines.push_back({"part of", node_text(node)});
  lines.push_back({"last poll", last_text(facts)});
  if (facts.look) lines.push_back({"look", look_text(facts)});
  lines.push_back({"next poll", next_text(facts)});
  return lines;
}

boost::json::object explanation_json(const PageFacts& facts) {
  const Pace pace = pace_of(facts.page, facts.figures, facts.loads);
  boost::json::object out = page_json(facts.page, facts.figures, facts.now, facts.loads);
  out["budget"] = json_number(facts.figures.budget);
  out["rank"] = facts.rank.position;
  out["active_pages"] = facts.rank.active;
  out["binding_limit"] = nullptr;
  if (pace.binding == Pace::Limit::min_interval) out["binding_limit"] = "min_interval";
  if (pace.binding == Pace::Limit::max_interval) out["binding_limit"] = "max_interval";
  if (pace.binding == Pace::Limit::host) out["binding_limit"] = "host";
  if (pace.binding == Pace::Limit::back_off) out["binding_limit"] = "back_off";
  out["host_blocked_until"] = json_time(facts.host.blocked_until);
  out["host_blocked_by"] = nullptr;
  if (!facts.host.blocked_by.empty()) out["host_blocked_by"] = printable_url(facts.host.blocked_by);
  out["host_requests"] = facts.host.requests;
  out["host_errors"] = facts.host.errors;
  add_politeness(facts, out);
  out["daemon_running"] = facts.health.running;
  out["masks"] = masks_json(facts.masks, facts.kept);
  out["looked_at"] = nullptr;
  out["looked_because"] = nullptr;
  if (facts.look) {
    out["looked_at"] = json_time(facts.look->at);
    out["looked_because"] = printable_url(facts.look->because);
  }
  boost::json::array nodes;
  for (const store::NodeRow& node : facts.nodes) {
    nodes.push_back({{"prefix", printable_url(node.prefix)},
                     {"pages", node.pages},
                     {"share", node.share},
                     {"correction", node.value},
                     {"affinity", node.affinity},
                     {"tried", node.tried},
                     {"found", node.found}});
  }
  out["nodes"] = std::move(nodes);
  out["content"] = nullptr;
  if (facts.content && facts.content->problem.empty()) {
    boost::json::array rules;
    for (const ContentRule& rule : facts.content->rules)
      rules.push_back({{"rule", rule.rule}, {"where", rule.where}});
    out["content"] = std::move(rules);
  }
  out["conditions"] = nullptr;
  if (facts.content) out["conditions"] = conditions_json(facts.content->conditions);
  boost::json::array lines;
  for (const Line& line : explanation_of(facts)) {
    lines.push_back({{"topic", line.topic}, {"text", line.text}});
  }
  out["explanation"] = std::move(lines);
  return out;
}

}  // namespace pollux::report
