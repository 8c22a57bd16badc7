// Whether a document with this doctype is in quirks mode, as HTML's "initial" insertion mode says.
#pragma once

#include <string_view>

namespace pollux::extract {

// What is missing is empty.
bool is_quirky(std::string_view name, std::string_view public_id, std::string_view system_id);

}  // namespace pollux::extract
