// Pages as they are written: their keys and values as YAML that means the same.
#pragma once

#include "pollux/config/document.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::config {

struct WrittenPage {
  std::vector<std::pair<std::string, std::string>> keys = {};  // but for `url`
  std::vector<std::string> left_out = {};                      // headers that look like secrets
};
using WrittenPages = std::unordered_map<std::string, WrittenPage>;  // by normalised URL

std::string quoted_yaml(std::string_view text);
std::string yaml_of(const Node& value);
// The mapping of a page, without secrets that stand in it.
WrittenPage written_page(const Node& mapping);

}  // namespace pollux::config
