#include "extract/encoding.hpp"

#include "extract/encoding_tables.hpp"
#include "pollux/extract/decode.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

namespace pollux::extract {
namespace {

constexpr std::size_t binary_looked_at = 4096;
// Text has next to no control characters; compressed bytes have one in nine.
constexpr std::size_t one_in = 32;

struct Mark {
  std::string_view bytes, encoding;
};
constexpr std::array<Mark, 3> byte_order_marks = {
    {{"\xEF\xBB\xBF", utf_8}, {"\xFE\xFF", utf_16be}, {"\xFF\xFE", utf_16le}}};

// The bytes of the character at `at`, or 0 if it is none; `cut` if the end comes too soon.
std::size_t utf8_length(std::string_view bytes, std::size_t at, bool& cut) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const unsigned first = byte(0);
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size()) {
      cut = true;
      return 0;
    }
    if (byte(i) < low || byte(i) > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

enum class Cut { allowed, not_allowed };

bool valid_utf8(std::string_view bytes, Cut cut_off) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t eight = 0;
    if (at + sizeof eight <= bytes.size()) {
      std::memcpy(&eight, bytes.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080ULL) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    bool cut = false;
    const std::size_t length = utf8_length(bytes, at, cut);
    if (length == 0) return cut && cut_off == Cut::allowed;
    at += length;
  }
  return true;
}

// UTF-16 in pieces of any length; half a pair becomes U+FFFD.
class Utf8Writer {
 public:
  explicit Utf8Writer(std::string& out) : out_(out) {}
  void add(char16_t unit) {
    if (high_ != 0) {
      if (unit >= 0xDC00 && unit <= 0xDFFF) {
        append_utf8(out_, 0x10000 + ((high_ - 0xD800U) << 10U) + (unit - 0xDC00U));
        high_ = 0;
        return;
      }
      finish();
    }
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      high_ = unit;
    } else {
      append_utf8(out_, unit >= 0xDC00 && unit <= 0xDFFF ? 0xFFFD : unit);
    }
  }
  void finish() {
    if (high_ != 0) append_utf8(out_, 0xFFFD);
    high_ = 0;
  }

 private:
  std::string& out_;
  char32_t high_ = 0;
};

// ICU's own substitute is U+001A for some converters.
extern "C" void write_replacement(const void*, UConverterToUnicodeArgs* args, const char*, int32_t,
                                  UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;
  static constexpr UChar mark = 0xFFFD;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(args, &mark, 1, 0, error);
}

std::string decode_by_icu(std::string_view bytes, const char* converter_name) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, decltype(&ucnv_close)> converter(
      ucnv_open(converter_name, &error), &ucnv_close);
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 2);
  Utf8Writer writer(out);
  if (U_FAILURE(error)) {  // its tables are not installed: readable where it is ASCII
    for (const char c : bytes) writer.add(static_cast<unsigned char>(c) < 0x80 ? c : u'\uFFFD');
    return out;
  }
  ucnv_setToUCallBack(converter.get(), write_replacement, nullptr, nullptr, nullptr, &error);
  std::array<UChar, 4096> units{};
  const char* from = bytes.data();
  const char* const end = from + bytes.size();
  do {
    error = U_ZERO_ERROR;
    UChar* to = units.data();
    ucnv_toUnicode(converter.get(), &to, units.data() + units.size(), &from, end, nullptr, true,
                   &error);
    for (const UChar* unit = units.data(); unit != to; ++unit) writer.add(*unit);
  } while (error == U_BUFFER_OVERFLOW_ERROR);
  writer.finish();
  return out;
}

std::string decode_single_bytes(std::string_view bytes, char16_t (*unit_of)(unsigned char)) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) append_utf8(out, unit_of(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6U);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12U);
    put(0x80 | (c >> 6U & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18U);
    put(0x80 | (c >> 12U & 0x3F));
    put(0x80 | (c >> 6U & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string_view encoding_of(std::string_view bytes, std::string_view charset, OwnWord where) {
  for (const Mark& mark : byte_order_marks) {
    if (bytes.starts_with(mark.bytes)) return mark.encoding;
  }
  std::string_view encoding = encoding_named(charset);
  if (encoding.empty() && where == OwnWord::meta) encoding = encoding_in_meta(bytes);
  if (encoding.empty() && where == OwnWord::xml_declaration)
    encoding = encoding_in_xml_declaration(bytes);
  if (!encoding.empty()) return encoding;
  return is_utf8(bytes) ? utf_8 : windows_1252;
}

std::string decode(std::string_view bytes, std::string_view encoding) {
  for (const Mark& mark : byte_order_marks) {
    if (mark.encoding == encoding && bytes.starts_with(mark.bytes))
      bytes.remove_prefix(mark.bytes.size());
  }
  if (encoding == utf_8 && valid_utf8(bytes, Cut::not_allowed)) return std::string(bytes);
  if (encoding == replacement) return bytes.empty() ? "" : "\xEF\xBF\xBD";
  if (encoding == "x-user-defined") {
    return decode_single_bytes(bytes, [](unsigned char byte) {
      return static_cast<char16_t>(byte < 0x80 ? byte : 0xF700 + byte);
    });
  }
  if (encoding == "ISO-8859-16") {
    return decode_single_bytes(bytes, [](unsigned char byte) {
      return byte < 0xA0 ? static_cast<char16_t>(byte) : iso_8859_16[byte - 0xA0U];
    });
  }
  const char* const name = icu_name(encoding);
  return decode_by_icu(bytes, name != nullptr ? name : "utf-8");
}

bool is_utf8(std::string_view bytes) {
  return valid_utf8(bytes, Cut::allowed);
}

bool is_binary(std::string_view bytes, std::string_view encoding, bool declared_text) {
  if (encoding == utf_16le || encoding == utf_16be) return false;
  bytes = bytes.substr(0, binary_looked_at);
  std::size_t controls = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0 && !declared_text) return true;
    // Escape stands in texts of terminals and in ISO-2022-JP.
    const bool control = byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte < 0x20);
    if (control && byte != 0x1B) ++controls;
  }
  return controls * one_in > bytes.size();
}

DecodedText decoded_text(std::string_view bytes) {
  const std::string_view encoding = encoding_of(bytes, "", OwnWord::xml_declaration);
  return {decode(bytes, encoding), std::string(encoding)};
}

}  // namespace pollux::extract
