#include "pollux/lab/advice.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/status.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"
#include "web/page_tree.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr double day_seconds = 86400;
// What another budget would bring is computed of so many pages; of more, of every n-th.
constexpr std::size_t most_weighed = 20'000;

// Changes per second that polls find of pages, each polled `polls(row)` times per second.
template <typename Polls>
double found_by(const PageColumns& pages, Polls polls) {
  double found = 0;
  for (PageColumns::Row row = 0; row < pages.size(); ++row) {
    const double rate = pages.rate(row) / day_seconds, x = polls(row);
    if (pages.active(row) && rate > 0 && x > 0) found += x * -std::expm1(-rate / x);
  }
  return found;
}

// Active pages by rate, as many as differ by more than a hundredth: what uniform polling finds is
// asked for every hour of a week.
class RateGroups {
 public:
  explicit RateGroups(const PageColumns& pages) {
    std::map<std::uint32_t, Group> groups;
    for (PageColumns::Row row = 0; row < pages.size(); ++row) {
      if (!pages.active(row)) continue;
      active_ += 1;
      const double rate = pages.rate(row) / day_seconds;
      if (!(rate > 0)) continue;
      Group& group = groups[std::bit_cast<std::uint32_t>(static_cast<float>(rate)) >> 16];
      group.sum += rate;
      group.count += 1;
    }
    for (const auto& [bits, group] : groups) groups_.push_back(group);
  }
  // Changes per second.
  double found_uniformly(double polls_per_second) const {
    const double each = active_ > 0 ? polls_per_second / active_ : 0;
    double found = 0;
    if (!(each > 0)) return 0;
    for (const Group& group : groups_)
      found += group.count * each * -std::expm1(-group.sum / group.count / each);
    return found;
  }

 private:
  struct Group {
    double sum = 0, count = 0;
  };
  std::vector<Group> groups_;
  double active_ = 0;
};

// Polls per second at present.
double pace_now(const report::DaemonFigures& figures) {
  const double budget = figures.budget.value_or(0);
  const double made = figures.poll_rate.value_or(0);
  return made > 0 || !std::isfinite(budget) ? made : budget;
}

http::Response overview_answer(const Desk::At& at, std::int64_t hours) {
  const PageColumns& pages = *at.pages;
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  const double pace = pace_now(report::figures_of(*meta));
  const std::int64_t this_hour = at.now.time_since_epoch().count() / 3'600'000;
  const WallTime since{std::chrono::hours(this_hour - hours + 1)};
  const auto found = at.reader.changes_by_hour(since);
  if (!found) return problem(found.error());
  const auto minutes = at.reader.minutes(since);
  if (!minutes) return problem(minutes.error());
  std::map<std::int64_t, std::pair<double, double>> polled;  // polls and seconds of each hour
  for (const store::MinuteRow& minute : *minutes) {
    auto& [polls, seconds] = polled[minute.minute.time_since_epoch().count() / 3'600'000];
    polls += static_cast<double>(minute.polls);
    seconds += minute.seconds;
  }
  const RateGroups rates(pages);
  json::array rows;
  for (std::int64_t hour = this_hour - hours + 1; hour <= this_hour; ++hour) {
    const auto changes = found->find(hour);
    const auto paid = polled.find(hour);
    double uniform = 0;
    if (paid != polled.end() && paid->second.second > 0) {
      const auto [polls, seconds] = paid->second;
      uniform = rates.found_uniformly(polls / seconds) * seconds;
    }
    rows.push_back({{"hour", report::json_time(WallTime(std::chrono::hours(hour)))},
                    {"found", changes == found->end() ? 0 : changes->second},
                    {"uniform", report::json_number(uniform)}});
  }
  json::object health;
  std::map<std::string, std::int64_t> healths;
  std::int64_t count = 0, paused = 0;
  for (PageColumns::Row row = 0; row < pages.size(); ++row) {
    if (!pages.shown(row)) continue;
    ++count;
    if (pages.active(row)) {
      ++healths[pages.health(row)];
    } else {
      ++paused;
    }
  }
  for (const auto& [name, number] : healths) health[name] = number;
  const double expected =
      found_by(pages, [&](PageColumns::Row row) { return pages.planned_share(row) * pace; });
  return json_answer(
      json::object{{"hours", std::move(rows)},
                   {"expected_per_hour", report::json_number(expected * 3600)},
                   {"uniform_per_hour", report::json_number(rates.found_uniformly(pace) * 3600)},
                   {"health", std::move(health)},
                   {"pages", count},
                   {"paused", paused}});
}

