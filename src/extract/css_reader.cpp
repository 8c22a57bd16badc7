#include "extract/css_reader.hpp"

#include "extract/ascii.hpp"
#include "extract/encoding.hpp"

namespace pollux::extract {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
  return -1;
}

bool starts_name(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool CssReader::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void CssReader::skip_comments() {
  while (peek() == '/' && peek(1) == '*') {
    const std::size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }
}

bool CssReader::skip_space() {
  bool space = false;
  skip_comments();
  while (is_space(peek())) {
    space = true;
    ++at_;
    skip_comments();
  }
  return space;
}

bool CssReader::is_escape(std::size_t at) const {
  return at + 1 < text_.size() && text_[at] == '\\' && text_[at + 1] != '\n' &&
         text_[at + 1] != '\r' && text_[at + 1] != '\f';
}

bool CssReader::is_name_start(std::size_t at) const {
  return at < text_.size() && (starts_name(text_[at]) || is_escape(at));
}

bool CssReader::is_name(std::size_t at) const {
  return is_name_start(at) ||
         (at < text_.size() && ((text_[at] >= '0' && text_[at] <= '9') || text_[at] == '-'));
}

bool CssReader::at_identifier() const {
  if (peek() != '-') return is_name_start(at_);
  return peek(1) == '-' || is_name_start(at_ + 1);
}

std::optional<std::string> CssReader::identifier() {
  if (!at_identifier()) return std::nullopt;
  return name();
}

std::optional<std::string> CssReader::name() {
  if (!is_name(at_)) return std::nullopt;
  std::string out;
  while (is_name(at_)) {
    if (is_escape(at_)) {
      append_escape(out);
    } else {
      out += text_[at_++];
    }
  }
  return out;
}

std::optional<std::string> CssReader::string() {
  const char quote = text_[at_++];
  std::string out;
  while (!at_end()) {
    const char c = text_[at_];
    if (c == quote) {
      ++at_;
      return out;
    }
    if (c == '\n' || c == '\r' || c == '\f') return std::nullopt;
    if (c == '\\' && at_ + 1 < text_.size() && !is_escape(at_)) {
      at_ += peek(1) == '\r' && peek(2) == '\n' ? 3 : 2;  // the line goes on
    } else if (is_escape(at_)) {
      append_escape(out);
    } else {
      out += c;
      ++at_;
    }
  }
  return std::nullopt;
}

void CssReader::append_escape(std::string& out) {
  ++at_;
  if (hex_value(peek()) < 0) {
    out += text_[at_++];
    return;
  }
  char32_t code = 0;
  for (int digits = 0; digits < 6 && hex_value(peek()) >= 0; ++digits)
    code = code * 16 + static_cast<char32_t>(hex_value(text_[at_++]));
  if (peek() == '\r' && peek(1) == '\n') {
    at_ += 2;
  } else if (is_space(peek())) {
    ++at_;
  }
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  append_utf8(out, code);
}

}  // namespace pollux::extract
