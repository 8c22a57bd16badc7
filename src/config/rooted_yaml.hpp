// A configuration as YAML that means the same in another folder: relative paths become absolute.
#pragma once

#include "pollux/config/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pollux::config {

class RootedYaml {
 public:
  // `folder`: what relative paths are relative to.
  explicit RootedYaml(std::string folder) : folder_(std::move(folder)) {}

  // The value of a key, `keys` being the names from the top (or from a page) down to it; on one
  // line, or as a block that begins behind its colon and ends with a new line.
  std::string flow(const Node& value, std::vector<std::string_view> keys) const;
  std::string block(const Node& value, std::vector<std::string_view> keys) const;

 private:
  std::string scalar(std::string_view text, const std::vector<std::string_view>& keys,
                     bool first_of_list) const;

  std::string folder_;
};

}  // namespace pollux::config
