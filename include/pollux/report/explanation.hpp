// Why a page has its present share, in words and as facts. Pure.
#pragma once

#include "pollux/extract/significance.hpp"
#include "pollux/report/health.hpp"
#include "pollux/report/masks.hpp"
#include "pollux/report/text.hpp"
#include "pollux/store/views.hpp"

#include <optional>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

// A rule of `content:` and where it is written.
struct ContentRule {
  std::string rule, where;
};
// What counts as a change on a page, as far as the configuration is at hand.
struct ContentRules {
  std::vector<ContentRule> rules = {};
  std::string problem = {};  // why it cannot be told
  // What those that wait for something say of what was kept last, as far as that is there.
  std::vector<extract::Condition> conditions = {};
};

struct PageFacts {
  store::PageRow page;
  store::HostRow host;
  std::optional<store::RobotsRow> robots;  // nullopt: never asked for
  store::ShareRank rank;
  std::vector<store::MaskView> masks = {};
  KeptTexts kept = {};                       // of this page, where masks are; may be empty
  std::optional<store::LookRow> look = {};   // the last, if ever there was one
  std::vector<store::NodeRow> nodes = {};    // above it in the learner's tree, the largest first
  store::HostLoads loads = {};               // of its host, as far as known
  std::optional<ContentRules> content = {};  // nullopt: there is no configuration at hand
  DaemonFigures figures;
  Health health;
  WallTime now{};
};

// A sentence or two on each: "share", "change rate", "limits" …
std::vector<Line> explanation_of(const PageFacts& facts);

// page_json(), what holds the page back, and the explanation.
boost::json::object explanation_json(const PageFacts& facts);

}  // namespace pollux::report
