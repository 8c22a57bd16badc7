#include "pollux/report/brains.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

namespace json = boost::json;

std::string text_at(const json::object& from, const char* name) {
  const json::value* found = from.if_contains(name);
  return found && found->is_string() ? printable(found->get_string().c_str(), 200) : "";
}

double number_at(const json::object& from, const char* name) {
  const json::value* found = from.if_contains(name);
  boost::system::error_code error;
  const double number = found ? found->to_number<double>(error) : 0;
  return error ? 0 : number;
}

std::int64_t count_at(const json::object& from, const char* name) {
  const json::value* found = from.if_contains(name);
  boost::system::error_code error;
  const auto count = found ? found->to_number<std::int64_t>(error) : 0;
  return error ? 0 : count;
}

BrainUse brain_of(const json::object& row, double older) {
  return {.name = text_at(row, "name"),
          .pages = count_at(row, "pages"),
          .hosts = count_at(row, "hosts"),
          .budget = number_at(row, "budget"),
          .poll_rate = number_at(row, "poll_rate"),
          .requests = count_at(row, "requests"),
          .changes = count_at(row, "changes"),
          .errors = count_at(row, "errors"),
          .seconds_ago = number_at(row, "seconds_ago") + older};
}

Cell whole_cell(std::int64_t count) {
  return {std::to_string(count), count};
}

Cell rate_cell(double rate) {
  return {rate > 0 ? format_rate(rate) : "-", json_number(rate)};
}

std::vector<Cell> cells_of(const BrainUse& brain) {
  return {brain.name,
          whole_cell(brain.pages),
          whole_cell(brain.hosts),
          rate_cell(brain.budget),
          rate_cell(brain.poll_rate),
          whole_cell(brain.requests),
          whole_cell(brain.changes),
          whole_cell(brain.errors),
          Cell(format_duration(from_seconds(brain.seconds_ago)) + " ago",
               json_number(brain.seconds_ago))};
}

json::object object_of(const BrainUse& brain) {
  return {{"name", brain.name},
          {"pages", brain.pages},
          {"hosts", brain.hosts},
          {"budget", json_number(brain.budget)},
          {"poll_rate", json_number(brain.poll_rate)},
          {"requests", brain.requests},
          {"changes", brain.changes},
          {"errors", brain.errors},
          {"seconds_ago", json_number(brain.seconds_ago)}};
}

}  // namespace

BrainUse BrainsOverview::all() const {
  BrainUse sum{.name = "all"};
  for (const BrainUse& brain : brains) {
    sum.pages += brain.pages;
    sum.hosts += brain.hosts;
    sum.budget += brain.budget;
    sum.poll_rate += brain.poll_rate;
    sum.requests += brain.requests;
    sum.changes += brain.changes;
    sum.errors += brain.errors;
    sum.seconds_ago = std::max(sum.seconds_ago, brain.seconds_ago);
  }
  return sum;
}

std::optional<BrainsOverview> brains_of(std::string_view text, WallTime now) {
  boost::system::error_code error;
  const json::value read = json::parse({text.data(), text.size()}, error);
  if (error || !read.is_object()) return std::nullopt;
  const json::object& from = read.get_object();
  const json::value* rows = from.if_contains("brains");
  if (!rows || !rows->is_array()) return std::nullopt;
  BrainsOverview overview{.self = text_at(from, "self"),
                          .allocator = text_at(from, "allocator"),
                          .trouble = text_at(from, "trouble"),
                          .brains = {}};
  const std::int64_t written = count_at(from, "written_at");
  const double older =
      std::max(0.0, static_cast<double>(now.time_since_epoch().count() - written) / 1e3);
  for (const json::value& row : rows->get_array()) {
    if (row.is_object()) overview.brains.push_back(brain_of(row.get_object(), older));
  }
  return overview;
}

std::string brains_text(const BrainsOverview& overview) {
  std::string text = overview.allocator.empty()
                         ? "Nobody is known to divide the budget."
                         : fmt::format("{} divides the budget.", overview.allocator);
  if (!overview.trouble.empty()) text += fmt::format("\n{}: {}", overview.self, overview.trouble);
  return text;
}

Table brains_table(const BrainsOverview& overview) {
  Table table{{{"BRAIN"},
               {"PAGES", Align::right},
               {"HOSTS", Align::right},
               {"BUDGET", Align::right},
               {"POLLS", Align::right},
               {"REQUESTS", Align::right},
               {"CHANGES", Align::right},
               {"ERRORS", Align::right},
               {"HEARD OF", Align::right}},
              {}};
  for (const BrainUse& brain : overview.brains) table.rows.push_back(cells_of(brain));
  table.rows.push_back(cells_of(overview.all()));
  return table;
}

boost::json::object brains_json(const BrainsOverview& overview) {
  json::array brains;
  for (const BrainUse& brain : overview.brains) brains.push_back(object_of(brain));
  return {{"self", json_text_or_null(overview.self)},
          {"allocator", json_text_or_null(overview.allocator)},
          {"trouble", json_text_or_null(overview.trouble)},
          {"brains", std::move(brains)},
          {"all", object_of(overview.all())}};
}

}  // namespace pollux::report
