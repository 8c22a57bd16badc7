// Where the lines of a YAML file start in the wrong column. YAML's own complaints name what the
// parser stumbled over, often another line; asked only once something is wrong. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::config {

struct Misplaced {
  std::uint32_t line;   // from 1
  std::string message;  // which column it starts in, and where it should
};

// The first line that starts where nothing can. Lines inside brackets, quotes and block texts may
// start anywhere.
std::optional<Misplaced> find_misplaced_line(std::string_view text);

}  // namespace pollux::config
