// What changed in content that has a form: told by paths in JSON, by entries in feeds. Nothing
// where the form is not there, or nothing of it changed; then it is told as a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::diff {

// One sentence part for each difference: "items[3].qty: 82 → 55", "new: TITLE". The caller counts,
// joins and cuts them. At most a few hundred.
std::vector<std::string> told_json(std::string_view old_text, std::string_view new_text);
std::vector<std::string> told_feed(std::string_view old_text, std::string_view new_text);

// White space folded and line breaks shown, as far as a summary may show it.
std::string folded(std::string_view text);

}  // namespace pollux::diff
