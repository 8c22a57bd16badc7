// A look at the tags of an XML document before libxml2 sees it: 2.9 compares each attribute of a
// tag with each, looks prefixes up in a list, and has no bound on nodes. Linear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pollux::extract {

struct XmlScan {
  std::string malformed;           // why the tags are not well-formed; empty: they are
  bool own_document_type = false;  // <!DOCTYPE with an internal subset
  std::string_view root;           // the name of the first element, without its prefix
  std::size_t nodes = 0;  // elements, attributes, comments and instructions, texts between them
  std::size_t depth = 0;
  std::size_t most_attributes = 0;  // of one element
  std::size_t most_prefixes = 0;    // declared for one element, by it and what is around it
};

enum class Extent { root, all };  // up to the first element, or to the end
XmlScan scan_xml(std::string_view utf8, Extent extent);

}  // namespace pollux::extract
