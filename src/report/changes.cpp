#include "pollux/report/changes.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <boost/json/object.hpp>

namespace pollux::report {

Table changes_table(const std::vector<store::ChangeView>& changes, WallTime now) {
  Table table{{{"FOUND AT"},
               {"AGO", Align::right, Fit::whole, 3},
               {"AT MOST OLD", Align::right, Fit::whole, 1},
               {"SIZE", Align::right, Fit::whole, 2},
               {"PAGE", Align::left, Fit::shortened},
               {"WHAT", Align::left, Fit::cut},
               {"NAME", Align::left, Fit::whole, 0, Show::asked},
               {"URL", Align::left, Fit::shortened, 0, Show::asked},
               {"TAGS", Align::left, Fit::whole, 0, Show::asked},
               {"ID", Align::right, Fit::whole, 0, Show::asked},
               {"READ", Align::right, Fit::whole, 0, Show::asked}},
              {}};
  for (const store::ChangeView& change : changes) {
    const store::ChangeRow& row = change.row;
    const auto window = row.found_at - row.previous_poll_at;
    const std::string url = printable_url(change.url);
    table.rows.push_back(
        {Cell(time_text(row.found_at), json_time(row.found_at)),
         {ago(row.found_at, now), json_time(row.found_at)},
         {format_duration(window), to_seconds(window)},
         {format_bytes(static_cast<std::uint64_t>(row.body_bytes)), row.body_bytes},
         change.name.empty() ? url : change.name,
         row.summary.empty() ? unknown : printable(extract::readable(row.summary)),
         change.name.empty() ? unknown : change.name,
         url,
         tags_text(change.tags),
         {std::to_string(change.id), change.id},
         {change.read_at ? ago(change.read_at, now) : unknown, json_time(change.read_at)}});
  }
  return table;
}

namespace {

boost::json::value number_or_null(const std::optional<std::int64_t>& number) {
  return number ? boost::json::value(*number) : boost::json::value(nullptr);
}

}  // namespace

boost::json::object change_json(const store::ChangeView& change) {
  return {{"id", change.id},
          {"url", change.url},
          {"name", json_text_or_null(change.name)},
          {"tags", json_tags(change.tags)},
          {"page_id", value(change.row.page)},
          {"found_at", json_time(change.row.found_at)},
          {"previous_poll_at", json_time(change.row.previous_poll_at)},
          {"old_hash", json_text_or_null(change.row.old_hash)},
          {"new_hash", json_text_or_null(change.row.new_hash)},
          {"body_bytes", change.row.body_bytes},
          {"status", change.row.status},
          {"words_added", number_or_null(change.row.words_added)},
          {"words_removed", number_or_null(change.row.words_removed)},
          {"summary", json_text_or_null(extract::readable(change.row.summary))},
          {"read_at", json_time(change.read_at)}};
}

boost::json::array changes_json(const std::vector<store::ChangeView>& changes) {
  boost::json::array all;
  for (const store::ChangeView& change : changes) all.push_back(change_json(change));
  return all;
}

}  // namespace pollux::report
