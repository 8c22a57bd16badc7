// What an HTML document looks like as a whole.
#pragma once

#include "pollux/extract/extract.hpp"
#include "pollux/extract/html_tree.hpp"

#include <string_view>

namespace pollux::extract {

// `utf8` is the source of the tree.
Traits traits_of(const HtmlTree& tree, std::string_view utf8);

}  // namespace pollux::extract
