// What looks at a page moments apart have in common, where places differ that no mask may hide: an
// advertisement with a price, a share of the time in per cent. Those places are set aside: a mark
// stands for them, ‹lines› for a line and ‹number› for what stands in a line, and what is next to
// them is compared as ever. Nothing is kept beside the text itself. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

struct CommonText {
  std::optional<std::string> text = {};  // nothing: too much differs, or it is open
  // Two looks in a row agree on what another has otherwise, and what polls before them have shown
  // does not tell that it goes on like that: it may be news of this moment.
  bool open = false;
};
// At least two looks, oldest first; `before`: what polls before them have shown.
CommonText common_text(std::span<const std::string_view> looks,
                       std::span<const std::string_view> before = {});

// The text with the marks of `marked`, wherever something else stands in their places; no more
// lines than there are marks. What differs beside them stays.
std::string set_aside(std::string_view marked, std::string_view text);

// Marks in a text.
std::size_t count_aside(std::string_view text);

}  // namespace pollux::extract
