#include "extract/xml_scan.hpp"

#include "extract/ascii_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace pollux::extract {
namespace {

bool name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == ':' || c == '-' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool name_start(char c) {
  return name_character(c) && !is_digit(c) && c != '-' && c != '.';
}

constexpr std::size_t longest_name = 10'000;

// Strict wherever libxml2, having complained, would go on reading at another place.
class Scan {
 public:
  Scan(std::string_view text, Extent extent) : text_(text), extent_(extent) {}

  XmlScan run() {
    for (;;) {
      const std::size_t tag = text_.find('<', at_);
      if (tag == std::string_view::npos) break;
      if (tag > at_) ++found_.nodes;
      at_ = tag;
      if (extent_ == Extent::root && !blank_since_last_tag()) break;
      if (!take_tag()) break;
      behind_last_ = at_;
      if (extent_ == Extent::root && !found_.root.empty()) break;
    }
    return std::move(found_);
  }

 private:
  bool blank_since_last_tag() const {
    return trimmed(text_.substr(behind_last_, at_ - behind_last_)).empty();
  }
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool fail(std::string_view what, std::size_t where) {
    found_.malformed = std::string(what) + " at byte " + std::to_string(where);
    return false;
  }

  bool take_tag() {
    if (starts("<!--")) return skip_behind("-->", 4);
    if (starts("<![CDATA[")) return skip_behind("]]>", 9);
    if (starts("<?")) return take_instruction();
    if (starts("<!DOCTYPE")) return take_document_type();
    if (starts("<!")) return fail("a declaration outside a document type", at_);
    if (starts("</")) return take_end_tag();
    return take_start_tag();
  }
  bool skip_behind(std::string_view end, std::size_t from) {
    ++found_.nodes;
    const std::size_t found = text_.find(end, at_ + from);
    if (found == std::string_view::npos)
      return fail("no " + std::string(end) + " for the tag", at_);
    at_ = found + end.size();
    return true;
  }
  bool take_instruction() {
    const std::size_t start = at_;
    at_ += 2;
    if (at_ >= text_.size() || !name_start(text_[at_])) return fail("no instruction", start);
    const bool declaration = same_letters(take_name(), "xml");
    const std::size_t data = at_;
    at_ = start;
    if (!skip_behind("?>", data - start)) return false;
    if (declaration && text_.substr(data, at_ - 2 - data).find_first_of("<>") != text_.npos)
      return fail("no end of the declaration", start);
    return true;
  }
  bool take_document_type() {
    const std::size_t start = at_;
    at_ += 9;
    bool ok = skip_space() && !take_name().empty();
    skip_space();
    if (ok && (starts("SYSTEM") || starts("PUBLIC"))) {
      const bool has_two = starts("PUBLIC");
      at_ += 6;
      ok = take_literal() && (!has_two || take_literal());
      skip_space();
    }
    if (ok && starts("[")) {
      found_.own_document_type = true;
      return false;
    }
    if (!ok || !starts(">")) return fail("no document type as XML wants it", start);
    ++at_;
    return true;
  }
  bool take_literal() {
    if (!skip_space() || at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
      return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    // A public identifier has no such character; one that has ends where libxml2 likes.
    if (end == text_.npos || text_.substr(at_, end - at_).find_first_of("<>") != text_.npos)
      return false;
    at_ = end + 1;
    return true;
  }
  bool take_end_tag() {
    const std::size_t start = at_;
    at_ += 2;
    if (take_name().empty()) return fail("no name of the tag", start);
    skip_space();
    if (!starts(">")) return fail("no end of the tag", start);
    ++at_;
    if (!prefixes_.empty()) {
      open_prefixes_ -= prefixes_.back();
      prefixes_.pop_back();
    }
    return true;
  }
  bool take_start_tag() {
    const std::size_t start = at_++;
    std::string_view name = take_name();
    if (name.empty()) return fail("a < that begins no tag", start);
    if (found_.root.empty()) {
      name.remove_prefix(std::min(name.find(':') + 1, name.size()));  // npos + 1 is 0
      found_.root = name;
    }
    ++found_.nodes;
    std::size_t attributes = 0;
    std::size_t prefixes = 0;
    for (;;) {
      const bool space = skip_space();
      if (at_ >= text_.size()) return fail("no end of the tag", start);
      if (text_[at_] == '>' || starts("/>")) break;
      if (!space) return fail("no space before an attribute", at_);
      const std::string_view attribute = take_name();
      if (attribute.empty() || !take_value()) return fail("no attribute as XML wants it", at_);
      ++attributes;
      if (attribute.starts_with("xmlns")) ++prefixes;
    }
    const bool empty = text_[at_] == '/';
    at_ += empty ? 2 : 1;
    found_.nodes += attributes;
    found_.most_attributes = std::max(found_.most_attributes, attributes);
    found_.most_prefixes = std::max(found_.most_prefixes, open_prefixes_ + prefixes);
    found_.depth = std::max(found_.depth, prefixes_.size() + 1);
    if (!empty) {
      prefixes_.push_back(prefixes);
      open_prefixes_ += prefixes;
    }
    return true;
  }
  bool take_value() {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '=') return false;
    ++at_;
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return false;
    // libxml2 ends a value at "<", too, and reads on as it likes.
    const std::string_view stops = text_[at_] == '"' ? "\"<" : "'<";
    const std::size_t end = text_.find_first_of(stops, at_ + 1);
    if (end == std::string_view::npos || text_[end] == '<') return false;
    at_ = end + 1;
    return true;
  }
  // Empty: none, or one that is too long.
  std::string_view take_name() {
    const std::size_t start = at_;
    if (at_ < text_.size() && !name_start(text_[at_])) return {};
    while (at_ < text_.size() && name_character(text_[at_])) ++at_;
    return at_ - start > longest_name ? std::string_view() : text_.substr(start, at_ - start);
  }
  bool skip_space() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_space(text_[at_]) && text_[at_] != '\f') ++at_;
    return at_ > start;
  }

  std::string_view text_;
  Extent extent_;
  std::size_t at_ = 0;
  std::size_t behind_last_ = 0;
  std::vector<std::size_t> prefixes_;  // declared by each open element
  std::size_t open_prefixes_ = 0;
  XmlScan found_;
};

}  // namespace

XmlScan scan_xml(std::string_view utf8, Extent extent) {
  return Scan(utf8, extent).run();
}

}  // namespace pollux::extract
