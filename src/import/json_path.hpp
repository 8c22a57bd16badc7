// JSONPath, as far as people write it to pick values, as a filter for jq. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pollux::import {

// Nothing is found where a name is missing. nullopt: it has filters, unions or slices, or is none.
std::optional<std::string> jq_of_json_path(std::string_view path);

}  // namespace pollux::import
