#include "pollux/report/history.hpp"

#include "pollux/base/units.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <boost/json/object.hpp>

namespace pollux::report {

Table history_table(const std::vector<Version>& versions, WallTime now) {
  Table table{{{"VERSION", Align::right},
               {"SEEN"},
               {"AGO", Align::right, Fit::whole, 2},
               {"AS", Align::left, Fit::whole, 3},
               {"SIZE", Align::right, Fit::whole, 1},
               {"CHANGE", Align::left, Fit::cut}},
              {}};
  for (const Version& version : versions) {
    table.rows.push_back({{std::to_string(version.number), version.number},
                          {time_text(version.seen_at), json_time(version.seen_at)},
                          {ago(version.seen_at, now), json_time(version.seen_at)},
                          version.as,
                          {format_bytes(static_cast<std::uint64_t>(version.bytes)), version.bytes},
                          version.summary.empty() ? unknown : extract::readable(version.summary)});
  }
  return table;
}

boost::json::array history_json(const std::vector<Version>& versions) {
  boost::json::array all;
  for (const Version& version : versions) {
    all.push_back(
        boost::json::object{{"number", version.number},
                            {"seen_at", json_time(version.seen_at)},
                            {"hash", version.hash},
                            {"as", json_text_or_null(version.as)},
                            {"bytes", version.bytes},
                            {"summary", json_text_or_null(extract::readable(version.summary))}});
  }
  return all;
}

}  // namespace pollux::report
