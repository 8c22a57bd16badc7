// An XML document from front to back, without a tree of it: for files of any length that only need
// to be read once. The same bounds as everywhere: no network, no entities of the document's own, no
// depth beyond libxml2's. Pure.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace pollux::extract {

struct XmlAttribute {
  std::string_view name;  // without its prefix
  std::string_view value;
};

// Names come without their prefixes. What is passed is valid during the call.
class XmlVisitor {
 public:
  virtual ~XmlVisitor() = default;
  virtual void start(std::string_view name, std::span<const XmlAttribute> attributes,
                     std::uint32_t line) = 0;
  virtual void text(std::string_view text) = 0;
  virtual void end(std::string_view name) = 0;
};

// Bare ampersands and the like are passed over; what is beyond the bounds or has a tag that is none
// is refused (bad_data) before anything is visited, with its line.
enum class Walked { well_formed, with_errors };
Result<Walked> walk_xml(std::string_view utf8, XmlVisitor& visitor);

// The name of the first element, without its prefix; empty: this is no XML.
std::string_view xml_root(std::string_view utf8);

}  // namespace pollux::extract
