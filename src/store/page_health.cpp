#include "store/page_health.hpp"

#include <algorithm>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

constexpr std::int64_t most_seconds = 253'402'300'800;  // the year 10000

bool is_time(const std::optional<WallTime>& time) {
  if (!time) return true;
  const std::int64_t ms = time->time_since_epoch().count();
  return ms >= 0 && ms < most_seconds * 1000;
}

bool is_hash(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// They travel in requests: nothing that would end a line.
bool is_one_line(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

const char* flaw_of_progress(const PageProgress& p) {
  if (p.polls < 0 || p.changes < 0 || p.errors < 0 || p.error_streak < 0 || p.body_bytes < 0)
    return "a count is negative";
  if (p.last_status < 0 || p.last_status > 999) return "its status is none of HTTP";
  for (const auto& time : {p.last_polled_at, p.last_confirmed_at, p.last_changed_at, p.retry_at,
                           p.fresh_until, p.last_full_at, p.measured_since}) {
    if (!is_time(time)) return "a time is not in the calendar";
  }
  if (!p.content_hash.empty() && !is_hash(p.content_hash)) return "its hash is none";
  if (!p.body_hash.empty() && !is_hash(p.body_hash)) return "its hash is none";
  if (!is_one_line(p.etag) || !is_one_line(p.last_modified) || !is_one_line(p.moved_to) ||
      !is_one_line(p.final_url))
    return "a header holds control characters";
  return "";
}

const char* flaw_of_row(const PageRow& page) {
  if (value(page.id) <= 0) return "its id is not positive";
  if (page.spec.url.find("://") == std::string::npos || !is_one_line(page.spec.url))
    return "its URL is none";
  if (page.spec.host.empty() || !is_one_line(page.spec.host)) return "it has no host";
  if (page.state != "active" && page.state != "paused" && page.state != "removed") return no_state;
  return flaw_of_progress(page.progress);
}

}  // namespace

std::string flaw_of(const PageRow& page) {
  const std::string_view flaw = flaw_of_row(page);
  return flaw.empty() ? std::string() : fmt::format("page {}: {}", value(page.id), flaw);
}

}  // namespace pollux::store
