// Which rules of `content:` hold for a page, and where each is written.
#pragma once

#include "config/content_layers.hpp"
#include "pollux/config/config.hpp"

#include <vector>

namespace pollux::config {

// `layers` as they hold for the page: the defaults, some of `rules`, perhaps one of its own.
std::vector<ContentSource> sources_of(const Layers& layers, const std::vector<ContentRule>& rules);

}  // namespace pollux::config
