// The list of pages as a table: the columns of `page` that have a title, and what follows from
// them.
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/page.hpp"
#include "pollux/report/text.hpp"
#include "report/page_fields.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

struct Subject {
  const store::PageRow& page;
  Pace pace;
  Measured measured;
  Outlook outlook;
  WallTime now;
};

struct Shown {
  Column column;
  std::function<Cell(const Subject&)> cell;
};

// From left to right. A column that is not named here stands between the two.
constexpr std::string_view first_titles[] = {"SHARE",       "GOT",       "EVERY",    "LATELY",
                                             "CHANGES/DAY", "POLLS",     "CHANGES",  "ERRORS",
                                             "LAST CHANGE", "NEXT POLL", "OUTDATED", "NEXT CHANGE"};
constexpr std::string_view last_titles[] = {"HEALTH", "HEALTH REASON", "STATUS",
                                            "TAGS",   "NAME",          "URL"};

// The most telling first; where room is short, those at the end are left out before the others, and
// a column that is not named here before all of them. The URL stays.
constexpr std::string_view by_weight[] = {
    "URL",    "HEALTH", "NAME", "SHARE",       "CHANGES",       "LAST CHANGE",
    "STATUS", "EVERY",  "GOT",  "LATELY",      "HEALTH REASON", "NEXT POLL",
    "ERRORS", "POLLS",  "TAGS", "CHANGES/DAY", "OUTDATED",      "NEXT CHANGE"};

// Texts of some length, which most pages have none of.
Fit fit_of(std::string_view title, store::Format format) {
  if (format == store::Format::url) return Fit::shortened;
  if (title == "HEALTH REASON") return Fit::cut;
  return title == "NAME" || title == "TAGS" ? Fit::capped : Fit::whole;
}
Show show_of(std::string_view title) {
  const bool rare = title == "HEALTH REASON" || title == "NAME" || title == "TAGS";
  return rare ? Show::if_any : Show::always;
}

int rank_of(const std::string& title) {
  return static_cast<int>(std::find(std::begin(by_weight), std::end(by_weight), title) -
                          std::begin(by_weight));
}

std::size_t place_of(const Shown& shown) {
  const auto in = [&](const auto& titles) {
    const auto found = std::find(std::begin(titles), std::end(titles), shown.column.title);
    return static_cast<std::size_t>(found - std::begin(titles));
  };
  if (const std::size_t last = in(last_titles); last < std::size(last_titles)) {
    return std::size(first_titles) + 1 + last;
  }
  return in(first_titles);
}

std::string time_text(const std::optional<WallTime>& time, store::Format format,
                      const Subject& subject) {
  if (format == store::Format::ago) return ago(time, subject.now);
  if (format == store::Format::until) {
    // What is not polled has no next time for anything.
    return subject.page.state == "active" ? until(time, subject.now) : unknown;
  }
  return time ? format_time(*time) : unknown;
}

std::string share_text(const std::optional<double>& share) {
  return share ? percent_text(*share) : unknown;
}

template <typename Part, typename Value>
std::string text_of(const store::PageColumn<Part, Value>& column, const Subject& subject) {
  const Value& told = column.in(subject.page);
  const store::Format format = column.traits.format;
  if constexpr (std::is_convertible_v<Value, std::optional<WallTime>>) {
    return time_text(told, format, subject);
  } else {
    if (column.unknown_in(column.part_of(subject.page))) return unknown;
    if constexpr (std::is_same_v<Value, std::string>) {
      if (format == store::Format::tags) return tags_text(told);
      if (told.empty()) return unknown;
      return format == store::Format::url ? printable_url(told) : told;
    } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
      return number_text(*told);
    } else if constexpr (std::is_same_v<Value, double>) {
      return number_text(told);
    } else {
      return fmt::format("{}", static_cast<std::int64_t>(told));
    }
  }
}

template <typename Part, typename Value>
Shown shown(const store::PageColumn<Part, Value>& column) {
  constexpr bool words =
      std::is_same_v<Value, std::string> || std::is_convertible_v<Value, std::optional<WallTime>>;
  return {{column.traits.title, words ? Align::left : Align::right,
           fit_of(column.traits.title, column.traits.format), 0, show_of(column.traits.title)},
          [column](const Subject& subject) {
            return Cell(text_of(column, subject), json_of(column, subject.page));
          }};
}

std::vector<Shown> all_shown() {
  std::vector<Shown> all{
      // What is planned, and what was measured.
      {{"SHARE", Align::right},
       [](const Subject& subject) {
         const bool active = subject.page.state == "active";
         return Cell(active ? share_text(subject.pace.share) : percent_text(0),
                     json_number(subject.pace.share));
       }},
      {{"GOT", Align::right},
       [](const Subject& subject) {
         return Cell(share_text(subject.measured.share), json_number(subject.measured.share));
       }},
      {{"EVERY", Align::right},
       [](const Subject& subject) {
         const std::optional<double>& every = subject.pace.seconds;
         return Cell(seconds_text(every), json_number(every));
       }},
      {{"LATELY", Align::right},
       [](const Subject& subject) {
         const std::optional<double>& every = subject.measured.seconds;
         return Cell(seconds_text(every), json_number(every));
       }},
      {{"CHANGES/DAY", Align::right},
       [](const Subject& subject) {
         const ChangeRate rate = change_rate_of(subject.page, subject.pace, subject.measured);
         const bool known = rate.known != ChangeRate::Known::no;
         return Cell(change_rate_text(rate),
                     json_number(known ? std::optional(rate.per_day) : std::nullopt));
       }},
      {{"OUTDATED", Align::right},
       [](const Subject& subject) {
         return Cell(outdated_text(subject.outlook), json_number(subject.outlook.outdated));
       }},
      {{"NEXT CHANGE"},
       [](const Subject& subject) {
         return Cell(next_change_text(subject.outlook, subject.now),
                     json_time(subject.outlook.next_change));
       }},
      {{"STATUS", Align::left, Fit::capped},
       [](const Subject& subject) { return Cell(status_text(subject.page)); }}};
  store::for_each_page_column([&](const auto& column) {
    if (*column.traits.title != '\0') all.push_back(shown(column));
  });
  std::stable_sort(all.begin(), all.end(), [](const Shown& left, const Shown& right) {
    return place_of(left) < place_of(right);
  });
  return all;
}

}  // namespace

Table pages_table(const std::vector<store::PageRow>& pages, const DaemonFigures& figures,
                  WallTime now, const store::HostLoads& loads) {
  const std::vector<Shown> all = all_shown();
  Table table;
  for (const Shown& one : all) {
    table.columns.push_back(one.column);
    table.columns.back().rank = rank_of(one.column.title);
  }
  for (const store::PageRow& page : pages) {
    const Subject subject{page, pace_of(page, figures, loads), measured_of(page, figures, now),
                          outlook_of(page, now), now};
    std::vector<Cell> cells;
    cells.reserve(all.size());
    for (const Shown& one : all) cells.push_back(one.cell(subject));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace pollux::report
