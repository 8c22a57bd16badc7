#include "pollux/report/deliveries.hpp"

#include "pollux/base/text.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <boost/json/object.hpp>

namespace pollux::report {

Table deliveries_table(const std::vector<store::DeliveryView>& deliveries, WallTime now) {
  Table table{{{"ID", Align::right},
               {"RULE"},
               {"EVENT"},
               {"AGO", Align::right, Fit::whole, 1},
               {"PAGE", Align::left, Fit::shortened, 2},
               {"ATTEMPTS", Align::right, Fit::whole, 3},
               {"NEXT", Align::left, Fit::whole, 0, Show::if_any},
               {"ERROR", Align::left, Fit::cut, 0, Show::if_any}},
              {}};
  for (const store::DeliveryView& row : deliveries) {
    const std::string page = row.name.empty() ? printable_url(row.url) : row.name;
    table.rows.push_back(
        {Cell(std::to_string(row.id), row.id),
         row.rule,
         row.event,
         {ago(row.at, now), json_time(row.at)},
         page.empty() ? printable(row.summary) : page,
         {std::to_string(row.attempts), row.attempts},
         row.next_attempt_at ? Cell(until(row.next_attempt_at, now), json_time(row.next_attempt_at))
                             : Cell("", nullptr),
         printable(row.last_error)});
  }
  return table;
}

boost::json::array deliveries_json(const std::vector<store::DeliveryView>& deliveries) {
  boost::json::array all;
  for (const store::DeliveryView& row : deliveries) {
    all.push_back({{"id", row.id},
                   {"message", row.message},
                   {"rule", row.rule},
                   {"state", row.state},
                   {"event", row.event},
                   {"at", json_time(row.at)},
                   {"name", json_text_or_null(row.name)},
                   {"url", json_text_or_null(row.url)},
                   {"summary", json_text_or_null(row.summary)},
                   {"attempts", row.attempts},
                   {"first_attempt_at", json_time(row.first_attempt_at)},
                   {"next_attempt_at", json_time(row.next_attempt_at)},
                   {"last_error", json_text_or_null(row.last_error)}});
  }
  return all;
}

}  // namespace pollux::report
