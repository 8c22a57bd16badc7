// What a document is: by its Content-Type, or by its first bytes where there is none. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::extract {

struct MediaType {
  std::string type;     // lower case, without parameters; empty: none, or a placeholder for it
  std::string charset;  // a label, as sent
};
MediaType parse_media_type(std::string_view content_type);

// Never empty: application/octet-stream where nothing is known.
std::string sniff_media_type(std::string_view body);

// How a type is read.
enum class Shape { html, json, xml, text, other };
Shape shape_of(std::string_view type);

}  // namespace pollux::extract
