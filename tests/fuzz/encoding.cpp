// A label, a line feed, and a document: whatever the bytes are, the text is UTF-8.
#include "extract/encoding.hpp"

#include "extract/media_type.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using namespace pollux::extract;
  const std::string_view text = fuzz::text(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view label = text.substr(0, line);
  const std::string_view bytes = text.substr(std::min(line + 1, text.size()));
  for (const OwnWord where : {OwnWord::nowhere, OwnWord::meta, OwnWord::xml_declaration}) {
    const std::string_view encoding = encoding_of(bytes, label, where);
    fuzz::check(encoding_named(encoding) == encoding, "a name is a label of its own");
    const std::string utf8 = decode(bytes, encoding);
    fuzz::check(is_utf8(utf8) && is_utf8(utf8 + "x"), "UTF-8, whole");
    fuzz::check(decode(utf8, utf_8).size() + 3 >= utf8.size(), "decoded is decoded");
    is_binary(bytes, encoding, false);
  }
  const MediaType media = parse_media_type(label);
  fuzz::check(media.type.empty() || media.type.find('/') != std::string::npos, "a type");
  fuzz::check(!sniff_media_type(bytes).empty(), "always an answer");
  return 0;
}
