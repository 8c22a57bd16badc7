// RSS, Atom and RDF, and XML of any kind.
#include "extract/feed.hpp"

#include "extract/encoding.hpp"
#include "extract/xml_scan.hpp"
#include "fuzz/fuzz.hpp"

#include <libxml/tree.h>

namespace {

using namespace pollux::extract;

// What was counted before libxml2 saw it bounds what it made.
void compare(const XmlScan& scan, const xmlDoc* document) {
  std::size_t nodes = 0, depth = 1;
  const xmlNode* at = document->children;
  while (at != nullptr) {
    ++nodes;
    std::size_t attributes = 0;
    if (at->type == XML_ELEMENT_NODE) {
      for (const xmlAttr* i = at->properties; i != nullptr; i = i->next) ++attributes;
      pollux::fuzz::check(attributes <= scan.most_attributes, "attributes of one tag");
      pollux::fuzz::check(depth <= scan.depth, "the depth");
      nodes += attributes;
      if (at->children != nullptr) {
        at = at->children;
        ++depth;
        continue;
      }
    }
    pollux::fuzz::check(at->type != XML_ENTITY_DECL, "no entity");
    while (at != nullptr && at->next == nullptr) {
      at = at->parent;
      --depth;
      if (at == reinterpret_cast<const xmlNode*>(document)) at = nullptr;
    }
    if (at != nullptr) at = at->next;
  }
  // References and what is wrong cut texts into several.
  pollux::fuzz::check(scan.nodes > 0 && nodes <= 4 * scan.nodes + 4096, "the nodes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text = decode(pollux::fuzz::text(data, size), utf_8);
  // Characters that XML does not have are blanks to libxml2; here to the scan as well.
  for (char& c : text) {
    if (c == '\xEF' || (c >= 0 && c < ' ' && c != '\n')) c = ' ';
  }
  text = decode(text, utf_8);
  const auto entries = feed_entries(text, {});
  if (const auto* out = std::get_if<std::string>(&entries))
    pollux::fuzz::check(is_utf8(*out), "UTF-8");
  const auto parsed = parse_xml(text, {});
  if (const auto* document = std::get_if<XmlDocument>(&parsed))
    compare(scan_xml(text, Extent::all), document->get());
  return 0;
}
