// Files of programs that people come from. They hold URLs, but are no configuration of ours: the
// message should say what to take out of them rather than complain of unknown keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pollux::config {

// Whose file this is and how its URLs become a list of pages; nullopt: nobody's that is known here.
// `file` is its name, for the command that is proposed.
std::optional<std::string> foreign_file(std::string_view text, std::string_view file);

}  // namespace pollux::config
