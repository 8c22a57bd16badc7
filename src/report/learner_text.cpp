#include "report/learner_text.hpp"

#include "pollux/base/units.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/report/page.hpp"
#include "pollux/report/text.hpp"

#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

enum class Estimate { no, yes };

struct Wording {
  std::string_view policy, objective;
  Estimate estimate;         // whether the policy has one of the change rate
  std::string_view effect;   // of the rate, or of what polls find, on the share
  std::string_view counted;  // what importance multiplies; empty: it plays no part
};

constexpr std::string_view automaton =
    "A change found moves the page's automaton towards a larger share, a poll in vain towards a "
    "smaller one.";

constexpr Wording wordings[] = {
    {"htraa", "changes", Estimate::yes, "The more a poll is likely to find, the larger the share.",
     "a change"},
    {"htraa", "freshness", Estimate::yes,
     "The page is polled when that saves most: the faster it changes, the sooner, but one that "
     "changes faster than polls can follow gets fewer (objective freshness: as few copies "
     "out of date as possible).",
     "a copy out of date"},
    {"htraa", "age", Estimate::yes,
     "The page is polled when it has probably been out of date for long: the faster it changes, "
     "the sooner (objective age: as little time out of date as possible).",
     "time out of date"},
    {"greedy-outdated", "", Estimate::yes,
     "The page most probably out of date goes first: the faster it changes, the sooner, even if no "
     "poll can keep up with it.",
     "a copy out of date"},
    {"greedy-age", "", Estimate::yes,
     "The page that has probably been out of date longest goes first: the faster it changes, the "
     "sooner.",
     "time out of date"},
    {"two-step", "", Estimate::yes,
     "The polls of the next two \"days\" (a quarter of a sweep each) are planned together, so that "
     "the fewest copies are out of date.",
     "a copy out of date"},
    {"estimator", "", Estimate::yes, "The share is in proportion to it.", ""},
    {"uniform", "", Estimate::no, "Every page has the same share.", ""},
    {"nutch", "", Estimate::no,
     "A poll that finds a change shortens the interval by a fifth, one in vain lengthens it by two "
     "fifths.",
     ""},
    {"stormcrawler", "", Estimate::no,
     "A poll that finds a change halves the interval, one in vain lengthens it by half.", ""},
    {"htraa-rp", "", Estimate::no, automaton, "a change"},
    {"htraa-ri", "", Estimate::no,
     "A change found moves the page's automata towards a larger share.", "a change"},
    {"htraa-ip", "", Estimate::no,
     "A poll in vain moves the page's automata towards a smaller share.", "a change"},
    {"lakg", "", Estimate::no, automaton, "a change"},
    {"cgla", "", Estimate::no, automaton, "a change"},
    {"fpa", "", Estimate::no,
     "Pages in whose polls changes are found are polled all the time, the others take turns.",
     "a change"},
};

constexpr Wording unknown_policy{"", "", Estimate::yes, "", "a change"};

// Databases of an earlier version name no objective: there was one.
const Wording& wording_of(const DaemonFigures& figures) {
  const std::string_view objective = figures.objective.empty() ? "changes" : figures.objective;
  for (const Wording& wording : wordings) {
    if (wording.policy != figures.policy) continue;
    if (wording.objective.empty() || wording.objective == objective) return wording;
  }
  return unknown_policy;
}

std::string sentence(std::string_view text) {
  return text.empty() ? std::string() : ' ' + std::string(text);
}

// How far the price of a poll moves the importance; empty when it does not.
std::string cost_text(const store::PageProgress& progress, const DaemonFigures& figures) {
  if (figures.cost_by != "time") return {};
  if (!progress.download_ms) return " How long its download takes is not known yet.";
  const learn::CostOptions cost{.by_time = true,
                                .bias_removal = figures.cost_bias_removal.value_or(0)};
  const double ratio = learn::importance_by_cost(1, *progress.download_ms / 1000, cost);
  return fmt::format(
      " Benefit counts per second of download (learner.cost): with {} it weighs {} times as "
      "much as it would at 200 ms.",
      format_duration(from_seconds(*progress.download_ms / 1000)), number_text(ratio));
}

}  // namespace

std::string rate_text(const PageFacts& facts) {
  const store::PageProgress& progress = facts.page.progress;
  const Wording& wording = wording_of(facts.figures);
  const std::string seen = fmt::format("{} found in {}", count_of(progress.changes, "change"),
                                       count_of(progress.polls, "poll"));
  if (!progress.change_rate_per_day) {
    if (progress.polls == 0)
      return "unknown: no poll yet. A new page starts with about an equal share.";
    if (wording.estimate == Estimate::yes) return "no estimate yet: " + seen + ".";
    return fmt::format("{} makes no estimate: {}.{}", wording.policy, seen,
                       sentence(wording.effect));
  }
  const ChangeRate rate =
      change_rate_of(facts.page, pace_of(facts.page, facts.figures, facts.loads),
                     measured_of(facts.page, facts.figures, facts.now));
  const double per_day = rate.per_day;
  if (rate.known == ChangeRate::Known::no) return "no estimate yet: " + seen + ".";
  if (rate.known == ChangeRate::Known::at_most) {
    return fmt::format(
        "below {}: {}, and a page that changes oftener would probably have shown it.{}",
        format_rate(per_day / 86400), seen, sentence(wording.effect));
  }
  if (rate.known == ChangeRate::Known::at_least) {
    return fmt::format(
        "above {}, which is how often it is polled: {}; how many more there are polls "
        "cannot tell.{}",
        format_rate(per_day / 86400), seen, sentence(wording.effect));
  }
  const char* whose = wording.estimate == Estimate::yes ? "" : ", as an earlier policy left it";
  if (!(per_day > 1e-6)) return "practically none: " + seen + ".";
  return fmt::format("about {}, one change every {}{} ({}).{}", format_rate(per_day / 86400),
                     seconds_text(86400 / per_day), whose, seen, sentence(wording.effect));
}

std::string importance_text(const store::PageRow& page, const DaemonFigures& figures) {
  const double importance = page.spec.importance;
  const std::string number = fmt::format("{:.4g}", importance);
  const Wording& wording = wording_of(figures);
  if (wording.counted.empty()) {
    return fmt::format("{}, but {} treats all pages alike.", number, wording.policy);
  }
  std::string text =
      importance == 1
          ? "1, the usual one."
          : fmt::format("{}: {} here counts {} times as much as on a page of importance 1.", number,
                        wording.counted, number);
  return text + cost_text(page.progress, figures);
}

}  // namespace pollux::report
