#include "report/politeness_text.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url_distance.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/page.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

std::string span(std::int64_t milliseconds) {
  return format_duration(std::chrono::milliseconds(milliseconds));
}

std::string read_times(const store::RobotsRow& robots, WallTime now) {
  return fmt::format("read {}, to be read again {}", ago(robots.fetched_at, now),
                     until(robots.check_at, now));
}

std::string robots_text(const PageFacts& facts) {
  const store::RobotsRow& robots = *facts.robots;
  const std::string file = "robots.txt of " + robots.host;
  if (robots.verdict == "allow") {
    std::string why = "was not asked for: " + printable(robots.error);
    if (robots.status != 0) {
      why = fmt::format("is not there (HTTP {})", robots.status);
    } else if (facts.now - robots.unreachable_since.value_or(facts.now) > std::chrono::hours(24)) {
      why = "has not been readable since " + format_time(*robots.unreachable_since);
    }
    return fmt::format("{} {}, so everything is allowed ({}).", file, why,
                       read_times(robots, facts.now));
  }
  if (robots.verdict == "disallow") {
    return fmt::format("{} cannot be read ({}), so nothing of the host is polled; next attempt {}.",
                       file, printable(robots.error), until(robots.check_at, facts.now));
  }
  const bool denied = facts.page.progress.last_error.starts_with("robots:");
  std::string text = denied ? fmt::format("{} disallows the page: it is not polled", file)
                            : fmt::format("{} allows the page", file);
  text += " (" + read_times(robots, facts.now) + ")";
  if (!robots.error.empty()) {
    text +=
        fmt::format(". It cannot be refreshed ({}); the old copy counts", printable(robots.error));
  }
  return text + ".";
}

std::string pause_text(const PageFacts& facts) {
  const store::HostRow& host = facts.host;
  std::string text;
  if (host.delay_ms) text = span(*host.delay_ms) + " between two requests to the host";
  if (host.response_ms) {
    text += fmt::format("{} {} to answer lately", text.empty() ? "The host took" : "; it took",
                        *host.response_ms == 0 ? "less than 1 ms" : span(*host.response_ms));
  }
  if (facts.robots && facts.robots->crawl_delay_ms) {
    text += fmt::format("{} {} between requests (Crawl-delay)",
                        text.empty() ? "robots.txt asks for" : "; robots.txt asks for",
                        span(*facts.robots->crawl_delay_ms));
  }
  return text + ".";
}

}  // namespace

std::vector<Line> politeness_of(const PageFacts& facts) {
  std::vector<Line> lines;
  const store::PageProgress& progress = facts.page.progress;
  if (facts.robots) lines.push_back({"robots", robots_text(facts)});
  const bool crawl_delay = facts.robots && facts.robots->crawl_delay_ms;
  if (facts.host.delay_ms || facts.host.response_ms || crawl_delay) {
    lines.push_back({"pause", pause_text(facts)});
  }
  if (progress.fresh_until && *progress.fresh_until > facts.now) {
    lines.push_back({"cache", fmt::format("respect_cache binds: the server calls its answer fresh, "
                                          "so the page rests until {} ({}).",
                                          format_time(*progress.fresh_until),
                                          until(progress.fresh_until, facts.now))});
  }
  if (!progress.final_url.empty()) {
    const std::string landing = landing_text(facts.page);
    std::string text = count_of(progress.redirects, "redirect") + " away, at ";
    text +=
        landing.empty() ? "another spelling of it: " + printable_url(progress.final_url) : landing;
    if (gateway_of(progress.final_url) != Gateway::none)
      text += ". What is compared is probably not the page that was meant";
    lines.push_back({"answered by", text + "."});
  }
  if (!progress.moved_to.empty()) {
    lines.push_back({"moved", fmt::format("for good, to {}: the list should say so. Each poll "
                                          "costs the redirect, too.",
                                          printable_url(progress.moved_to))});
  }
  return lines;
}

void add_politeness(const PageFacts& facts, boost::json::object& out) {
  out["host_delay_ms"] = json_count(facts.host.delay_ms);
  out["host_response_ms"] = json_count(facts.host.response_ms);
  out["robots"] = nullptr;
  if (!facts.robots) return;
  const store::RobotsRow& row = *facts.robots;
  boost::json::object robots;
  robots["verdict"] = row.verdict;
  robots["fetched_at"] = json_time(row.fetched_at);
  robots["check_at"] = json_time(row.check_at);
  robots["status"] = nullptr;
  if (row.status != 0) robots["status"] = row.status;
  robots["error"] = json_text_or_null(row.error);
  robots["crawl_delay_ms"] = json_count(row.crawl_delay_ms);
  robots["rules"] = json_text_or_null(row.rules);
  out["robots"] = std::move(robots);
}

}  // namespace pollux::report
