#include "import/python_pattern.hpp"

#include "import/words.hpp"

namespace pollux::import {
namespace {

// In Python's order of things; inside a class the brackets are there already.
struct Class {
  char letter;
  std::string_view outside, inside;
};
constexpr Class classes[] = {
    {'w', "[\\pL\\pN_]", "\\pL\\pN_"},
    {'W', "[^\\pL\\pN_]", "\\W"},
    {'s', "[\\s\\v\\pZ]", "\\s\\v\\pZ"},
    {'S', "[^\\s\\v\\pZ]", "\\S"},
    {'Z', "\\z", "Z"},
};

class Translation {
 public:
  explicit Translation(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    while (at_ < pattern_.size()) step();
    return std::move(out_);
  }
  bool has_anchors() const { return has_anchors_; }

 private:
  void step() {
    const char c = pattern_[at_];
    if (c == '\\' && at_ + 1 < pattern_.size()) return escape();
    if (in_class_) {
      // A ] right behind the opening is one of the characters.
      if (c == ']' && at_ != class_start_) in_class_ = false;
    } else if (c == '[') {
      in_class_ = true;
      class_start_ = at_ + 1;
      if (class_start_ < pattern_.size() && pattern_[class_start_] == '^') ++class_start_;
    } else if (c == '^' || c == '$') {
      has_anchors_ = true;
    } else if (c == '{' && pattern_.substr(at_).starts_with("{,") && at_ + 2 < pattern_.size() &&
               is_digit(pattern_[at_ + 2])) {
      out_ += "{0";
      ++at_;
      return;
    }
    out_ += c;
    ++at_;
  }
  void escape() {
    const char letter = pattern_[at_ + 1];
    for (const Class& known : classes) {
      if (known.letter != letter) continue;
      out_ += in_class_ ? known.inside : known.outside;
      at_ += 2;
      return;
    }
    const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits > 0 && at_ + 2 + digits <= pattern_.size()) {
      out_ += "\\x{" + std::string(pattern_.substr(at_ + 2, digits)) + "}";
      at_ += 2 + digits;
      return;
    }
    out_ += pattern_.substr(at_, 2);
    at_ += 2;
  }

  std::string_view pattern_;
  std::string out_;
  std::size_t at_ = 0, class_start_ = 0;
  bool in_class_ = false, has_anchors_ = false;
};

}  // namespace

std::string re2_of_python(std::string_view pattern, Against against) {
  Translation translation(pattern);
  std::string out = translation.run();
  // Ours are the ends of lines.
  if (against == Against::text && translation.has_anchors()) out.insert(0, "(?-m)");
  return out;
}

std::string re2_of_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace pollux::import
