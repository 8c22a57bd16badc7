#include "pollux/extract/xml_walk.hpp"

#include "extract/xml.hpp"
#include "extract/xml_scan.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <libxml/SAX2.h>
#include <libxml/parser.h>

namespace pollux::extract {
namespace {

constexpr std::size_t most_walked_bytes = std::size_t{256} << 20U;
constexpr std::size_t most_walked_depth = 256;  // libxml2's own, without XML_PARSE_HUGE
constexpr std::size_t most_walked_attributes = 256;
// No NOENT, DTDLOAD or HUGE, ever.
constexpr int walk_options =
    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_RECOVER;

struct FreeWalk {
  void operator()(xmlParserCtxt* context) const { xmlFreeParserCtxt(context); }
};

std::string_view view_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

Error cannot_walk(const std::string& what) {
  return Error{what, ExitCode::bad_data};
}

// The scan tells bytes; people look for lines.
std::string with_line(const std::string& malformed, std::string_view text) {
  const std::size_t mark = malformed.rfind(" at byte ");
  std::size_t byte = 0;
  if (mark == std::string::npos) return malformed;
  const char* const end = malformed.data() + malformed.size();
  if (std::from_chars(malformed.data() + mark + 9, end, byte).ec != std::errc{}) return malformed;
  const auto line =
      std::count(text.begin(),
                 text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size())), '\n') +
      1;
  return malformed.substr(0, mark) + " in line " + std::to_string(line);
}

// libxml2 hands an attribute's ampersands on as references.
std::string attribute_value(const xmlChar* start, const xmlChar* end) {
  constexpr std::string_view reference = "&#38;";
  std::string value(reinterpret_cast<const char*>(start), static_cast<std::size_t>(end - start));
  for (std::size_t at = value.find(reference); at != value.npos; at = value.find(reference, at + 1))
    value.replace(at, reference.size(), "&");
  return value;
}

XmlVisitor& visitor_of(void* context) {
  return *static_cast<XmlVisitor*>(static_cast<xmlParserCtxt*>(context)->_private);
}

extern "C" void walk_start(void* context, const xmlChar* name, const xmlChar*, const xmlChar*, int,
                           const xmlChar**, int count, int, const xmlChar** found) {
  constexpr int fields = 5;  // name, prefix, namespace, begin and end of the value
  std::vector<std::string> values;
  std::vector<XmlAttribute> attributes;
  for (int i = 0; i < count; ++i)
    values.push_back(attribute_value(found[i * fields + 3], found[i * fields + 4]));
  for (int i = 0; i < count; ++i)
    attributes.push_back({view_of(found[i * fields]), values[static_cast<std::size_t>(i)]});
  const int line = xmlSAX2GetLineNumber(context);
  visitor_of(context).start(view_of(name), attributes,
                            static_cast<std::uint32_t>(std::max(1, line)));
}
extern "C" void walk_end(void* context, const xmlChar* name, const xmlChar*, const xmlChar*) {
  visitor_of(context).end(view_of(name));
}
extern "C" void walk_text(void* context, const xmlChar* text, int size) {
  visitor_of(context).text(
      {reinterpret_cast<const char*>(text), static_cast<std::size_t>(std::max(0, size))});
}

}  // namespace

Result<Walked> walk_xml(std::string_view utf8, XmlVisitor& visitor) {
  if (utf8.size() > most_walked_bytes) return cannot_walk("larger than 256 MiB");
  const XmlScan scan = scan_xml(utf8, Extent::all);
  if (scan.own_document_type) return cannot_walk("it declares a document type of its own");
  if (!scan.malformed.empty()) return cannot_walk(with_line(scan.malformed, utf8));
  if (scan.root.empty()) return cannot_walk("it has no element");
  if (scan.depth > most_walked_depth) return cannot_walk("deeper than 256 elements");
  if (scan.most_attributes > most_walked_attributes || scan.most_prefixes > most_walked_attributes)
    return cannot_walk("an element with more than 256 attributes");
  prepare_libxml();
  const std::unique_ptr<xmlParserCtxt, FreeWalk> context(xmlNewParserCtxt());
  if (!context) return cannot_walk("libxml2 has no memory for it");
  xmlSAXHandler& handler = *context->sax;
  handler = xmlSAXHandler{};
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = walk_start;
  handler.endElementNs = walk_end;
  handler.characters = walk_text;
  handler.cdataBlock = walk_text;
  context->_private = &visitor;
  xmlCtxtReadMemory(context.get(), utf8.data(), static_cast<int>(utf8.size()), nullptr, "UTF-8",
                    walk_options);
  return context->wellFormed != 0 ? Walked::well_formed : Walked::with_errors;
}

std::string_view xml_root(std::string_view utf8) {
  return root_of(utf8);
}

}  // namespace pollux::extract
