// What a daemon does with its budget, and how it fares. Pure.
#pragma once

#include "pollux/report/health.hpp"
#include "pollux/report/text.hpp"
#include "pollux/store/views.hpp"

#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

struct StatusFacts {
  std::string database;  // its file
  store::Summary summary;
  DaemonFigures figures;
  Health health;
  WallTime now{};
};

std::vector<Line> status_of(const StatusFacts& facts);
boost::json::object status_json(const StatusFacts& facts);

}  // namespace pollux::report
