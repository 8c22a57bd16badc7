// What a page's host asks for, and what of it holds the page back, in words. Pure.
#pragma once

#include "pollux/report/explanation.hpp"

#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

// robots.txt, the pause between requests, the cache's word and where the page has moved: those that
// there is something to say of.
std::vector<Line> politeness_of(const PageFacts& facts);

// The same as facts.
void add_politeness(const PageFacts& facts, boost::json::object& out);

}  // namespace pollux::report
