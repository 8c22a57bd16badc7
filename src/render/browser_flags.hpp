// How the browser is called.
#pragma once

#include <string>
#include <vector>

namespace pollux::render {

// `profile`: its folder.
std::vector<std::string> browser_command(const std::string& program, const std::string& profile);

}  // namespace pollux::render
