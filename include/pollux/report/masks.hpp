// Places of pages that are not compared, because they differ at every look. Pure.
#pragma once

#include "pollux/extract/masks.hpp"
#include "pollux/store/views.hpp"

#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::report {

// "a number, after “Views:”": what a mask hides, for people.
std::string mask_text(const extract::Mask& mask);
// kind, before, after, and the pattern that would hide the same.
boost::json::object mask_json(const extract::Mask& mask);
// "ignore: ['Views: \\d+']": a line under `content:`.
std::string ignore_line(const extract::Mask& mask);

// A few lines for each page, in the order given.
std::vector<std::string> masks_text(const std::vector<store::MaskView>& masks, WallTime now);
boost::json::array masks_json(const std::vector<store::MaskView>& masks);

}  // namespace pollux::report
