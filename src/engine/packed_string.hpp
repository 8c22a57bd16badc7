// An immutable string in one pointer: a list of a million pages holds five of them each. No NULs.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace pollux::engine {

class PackedString {
 public:
  PackedString() = default;
  explicit PackedString(std::string_view text) { *this = text; }
  PackedString& operator=(std::string_view text) {
    if (text == view()) return *this;
    text = text.substr(0, text.find('\0'));
    if (text.empty()) {
      chars_.reset();
      return *this;
    }
    auto chars = std::make_unique_for_overwrite<char[]>(text.size() + 1);
    std::memcpy(chars.get(), text.data(), text.size());
    chars[text.size()] = '\0';
    chars_ = std::move(chars);
    return *this;
  }
  std::string_view view() const {
    return chars_ ? std::string_view(chars_.get()) : std::string_view();
  }
  std::string str() const { return std::string(view()); }
  bool empty() const { return !chars_; }

 private:
  std::unique_ptr<char[]> chars_;
};

}  // namespace pollux::engine