http::Response budget_answer(const Desk::At& at, std::int64_t minutes) {
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  const auto rows = at.reader.minutes(at.now - std::chrono::minutes(minutes));
  if (!rows) return problem(rows.error());
  json::array out;
  for (const store::MinuteRow& row : *rows) {
    out.push_back({{"minute", report::json_time(row.minute)},
                   {"requests", row.requests},
                   {"allowed", report::json_number(row.budget * row.seconds)},
                   {"polls", row.polls},
                   {"changes", row.changes},
                   {"errors", row.errors},
                   {"looks", row.looks},
                   {"looks_found", row.looks_found},
                   {"explored", row.explored}});
  }
  std::reverse(out.begin(), out.end());
  return json_answer(json::object{{"budget", report::json_number(report::figures_of(*meta).budget)},
                                  {"minutes", std::move(out)}});
}

struct WhatIf {
  std::optional<double> budget;
  std::string tag;  // whose pages' importance is multiplied
  double factor = 1;
};

// Of pages with a rate. `scale`: how many each stands for.
struct Weighed {
  lab::AdviceList list;
  double scale = 1;
};

Weighed weighed_pages(const PageColumns& pages, const report::DaemonFigures& figures,
                      const WhatIf& wish) {
  std::size_t rated = 0;
  for (PageColumns::Row row = 0; row < pages.size(); ++row)
    rated += pages.active(row) && pages.rate(row) > 0 ? 1 : 0;
  const std::size_t step = rated / most_weighed + 1;
  Weighed weighed;
  weighed.list.explore = figures.explore.value_or(0);
  std::size_t seen = 0;
  for (PageColumns::Row row = 0; row < pages.size(); ++row) {
    if (!pages.active(row) || !(pages.rate(row) > 0) || seen++ % step != 0) continue;
    const bool meant = !wish.tag.empty() && pages.has_tag(row, wish.tag);
    weighed.list.pages.push_back(
        {.rate = pages.rate(row) / day_seconds,
         .importance = pages.importance(row) * (meant ? wish.factor : 1),
         .min_interval = static_cast<double>(pages.min_interval_ms(row)) / 1e3,
         .max_interval = static_cast<double>(pages.max_interval_ms(row)) / 1e3});
  }
  if (!weighed.list.pages.empty())
    weighed.scale = static_cast<double>(rated) / static_cast<double>(weighed.list.pages.size());
  return weighed;
}

json::object outlook_json(const Weighed& weighed, double budget) {
  const lab::Outlook outlook = lab::outlook(weighed.list, budget / weighed.scale);
  return {{"budget", report::json_number(budget)},
          {"changes_per_day", report::json_number(outlook.found * weighed.scale * day_seconds)},
          {"share_caught", report::json_number(outlook.share)},
          {"mean_delay_s", report::json_number(outlook.mean_delay)}};
}

http::Response what_if_answer(const Desk::At& at, const WhatIf& wish) {
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  const report::DaemonFigures figures = report::figures_of(*meta);
  const double budget = figures.budget.value_or(0);
  const double now = budget > 0 && std::isfinite(budget) ? budget : figures.poll_rate.value_or(0);
  const Weighed as_it_is = weighed_pages(*at.pages, figures, {});
  if (!(now > 0) || as_it_is.list.pages.empty()) {
    return problem(409, "no rate is known of any page yet: there is nothing to go by",
                   "let the daemon poll for a while");
  }
  const Weighed wanted = weighed_pages(*at.pages, figures, wish);
  json::object out = outlook_json(wanted, wish.budget.value_or(now));
  out["now"] = outlook_json(as_it_is, now);
  json::array curve;
  for (const double factor : {0.0625, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0})
    curve.push_back(outlook_json(wanted, now * factor));
  out["curve"] = std::move(curve);
  return json_answer(out);
}

