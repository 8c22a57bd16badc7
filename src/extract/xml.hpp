// XML by libxml2, within bounds: what could make it slow, large or curious is refused before it
// sees it.
#pragma once

#include "pollux/extract/limits.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <variant>

// As libxml2 names them.
struct _xmlDoc;   // NOLINT(bugprone-reserved-identifier)
struct _xmlNode;  // NOLINT(bugprone-reserved-identifier)

namespace pollux::extract {

struct FreeXml {
  void operator()(_xmlDoc* document) const;
};
using XmlDocument = std::unique_ptr<_xmlDoc, FreeXml>;

struct Unreadable {
  std::string reason;  // "the tag at byte 17 does not end"
};

// `utf8` whatever its declaration says. Characters that do not belong are passed over (feeds are
// full of bare ampersands); a tag that is not well-formed is not. A document type of the document's
// own is refused: it is where entities are declared. Nothing is ever loaded.
std::variant<XmlDocument, Unreadable, TooComplex> parse_xml(std::string_view utf8,
                                                            const Limits& limits);

// The name of the first element, without its prefix; empty: no element begins where one should.
std::string_view root_of(std::string_view utf8);

// The text below a node, comments and references left out. Not recursive.
std::string text_of(const _xmlNode* node);

// Before any use of libxml2 by a thread: its tables, that it loads nothing, and that it prints
// nothing.
void prepare_libxml();

}  // namespace pollux::extract
