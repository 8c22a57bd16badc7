// The documents that libxml2 searches. Each node carries its number, from 1, as its private value.
#pragma once

#include "extract/xml.hpp"
#include "pollux/extract/html_tree.hpp"

#include <cstddef>
#include <variant>
#include <vector>

namespace pollux::extract {

std::variant<XmlDocument, TooComplex> xml_of(const HtmlTree& tree, const Limits& limits);

// Elements of a default namespace lose it, and all nodes get their numbers.
void make_searchable(_xmlDoc& document);

// Those with these numbers, and what is below them.
void remove_nodes(_xmlDoc& document, std::vector<std::size_t> numbers);

// What decides how long a search may take.
struct Extents {
  std::size_t nodes = 0, text = 0, depth = 0;
};
Extents extents_of(const _xmlDoc& document);

}  // namespace pollux::extract
