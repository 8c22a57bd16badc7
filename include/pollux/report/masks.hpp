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
// For each mask the pattern that hides the same. Masks near each other have one for them all.
std::vector<std::string> ignore_patterns(const std::vector<store::MaskView>& masks,
                                         const KeptTexts& texts);
// Each of those that are in force once.
std::vector<std::string> patterns_in_force(const std::vector<store::MaskView>& masks,
                                           const KeptTexts& texts);

// A few lines for each page, in the order given: the masks, and one line to be pasted.
std::vector<std::string> masks_text(const std::vector<store::MaskView>& masks,
                                    const KeptTexts& texts, WallTime now);
boost::json::array masks_json(const std::vector<store::MaskView>& masks, const KeptTexts& texts);

}  // namespace pollux::report
