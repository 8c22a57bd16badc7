// The columns of the table `page`, each declared once: where its value lives in a PageRow, when it
// is NULL, what a poll does to it, and how it is shown. The store makes its statements from this
// list, report its fields of JSON and its table. A new column is a migration, a member in rows.hpp
// and a line here; a test compares the list with the schema.
#pragma once

#include "pollux/store/rows.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace pollux::store {

// What a poll does to a column of PageProgress.
enum class Write {
  replace,
  keep,          // what is unknown leaves what is stored
  while_active,  // a poll that ends while its page is being paused or removed leaves none behind
};
enum class Json { shown, hidden };
// Whether a daemon that starts reads it. What is there for people only it works out anew: with a
// million pages every column costs 40 ms of a start.
enum class KeptFor { daemon, people };
enum class Format { plain, ago, until, url, tags };  // of a cell in the table of pages

struct ColumnTraits {
  Write write = Write::replace;
  bool (*unknown)(const PageProgress&) = nullptr;  // NULL then, besides empty texts and optionals
  Json json = Json::shown;                         // a field of the column's name
  const char* title = "";                          // in the table of pages; empty: not in it
  Format format = Format::plain;
  KeptFor kept_for = KeptFor::daemon;
};

template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;

// `Part` says who sets the column: PageSpec the configuration, PageProgress polls, PageRow the
// store.
template <typename Part, typename Value>
struct PageColumn {
  static constexpr bool of_progress = std::is_same_v<Part, PageProgress>;
  static constexpr bool of_spec = std::is_same_v<Part, PageSpec>;
  static constexpr bool is_text = std::is_same_v<Value, std::string>;

  const char* name;
  Value Part::*member;
  ColumnTraits traits = {};

  template <typename Row>
  static auto& part_of(Row& row) {
    if constexpr (of_progress) {
      return row.progress;
    } else if constexpr (of_spec) {
      return row.spec;
    } else {
      return row;
    }
  }
  const Value& in(const PageRow& row) const { return part_of(row).*member; }
  Value& in(PageRow& row) const { return part_of(row).*member; }

  // Whether nobody knows the value yet.
  bool unknown_in(const Part& part) const {
    if constexpr (of_progress) {
      if (traits.unknown != nullptr) return traits.unknown(part);
      if constexpr (is_text) return (part.*member).empty();
    }
    if constexpr (is_optional<Value>) return !(part.*member).has_value();
    return false;
  }
};
template <typename Part, typename Value>
PageColumn(const char*, Value Part::*) -> PageColumn<Part, Value>;
template <typename Part, typename Value>
PageColumn(const char*, Value Part::*, ColumnTraits) -> PageColumn<Part, Value>;

constexpr bool without_status(const PageProgress& progress) {
  return progress.last_status == 0;
}
inline bool without_content(const PageProgress& progress) {
  return progress.content_hash.empty() && progress.body_hash.empty();
}
constexpr bool without_redirect(const PageProgress& progress) {
  return progress.redirects == 0;
}
inline bool not_measured(const PageProgress& progress) {
  return !progress.measured_since;
}
constexpr bool without_sums(const PageProgress& progress) {
  return !progress.has_sums;
}

inline constexpr ColumnTraits internal{.json = Json::hidden};
inline constexpr ColumnTraits sum{
    .write = Write::keep, .unknown = without_sums, .json = Json::hidden};

