// Places of pages that are not compared, because they differ at every look. Pure.
#pragma once

#include "pollux/extract/masks.hpp"
#include "pollux/store/views.hpp"

#include <map>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::report {

// "a number, after “Views:”": what a mask hides, for people.
std::string mask_text(const extract::Mask& mask);
// kind, before, after, and the pattern that hides the same; none: null.
boost::json::object mask_json(const extract::Mask& mask, const std::string& ignore);
// "ignore: ['Views: \\d+']": a line under `content:`.
std::string ignore_line(const std::vector<std::string>& patterns);

// What was kept of pages last, by their URLs: rules are made of it. A page need not be there.
using KeptTexts = std::map<std::string, std::string>;
// The masks of one page as rules.
struct PageRules {
  std::vector<std::string> of_mask;  // for each; empty: none hides the same and nothing else
  std::vector<std::string> all;      // of those in force, each once: what is to be pasted
  bool complete = true;              // they hide all that is masked
};
PageRules page_rules(const std::vector<store::MaskView>& masks, const KeptTexts& texts);
// What is to be pasted, and whether that is all.
std::vector<std::string> rule_lines(const PageRules& rules);

// Places of a page that no mask may hide and that are set aside in what was kept of it last: what
// stands around each, and its rule. None but where it has such places.
std::vector<std::string> aside_lines(const std::vector<store::MaskView>& masks,
                                     std::string_view kept);

// A few lines for each page, in the order given: the masks, and one line to be pasted.
std::vector<std::string> masks_text(const std::vector<store::MaskView>& masks,
                                    const KeptTexts& texts, WallTime now);
boost::json::array masks_json(const std::vector<store::MaskView>& masks, const KeptTexts& texts);

}  // namespace pollux::report
