#include "extract/xml.hpp"

#include "extract/bounds.hpp"
#include "extract/xml_scan.hpp"

#include <algorithm>
#include <mutex>

#include <libxml/parser.h>
#include <libxml/tree.h>

namespace pollux::extract {
namespace {

constexpr std::size_t most_depth = 256;             // libxml2's own, without XML_PARSE_HUGE
constexpr std::size_t most_xml_bytes = 10'000'000;  // libxml2's own, for one text
constexpr std::size_t most_xml_attributes = 256, most_prefixes = 256;
// No NOENT, DTDLOAD or HUGE, ever.
constexpr int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                        XML_PARSE_COMPACT | XML_PARSE_RECOVER | XML_PARSE_NODICT;

extern "C" xmlParserInputPtr load_nothing(const char*, const char*, xmlParserCtxtPtr) {
  return nullptr;
}
extern "C" void say_nothing(void*, xmlErrorPtr) {}
extern "C" void print_nothing(void*, const char*, ...) {}

// Characters that XML does not have become blanks: libxml2 would end what it is reading there.
std::string cleaned(std::string_view utf8) {
  std::string text(utf8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') text[i] = ' ';
    if (byte == 0xEF && i + 2 < text.size() && text[i + 1] == '\xBF' &&
        (text[i + 2] == '\xBE' || text[i + 2] == '\xBF'))
      text.replace(i, 3, "   ");
  }
  return text;
}

}  // namespace

void prepare_libxml() {
  static std::once_flag once;
  std::call_once(once, [] {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
  });
  // Of this thread.
  xmlSetStructuredErrorFunc(nullptr, say_nothing);
  xmlSetGenericErrorFunc(nullptr, print_nothing);
}

void FreeXml::operator()(_xmlDoc* document) const {
  xmlFreeDoc(document);
}

std::variant<XmlDocument, Unreadable, TooComplex> parse_xml(std::string_view utf8,
                                                            const Limits& limits) {
  if (utf8.size() > most_xml_bytes) return more_than(most_xml_bytes, "bytes");
  const std::string text = cleaned(utf8);
  const XmlScan scan = scan_xml(text, Extent::all);
  if (scan.own_document_type) return Unreadable{"it declares a document type of its own"};
  if (!scan.malformed.empty()) return Unreadable{scan.malformed};
  if (scan.root.empty()) return Unreadable{"it has no element"};
  if (scan.nodes > limits.max_nodes) return more_than(limits.max_nodes, "nodes");
  const std::size_t depth = std::min(most_depth, limits.max_depth);
  if (scan.depth > depth) return deeper_than(depth);
  if (scan.most_attributes > most_xml_attributes)
    return more_than(most_xml_attributes, "attributes of one tag");
  if (scan.most_prefixes > most_prefixes) return more_than(most_prefixes, "prefixes");
  prepare_libxml();
  XmlDocument document(
      xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "UTF-8", options));
  if (!document || xmlDocGetRootElement(document.get()) == nullptr)
    return Unreadable{"libxml2 finds no element in it"};
  return document;
}

std::string_view root_of(std::string_view utf8) {
  return scan_xml(utf8, Extent::root).root;
}

std::string text_of(const _xmlNode* node) {
  std::string text;
  const xmlNode* at = node;
  while (at != nullptr) {
    if ((at->type == XML_TEXT_NODE || at->type == XML_CDATA_SECTION_NODE) &&
        at->content != nullptr) {
      text += reinterpret_cast<const char*>(at->content);
    }
    const bool inner =
        (at->type == XML_ELEMENT_NODE || at->type == XML_ATTRIBUTE_NODE) && at->children != nullptr;
    if (inner) {
      at = at->children;
      continue;
    }
    while (at != node && at->next == nullptr) at = at->parent;
    if (at == node) break;
    at = at->next;
  }
  return text;
}

}  // namespace pollux::extract
