// Files of unknown encoding as text. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::extract {

struct DecodedText {
  std::string text;      // valid UTF-8, without a byte order mark
  std::string encoding;  // by WHATWG's name
};
// By its byte order mark or XML declaration; else UTF-8 where the bytes are that, else
// windows-1252.
DecodedText decoded_text(std::string_view bytes);

}  // namespace pollux::extract
