#include "engine/daemon_news.hpp"

#include "pollux/base/units.hpp"
#include "pollux/notify/rules.hpp"

#include <spdlog/spdlog.h>

namespace pollux::engine {

void DaemonNews::tell(const std::string& what, const std::string& key) {
  outbox_.tell(notify::system_notice(lists_.config.notify, what, key, clock_.wall()));
}

void DaemonNews::started(const std::string& repaired) {
  const std::string now = format_time(clock_.wall());
  if (!repaired.empty()) tell(repaired, "repaired " + now);
  if (!lists_.lost_pages.empty()) tell(lists_.lost_pages, "list " + now);
  budget();
}

void DaemonNews::budget() {
  const double stretch = lists_.scheduler->max_interval_stretch();
  if (stretch <= 1) return;
  const std::string what = fmt::format(
      "the budget cannot pay for every max_interval; they are stretched {:.1f} times", stretch);
  spdlog::warn("{}", what);
  tell(what, "budget " + format_time(clock_.wall()).substr(0, 10));
}

void DaemonNews::reload_refused(const std::string& why) {
  tell("reload refused, the old configuration stays in force: " + why,
       "reload " + format_time(clock_.wall()));
}

void DaemonNews::database(const std::string& problem) {
  const bool was_well = std::exchange(database_is_well_, problem.empty());
  if (was_well && !database_is_well_) {
    problem_since_ = clock_.wall();
    notifier_.tell_at_once("the database cannot be written: " + problem);
  } else if (!was_well && database_is_well_) {
    const std::string since = format_time(problem_since_);
    tell("the database can be written again; it could not be since " + since, "database " + since);
  }
}

}  // namespace pollux::engine
