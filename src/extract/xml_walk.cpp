#include "pollux/extract/xml_walk.hpp"

#include "extract/xml.hpp"
#include "extract/xml_scan.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <libxml/xmlreader.h>

namespace pollux::extract {
namespace {

constexpr std::size_t most_walked_bytes = std::size_t{256} << 20U;
constexpr std::size_t most_walked_depth = 256;  // libxml2's own, without XML_PARSE_HUGE
constexpr std::size_t most_walked_attributes = 256;
// No NOENT, DTDLOAD or HUGE, ever.
constexpr int walk_options =
    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_RECOVER;

struct FreeReader {
  void operator()(xmlTextReader* reader) const { xmlFreeTextReader(reader); }
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

class Walk {
 public:
  Walk(xmlTextReader* reader, XmlVisitor& visitor) : reader_(reader), visitor_(visitor) {}

  int run() {
    int more = 1;
    while ((more = xmlTextReaderRead(reader_)) == 1) visit();
    return more;
  }

 private:
  void visit() {
    switch (xmlTextReaderNodeType(reader_)) {
      case XML_READER_TYPE_ELEMENT:
        start();
        break;
      case XML_READER_TYPE_END_ELEMENT:
        visitor_.end(view_of(xmlTextReaderConstLocalName(reader_)));
        break;
      case XML_READER_TYPE_TEXT:
      case XML_READER_TYPE_CDATA:
        visitor_.text(view_of(xmlTextReaderConstValue(reader_)));
        break;
      default:
        break;
    }
  }
  void start() {
    const auto line =
        static_cast<std::uint32_t>(std::max(1, xmlTextReaderGetParserLineNumber(reader_)));
    const std::string name(view_of(xmlTextReaderConstLocalName(reader_)));
    const bool empty = xmlTextReaderIsEmptyElement(reader_) == 1;
    // Copies: the reader's own go with the next attribute.
    std::vector<std::pair<std::string, std::string>> held;
    while (held.size() < most_walked_attributes && xmlTextReaderMoveToNextAttribute(reader_) == 1) {
      held.emplace_back(view_of(xmlTextReaderConstLocalName(reader_)),
                        view_of(xmlTextReaderConstValue(reader_)));
    }
    xmlTextReaderMoveToElement(reader_);
    std::vector<XmlAttribute> attributes;
    attributes.reserve(held.size());
    for (const auto& [key, value] : held) attributes.push_back({key, value});
    visitor_.start(name, attributes, line);
    if (empty) visitor_.end(name);
  }

  xmlTextReader* reader_;
  XmlVisitor& visitor_;
};

}  // namespace

Status walk_xml(std::string_view utf8, XmlVisitor& visitor) {
  if (utf8.size() > most_walked_bytes) return cannot_walk("larger than 256 MiB");
  const XmlScan scan = scan_xml(utf8, Extent::all);
  if (scan.own_document_type) return cannot_walk("it declares a document type of its own");
  if (!scan.malformed.empty()) return cannot_walk(with_line(scan.malformed, utf8));
  if (scan.root.empty()) return cannot_walk("it has no element");
  if (scan.depth > most_walked_depth) return cannot_walk("deeper than 256 elements");
  if (scan.most_attributes > most_walked_attributes || scan.most_prefixes > most_walked_attributes)
    return cannot_walk("an element with more than 256 attributes");
  prepare_libxml();
  const std::unique_ptr<xmlTextReader, FreeReader> reader(xmlReaderForMemory(
      utf8.data(), static_cast<int>(utf8.size()), nullptr, "UTF-8", walk_options));
  if (!reader) return cannot_walk("libxml2 cannot read it");
  if (Walk(reader.get(), visitor).run() == 0) return success();
  return cannot_walk("no XML any more from line " +
                     std::to_string(xmlTextReaderGetParserLineNumber(reader.get())) + " on");
}

std::string_view xml_root(std::string_view utf8) {
  return root_of(utf8);
}

}  // namespace pollux::extract
