// A text that goes from the engine's thread to a look and stays on both sides: it may have
// megabytes, and is not copied for that.
// Threading: each side has its own; the text is only read.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace pollux::engine {

class SharedText {
 public:
  SharedText(std::string text)  // NOLINT(google-explicit-constructor): it is that text
      : text_(std::make_shared<const std::string>(std::move(text))) {}

  const std::string& operator*() const { return *text_; }
  const std::string* operator->() const { return text_.get(); }
  operator const std::string&() const { return *text_; }  // NOLINT(google-explicit-constructor)

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace pollux::engine