std::optional<double> positive_number(std::string_view text) {
  double number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = wrong == std::errc{} && end == text.data() + text.size();
  return whole && number > 0 && number <= 1e9 ? std::optional(number) : std::nullopt;
}

WhatIf take_what_if(Query& query) {
  WhatIf wish;
  if (const std::string budget = query.text("budget"); !budget.empty()) {
    wish.budget = positive_number(budget);
    if (!wish.budget) query.note({"'budget' must be polls per second, above 0", ExitCode::usage});
  }
  if (const std::string importance = query.text("importance"); !importance.empty()) {
    const std::size_t colon = importance.rfind(':');
    const auto factor = colon == std::string::npos
                            ? std::nullopt
                            : positive_number(std::string_view(importance).substr(colon + 1));
    if (!factor || colon == 0)
      query.note({"'importance' must be TAG:FACTOR, as in news:2", ExitCode::usage});
    wish.tag = importance.substr(0, colon);
    wish.factor = factor.value_or(1);
  }
  return wish;
}

// 0: all pages have the same share; towards 1: few have all of it.
double gini_of(const PageColumns& pages) {
  std::vector<double> shares;
  for (PageColumns::Row row = 0; row < pages.size(); ++row) {
    if (pages.active(row)) shares.push_back(pages.share(row));
  }
  std::ranges::sort(shares);
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    weighted += static_cast<double>(i + 1) * shares[i];
  }
  const auto n = static_cast<double>(shares.size());
  return sum > 0 ? 2 * weighted / (n * sum) - (n + 1) / n : 0;
}

http::Response policy_answer(const Desk::At& at) {
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  const report::DaemonFigures figures = report::figures_of(*meta);
  const double pace = pace_now(figures);
  const double found = found_by(
      *at.pages, [&](PageColumns::Row row) { return at.pages->planned_share(row) * pace; });
  const Weighed weighed = weighed_pages(*at.pages, figures, {});
  json::value ratio = nullptr;
  if (pace > 0 && !weighed.list.pages.empty()) {
    const double best = lab::outlook(weighed.list, pace / weighed.scale).found * weighed.scale;
    if (best > 0) ratio = report::json_number(found / best);
  }
  return json_answer(
      json::object{{"policy", report::json_text_or_null(figures.policy)},
                   {"objective", report::json_text_or_null(figures.objective)},
                   {"explore", report::json_number(figures.explore)},
                   {"follow", report::json_number(figures.follow)},
                   {"expected_changes_per_poll",
                    pace > 0 ? report::json_number(found / pace) : json::value(nullptr)},
                   {"ratio_to_optimum", std::move(ratio)},
                   {"gini", report::json_number(gini_of(*at.pages))}});
}

}  // namespace

void get_tree(Call call) {
  const std::string by = call.query.text("by");
  TreeWish wish{.prefix = call.query.text("prefix"), .by_tag = by == "tag"};
  wish.depth = static_cast<int>(call.query.whole("depth", 1, 2));
  (void)call.query.text("colour");  // the page's own: every answer has all that could be shown
  if (!by.empty() && by != "host" && by != "tag")
    call.query.note({"'by' must be host or tag", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::columns, call.responder, [wish](const Desk::At& at) {
    return json_answer(page_tree_json(*at.pages, wish, at.now));
  });
}

void get_overview(Call call) {
  const std::int64_t hours = std::max<std::int64_t>(call.query.whole("hours", 24, 168), 1);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::columns, call.responder,
                        [hours](const Desk::At& at) { return overview_answer(at, hours); });
}

void get_budget(Call call) {
  const std::int64_t minutes = std::max<std::int64_t>(call.query.whole("minutes", 60, 10'080), 1);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [minutes](const Desk::At& at) { return budget_answer(at, minutes); });
}

void get_what_if(Call call) {
  const WhatIf wish = take_what_if(call.query);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::columns, call.responder,
                        [wish](const Desk::At& at) { return what_if_answer(at, wish); });
}

void get_policy(Call call) {
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::columns, call.responder, &policy_answer);
}

}  // namespace pollux::web