// The order is that of the fields in JSON.
inline constexpr std::tuple page_columns{
    PageColumn{"id", &PageRow::id},
    PageColumn{"slot", &PageRow::slot, internal},
    PageColumn{"url", &PageSpec::url, {.title = "URL", .format = Format::url}},
    PageColumn{"host", &PageSpec::host},
    PageColumn{"state", &PageRow::state},
    PageColumn{"importance", &PageSpec::importance},
    PageColumn{"min_interval_ms", &PageSpec::min_interval_ms},
    PageColumn{"max_interval_ms", &PageSpec::max_interval_ms},
    PageColumn{"name", &PageSpec::name, {.title = "NAME"}},
    PageColumn{"tags", &PageSpec::tags, {.title = "TAGS", .format = Format::tags}},
    PageColumn{"source", &PageSpec::source},
    PageColumn{"paused_until", &PageRow::paused_until},
    PageColumn{"added_at", &PageRow::added_at},
    PageColumn{"polls", &PageProgress::polls, {.title = "POLLS"}},
    PageColumn{"changes", &PageProgress::changes, {.title = "CHANGES"}},
    PageColumn{"errors", &PageProgress::errors, {.title = "ERRORS"}},
    PageColumn{"last_polled_at", &PageProgress::last_polled_at},
    PageColumn{"last_confirmed_at", &PageProgress::last_confirmed_at},
    PageColumn{"last_changed_at",
               &PageProgress::last_changed_at,
               {.title = "LAST CHANGE", .format = Format::ago}},
    PageColumn{"last_status", &PageProgress::last_status, {.unknown = without_status}},
    PageColumn{"last_error", &PageProgress::last_error},
    PageColumn{"error_streak", &PageProgress::error_streak},
    PageColumn{"retry_at", &PageProgress::retry_at},
    PageColumn{"content_hash", &PageProgress::content_hash},
    PageColumn{"body_hash", &PageProgress::body_hash},
    PageColumn{"kept_as", &PageProgress::kept_as},
    PageColumn{"rules_mark", &PageProgress::rules_mark, internal},
    PageColumn{"traits", &PageProgress::traits, internal},
    PageColumn{"noise", &PageProgress::noise, internal},
    PageColumn{"health", &PageProgress::health, {.title = "HEALTH"}},
    PageColumn{"health_reason", &PageProgress::health_reason, {.title = "HEALTH REASON"}},
    PageColumn{"etag", &PageProgress::etag},
    PageColumn{"last_modified", &PageProgress::last_modified},
    PageColumn{"last_full_at", &PageProgress::last_full_at},
    PageColumn{"not_modified", &PageProgress::not_modified},
    PageColumn{"distrusted", &PageProgress::distrusted},
    PageColumn{"moved_to", &PageProgress::moved_to},
    PageColumn{"final_url", &PageProgress::final_url},
    PageColumn{"redirects", &PageProgress::redirects, {.unknown = without_redirect}},
    PageColumn{"redirect_distance", &PageProgress::redirect_distance},
    PageColumn{"request_mark", &PageProgress::request_mark, internal},
    PageColumn{"fresh_until", &PageProgress::fresh_until},
    PageColumn{"body_bytes", &PageProgress::body_bytes, {.unknown = without_content}},
    PageColumn{"share", &PageProgress::share, {.write = Write::while_active}},
    PageColumn{"next_due_at",
               &PageProgress::next_due_at,
               {.write = Write::while_active,
                .title = "NEXT POLL",
                .format = Format::until,
                .kept_for = KeptFor::people}},
    PageColumn{"measured_since", &PageProgress::measured_since},
    PageColumn{"measured_polls", &PageProgress::measured_polls, {.unknown = not_measured}},
    PageColumn{"change_rate_per_day",
               &PageProgress::change_rate_per_day,
               {.write = Write::keep, .kept_for = KeptFor::people}},
    PageColumn{"slow_hits", &PageProgress::slow_hits, sum},
    PageColumn{"slow_hit_time", &PageProgress::slow_hit_time, sum},
    PageColumn{"slow_miss_time", &PageProgress::slow_miss_time, sum},
    PageColumn{"fast_hits", &PageProgress::fast_hits, sum},
    PageColumn{"fast_hit_time", &PageProgress::fast_hit_time, sum},
    PageColumn{"fast_miss_time", &PageProgress::fast_miss_time, sum},
    PageColumn{"streak", &PageProgress::streak, internal},
    PageColumn{"position", &PageProgress::position, internal},
    PageColumn{"age_model", &PageProgress::age_model, {.write = Write::keep, .json = Json::hidden}},
    PageColumn{"outdated_after",
               &PageProgress::outdated_after,
               {.json = Json::hidden, .kept_for = KeptFor::people}},
    PageColumn{"download_ms", &PageProgress::download_ms},
};

// Calls `each` with every column, in order.
template <typename Each>
constexpr void for_each_page_column(Each&& each) {
  std::apply([&](const auto&... column) { (each(column), ...); }, page_columns);
}

}  // namespace pollux::store
