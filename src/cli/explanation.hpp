// Why a page has its present share, in words. Pure: facts in, sentences out.
#pragma once

#include "cli/health.hpp"
#include "cli/page_view.hpp"
#include "pollux/store/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pollux::cli {

struct PageFacts {
  store::PageRow page;
  store::HostRow host;
  std::optional<store::RobotsRow> robots;  // nullopt: never asked for
  store::Reader::Rank rank;
  Meta meta;
  Health health;
  WallTime now{};
};

struct Reason {
  std::string topic;  // "share", "change rate" …
  std::string text;   // a sentence or two
};

std::vector<Reason> explanation_of(const PageFacts& facts);

}  // namespace pollux::cli
