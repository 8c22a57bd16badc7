// What a watch of changedetection.io says of the content that counts → our rules.
#pragma once

#include "import/collector.hpp"

#include <string>
#include <vector>

namespace pollux::import {

// The lists of a watch, those of its tags and of all watches behind them.
struct WatchRules {
  std::vector<std::string> include_filters, subtractive_selectors;
  std::vector<std::string> ignore_text, extract_text;
  std::vector<std::string> trigger_text, text_should_not_be_present;
  bool sort_text = false, remove_duplicate_lines = false;
  bool source = false;  // "source:" before the URL: markup counts, not text
};

extract::Rules rules_of_watch(const WatchRules& watch, const Place& place, Collector& out);

}  // namespace pollux::import
