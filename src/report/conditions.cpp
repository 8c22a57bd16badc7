#include "pollux/report/conditions.hpp"

#include "pollux/base/text.hpp"
#include "pollux/report/json.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::report {

std::string condition_text(const extract::Condition& condition, Compared compared) {
  constexpr std::size_t most = 200;
  std::string_view state = "cannot be told", meaning;
  if (compared == Compared::yes) {
    if (condition.holds) state = *condition.holds ? "holds" : "does not hold";
  } else if (condition.holds) {
    state = *condition.holds ? "already true" : "not true now";
    meaning = *condition.holds ? "; fires when it becomes true again after being false"
                               : "; fires when it becomes true";
  }
  return fmt::format("{}: {} ({}){}", printable(condition.wanted, most), state,
                     printable(condition.reason, most), meaning);
}

boost::json::array conditions_json(const std::vector<extract::Condition>& conditions) {
  boost::json::array all;
  for (const extract::Condition& condition : conditions) {
    boost::json::value holds = nullptr, reason = nullptr;
    if (condition.holds) holds = *condition.holds;
    if (!condition.reason.empty()) reason = json_utf8(condition.reason);
    all.push_back({{"rule", condition.rule},
                   {"wanted", json_utf8(condition.wanted)},
                   {"holds", holds},
                   {"reason", reason}});
  }
  return all;
}

}  // namespace pollux::report
