// What a reader sees of an HTML document, as text: one line per block, white space folded, link
// targets kept.
#pragma once

#include "pollux/extract/html_tree.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pollux::extract {

// `roots` in document order (nested ones are taken once); `removed[i]` leaves out node i and what
// is below it (empty: nothing). Left out, too: script, style, template, noscript, head but its
// title, and what carries `hidden`. A link is its text and ` <target>`, an image its alt text, a
// form field its value. List items and table cells keep apart. Text in <pre> keeps its lines.
std::string visible_text(const HtmlTree& tree, std::span<const NodeIndex> roots,
                         const std::vector<bool>& removed);

// How many words, parted by white space, the visible text of the whole document has.
std::size_t visible_words(const HtmlTree& tree);

// The same nodes as markup: attributes sorted by name, white space as it is.
std::string markup(const HtmlTree& tree, std::span<const NodeIndex> roots,
                   const std::vector<bool>& removed);

}  // namespace pollux::extract
