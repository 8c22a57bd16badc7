#include "pollux/report/page.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url_distance.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"
#include "report/page_fields.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {

namespace {

// Seconds from the last conclusive poll to each of learn::outdated_levels; empty when unknown.
std::vector<double> outdated_after(const store::PageProgress& progress) {
  std::vector<double> waits;
  if (!progress.outdated_after.empty()) {
    boost::system::error_code problem;
    const boost::json::value list = boost::json::parse(progress.outdated_after, problem);
    if (problem || !list.is_array()) return {};
    for (const boost::json::value& wait : list.as_array()) {
      if (!wait.is_number()) return {};
      waits.push_back(wait.to_number<double>());
    }
    return waits.size() == learn::outdated_levels.size() ? waits : std::vector<double>();
  }
  if (!progress.change_rate_per_day || !(*progress.change_rate_per_day > 0)) return {};
  for (const double level : learn::outdated_levels) {
    waits.push_back(-std::log1p(-level) * 86400 / *progress.change_rate_per_day);
  }
  return waits;
}

// JSON as it is stored; what is none is shown as the text that it is.
boost::json::value parsed_or_text(const std::string& text) {
  boost::system::error_code problem;
  boost::json::value value = boost::json::parse(text, problem);
  return problem ? boost::json::value(text) : value;
}

}  // namespace

std::string page_heading(const store::PageSpec& spec) {
  const std::string url = printable_url(spec.url);
  return spec.name.empty() ? url : printable(spec.name) + " (" + url + ")";
}

Outlook outlook_of(const store::PageRow& page, WallTime now) {
  const store::PageProgress& progress = page.progress;
  const std::vector<double> waits = outdated_after(progress);
  if (page.state != "active" || !progress.last_confirmed_at || waits.empty()) return {};
  const double waited =
      std::max(std::chrono::duration<double>(now - *progress.last_confirmed_at).count(), 0.0);
  Outlook outlook;
  double wait = 0, level = 0;
  for (std::size_t i = 0; i < waits.size() && !outlook.outdated; ++i) {
    const double next = learn::outdated_levels[i];
    if (waited < waits[i]) {
      outlook.outdated = level + (next - level) * (waited - wait) / (waits[i] - wait);
    }
    wait = waits[i];
    level = next;
  }
  if (!outlook.outdated) outlook.outdated = 1 - (1 - level) * wait / waited;
  constexpr double longest_told = 3e9;  // a century
  if (const double median = waits[waits.size() / 2]; median < longest_told) {
    outlook.next_change = *progress.last_confirmed_at +
                          std::chrono::milliseconds(static_cast<std::int64_t>(median * 1000));
  }
  return outlook;
}

std::string outdated_text(const Outlook& outlook) {
  return outlook.outdated ? fmt::format("{:.0f} %", *outlook.outdated * 100) : unknown;
}

std::string next_change_text(const Outlook& outlook, WallTime now) {
  if (!outlook.next_change) return unknown;
  return *outlook.next_change <= now ? "overdue" : until(outlook.next_change, now);
}

std::string status_text(const store::PageRow& page) {
  const store::PageProgress& progress = page.progress;
  if (page.state != "active") return page.state;
  if (progress.error_streak == 0 && !progress.last_error.empty()) return progress.last_error;
  if (!progress.last_polled_at && progress.error_streak == 0) return "new";
  if (progress.error_streak == 0) {
    std::string text = std::to_string(progress.last_status);
    if (!progress.moved_to.empty()) return text + ", moved to " + printable_url(progress.moved_to);
    const std::string landing = landing_text(page);
    return landing.empty() ? text : text + ", redirected to " + landing;
  }
  std::string text = progress.last_error.empty() ? "failed" : progress.last_error;
  if (progress.error_streak > 1) text += " ×" + std::to_string(progress.error_streak);
  return text;
}

std::string landing_text(const store::PageRow& page) {
  const store::PageProgress& progress = page.progress;
  if (progress.final_url.empty() || progress.redirect_distance == name_of(UrlDistance::same_page))
    return {};
  std::string text = "another host";
  if (progress.redirect_distance == name_of(UrlDistance::same_host)) text = "its own host";
  if (progress.redirect_distance == name_of(UrlDistance::same_domain))
    text = "another host of its domain";
  if (const Gateway gateway = gateway_of(progress.final_url); gateway != Gateway::none)
    text += fmt::format(", looks like a {} page", name_of(gateway));
  return text + ": " + printable_url(progress.final_url);
}

boost::json::value overrides_json(const store::PageRow& page) {
  if (!page.overrides) return nullptr;
  const store::OverrideRow& set = *page.overrides;
  boost::json::object out;
  if (set.name) out["name"] = *set.name;
  if (set.tags) out["tags"] = parsed_or_text(set.tags->empty() ? "[]" : *set.tags);
  if (set.importance) out["importance"] = *set.importance;
  if (set.min_interval_ms) out["min_interval_ms"] = *set.min_interval_ms;
  if (set.max_interval_ms) out["max_interval_ms"] = *set.max_interval_ms;
  if (set.content) out["content"] = parsed_or_text(*set.content);
  return out;
}

boost::json::object page_json(const store::PageRow& page, const DaemonFigures& figures,
                              WallTime now, const store::HostLoads& loads) {
  boost::json::object out;
  store::for_each_page_column([&](const auto& column) {
    if (column.traits.json == store::Json::shown) out[column.name] = json_of(column, page);
  });
  out["overrides"] = overrides_json(page);
  const Outlook outlook = outlook_of(page, now);
  out["outdated_probability"] = json_number(outlook.outdated);
  out["next_change_expected_at"] = json_time(outlook.next_change);
  const Pace pace = pace_of(page, figures, loads);
  const Measured measured = measured_of(page, figures, now);
  out["poll_interval_s"] = json_number(pace.seconds);
  out["planned_share"] = json_number(pace.share);
  out["measured_interval_s"] = json_number(measured.seconds);
  out["measured_share"] = json_number(measured.share);
  const ChangeRate rate = change_rate_of(page, pace, measured);
  out["change_rate_per_day"] = nullptr;
  if (rate.known != ChangeRate::Known::no) out["change_rate_per_day"] = json_number(rate.per_day);
  out["change_rate_bound"] = nullptr;
  if (rate.known == ChangeRate::Known::at_most) out["change_rate_bound"] = "upper";
  if (rate.known == ChangeRate::Known::at_least) out["change_rate_bound"] = "lower";
  out["looks_like"] = json_text_or_null(std::string(name_of(gateway_of(page.progress.final_url))));
  return out;
}

}  // namespace pollux::report
