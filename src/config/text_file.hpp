// Text files as people's editors leave them: UTF-8, with or without BOM, LF or CRLF.
#pragma once

#include "pollux/base/result.hpp"

#include <string>
#include <string_view>

namespace pollux::config {

// The whole file. Fails with missing_input when it cannot be opened, io when reading fails. `what`
// names it in messages: "configuration file".
Result<std::string> read_file(const std::string& path, std::string_view what);

enum class Tabs { allow, refuse_in_indentation };
// Drops the BOM, and refuses what is no text at all, with "FILE:LINE: …" and the given exit code.
Status accept_text(std::string& text, const std::string& file, Tabs tabs, ExitCode code);

}  // namespace pollux::config
