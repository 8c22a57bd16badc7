// The characters of a selector: white space, comments, identifiers and strings of CSS, with where
// they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::extract {

class CssReader {
 public:
  explicit CssReader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c);
  void skip_comments();
  bool skip_space();  // comments included; whether there was white space
  bool at_identifier() const;
  std::optional<std::string> identifier();  // escapes undone
  std::optional<std::string> name();        // may begin with a digit, as behind #
  std::optional<std::string> string();      // behind its quote; nothing: it does not end
  std::size_t position() const { return at_; }
  void back_to(std::size_t position) { at_ = position; }

 private:
  bool is_name_start(std::size_t at) const;
  bool is_name(std::size_t at) const;
  bool is_escape(std::size_t at) const;
  void append_escape(std::string& out);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace pollux::extract
