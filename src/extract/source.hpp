// A document as it came: what it is, in which encoding, and its text.
#pragma once

#include "extract/media_type.hpp"
#include "pollux/extract/extract.hpp"

#include <string>
#include <string_view>

namespace pollux::extract {

class Source {
 public:
  // `as` may say better than the server what the document is.
  Source(const Document& document, As as);

  std::string_view bytes() const { return bytes_; }
  const std::string& media_type() const { return media_type_; }
  Shape shape() const { return shape_; }
  bool is_feed() const { return is_feed_; }  // of the shape xml: a root of RSS, Atom or RDF
  // By WHATWG's name; empty: bytes that are no text in any.
  std::string_view encoding() const { return encoding_; }
  bool is_text() const { return !encoding_.empty(); }
  // In UTF-8; decoded when it is first asked for.
  const std::string& text();

 private:
  void look_at_the_root(As as);

  std::string_view bytes_;
  std::string media_type_;
  Shape shape_ = Shape::other;
  bool is_feed_ = false;
  std::string_view encoding_;
  bool decoded_ = false;
  std::string text_;
};

}  // namespace pollux::extract
