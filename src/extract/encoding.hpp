// Bytes → UTF-8 as browsers do it: WHATWG's labels, the order byte order mark, Content-Type, the
// document's own word, and ICU for the conversion. Encodings go by WHATWG's names. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::extract {

inline constexpr std::string_view utf_8 = "UTF-8", windows_1252 = "windows-1252",
                                  utf_16le = "UTF-16LE", utf_16be = "UTF-16BE";
// What browsers refuse to decode, because it hides ASCII: one replacement character for any text.
inline constexpr std::string_view replacement = "replacement";

// Empty: no label of WHATWG's, as utf-7.
std::string_view encoding_named(std::string_view label);

// Where a document may name its encoding itself.
enum class OwnWord { nowhere, meta, xml_declaration };
// `charset` is a label, the one of Content-Type, and may be empty. Without any word: UTF-8 where
// the bytes are that, else windows-1252.
std::string_view encoding_of(std::string_view bytes, std::string_view charset, OwnWord where);

// Of the first 1 024 bytes of an HTML document; empty: it says nothing.
std::string_view encoding_in_meta(std::string_view bytes);
// Of an XML declaration; empty: there is none, or it says nothing.
std::string_view encoding_in_xml_declaration(std::string_view bytes);

// Valid UTF-8 whatever the bytes are: bad ones become U+FFFD. A byte order mark is left out.
std::string decode(std::string_view bytes, std::string_view encoding);

// `c` is a character of Unicode's, not a surrogate.
void append_utf8(std::string& out, char32_t c);

// A character cut off at the end does not count against it.
bool is_utf8(std::string_view bytes);

// Whether these bytes are no text in any encoding: control characters in number, or, where nobody
// said that they are text, a single NUL.
bool is_binary(std::string_view bytes, std::string_view encoding, bool declared_text);

}  // namespace pollux::extract
