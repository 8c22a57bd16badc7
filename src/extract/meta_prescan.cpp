// WHATWG HTML, "prescan a byte stream to determine its encoding", step by step.
#include "extract/ascii_text.hpp"
#include "extract/encoding.hpp"

#include <optional>
#include <set>
#include <string>

namespace pollux::extract {
namespace {

constexpr std::size_t prescanned = 1024;
constexpr std::size_t attributes_read = 64;  // of one tag; 1 024 bytes have no room for many more

struct MetaAttribute {
  std::string name, value;
};

class MetaScanner {
 public:
  explicit MetaScanner(std::string_view bytes) : bytes_(bytes) {}

  std::string_view encoding() {
    while (at_ < bytes_.size()) {
      if (skip_comment()) continue;
      if (is_tag("meta")) {
        at_ += 5;
        if (const std::string_view found = of_meta(); !found.empty()) return found;
      } else if (is_name_start()) {
        while (at_ < bytes_.size() && !is_space(bytes_[at_]) && bytes_[at_] != '>') ++at_;
        while (attribute()) {
        }
      } else if (starts("<!") || starts("</") || starts("<?")) {
        at_ = std::min(bytes_.find('>', at_), bytes_.size());
      }
      ++at_;
    }
    return {};
  }

 private:
  bool starts(std::string_view what) const {
    return bytes_.size() - at_ >= what.size() &&
           same_letters(bytes_.substr(at_, what.size()), what);
  }
  bool skip_comment() {
    if (!starts("<!--")) return false;
    // "<!-->" is a whole one: the two hyphens may be those of its start.
    const std::size_t end = bytes_.find("-->", at_ + 2);
    at_ = end == std::string_view::npos ? bytes_.size() : end + 3;
    return true;
  }
  bool is_tag(std::string_view name) const {
    const std::size_t behind = at_ + 1 + name.size();
    return bytes_[at_] == '<' && behind < bytes_.size() &&
           same_letters(bytes_.substr(at_ + 1, name.size()), name) &&
           (is_space(bytes_[behind]) || bytes_[behind] == '/');
  }
  bool is_name_start() const {
    if (bytes_[at_] != '<') return false;
    const std::size_t letter = at_ + (starts("</") ? 2 : 1);
    return letter < bytes_.size() && is_letter(bytes_[letter]);
  }

  std::string_view of_meta() {
    std::set<std::string> seen;
    bool got_pragma = false;
    std::optional<bool> need_pragma;
    std::string_view charset;
    while (const auto found = attribute()) {
      if (seen.size() >= attributes_read || !seen.insert(found->name).second) continue;
      if (found->name == "http-equiv") {
        if (found->value == "content-type") got_pragma = true;
      } else if (found->name == "content") {
        const std::string_view named = of_content(found->value);
        if (!named.empty() && charset.empty()) {
          charset = named;
          need_pragma = true;
        }
      } else if (found->name == "charset") {
        charset = encoding_named(found->value);
        need_pragma = false;
      }
    }
    if (!need_pragma || (*need_pragma && !got_pragma)) return {};
    // A page that can be read as ASCII is not in UTF-16.
    if (charset == utf_16le || charset == utf_16be) return utf_8;
    return charset == "x-user-defined" ? windows_1252 : charset;
  }

  // "text/html; charset = x": whatever stands before it.
  static std::string_view of_content(std::string_view content) {
    for (;;) {
      const std::size_t found = content.find("charset");
      if (found == std::string_view::npos) return {};
      content.remove_prefix(found + 7);
      content = trimmed(content);
      if (content.starts_with('=')) break;
    }
    content = trimmed(content.substr(1));
    if (content.empty()) return {};
    if (content[0] == '"' || content[0] == '\'') {
      const std::size_t end = content.find(content[0], 1);
      return end == std::string_view::npos ? std::string_view()
                                           : encoding_named(content.substr(1, end - 1));
    }
    return encoding_named(content.substr(0, content.find_first_of(" \t\n\f\r;")));
  }

  // "Get an attribute". None: the tag or the bytes end here.
  std::optional<MetaAttribute> attribute() {
    while (at_ < bytes_.size() && (is_space(bytes_[at_]) || bytes_[at_] == '/')) ++at_;
    if (at_ >= bytes_.size() || bytes_[at_] == '>') return {};
    MetaAttribute found;
    while (at_ < bytes_.size()) {
      const char c = bytes_[at_];
      if ((c == '=' && !found.name.empty()) || is_space(c)) break;
      if (c == '/' || c == '>') return found;
      found.name += lower(c);
      ++at_;
    }
    skip_space();
    if (at_ >= bytes_.size() || bytes_[at_] != '=') return found;
    ++at_;
    skip_space();
    if (at_ >= bytes_.size()) return found;
    if (const char quote = bytes_[at_]; quote == '"' || quote == '\'') {
      const std::size_t end = bytes_.find(quote, at_ + 1);
      if (end == std::string_view::npos) {
        at_ = bytes_.size();
        return {};
      }
      found.value = lowered(bytes_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return found;
    }
    while (at_ < bytes_.size() && !is_space(bytes_[at_]) && bytes_[at_] != '>')
      found.value += lower(bytes_[at_++]);
    return found;
  }
  void skip_space() {
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view encoding_in_meta(std::string_view bytes) {
  bytes = bytes.substr(0, prescanned);
  if (bytes.starts_with(std::string_view("<\0?\0x\0", 6))) return utf_16le;
  if (bytes.starts_with(std::string_view("\0<\0?\0x", 6))) return utf_16be;
  const std::string_view found = MetaScanner(bytes).encoding();
  return found.empty() ? encoding_in_xml_declaration(bytes) : found;
}

std::string_view encoding_in_xml_declaration(std::string_view bytes) {
  bytes = bytes.substr(0, prescanned);
  if (bytes.starts_with(std::string_view("<\0?\0x\0", 6))) return utf_16le;
  if (bytes.starts_with(std::string_view("\0<\0?\0x", 6))) return utf_16be;
  if (!bytes.starts_with("<?xml")) return {};
  bytes = bytes.substr(0, bytes.find('>'));
  const std::size_t word = bytes.find("encoding");
  if (word == std::string_view::npos) return {};
  bytes = trimmed(bytes.substr(word + 8));
  if (!bytes.starts_with('=')) return {};
  bytes = trimmed(bytes.substr(1));
  if (bytes.empty() || (bytes[0] != '"' && bytes[0] != '\'')) return {};
  const std::size_t end = bytes.find(bytes[0], 1);
  if (end == std::string_view::npos) return {};
  const std::string_view found = encoding_named(bytes.substr(1, end - 1));
  return found == utf_16le || found == utf_16be ? utf_8 : found;
}

}  // namespace pollux::extract
