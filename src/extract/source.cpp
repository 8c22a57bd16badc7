#include "extract/source.hpp"

#include "extract/ascii_text.hpp"
#include "extract/encoding.hpp"
#include "extract/feed.hpp"
#include "extract/xml.hpp"

namespace pollux::extract {
namespace {

// The root of a document stands behind comments and instructions, if any.
constexpr std::size_t sniffed_bytes = std::size_t{64} << 10U;

OwnWord own_word(Shape shape) {
  if (shape == Shape::html) return OwnWord::meta;
  return shape == Shape::xml ? OwnWord::xml_declaration : OwnWord::nowhere;
}

}  // namespace

Source::Source(const Document& document, As as) : bytes_(document.body) {
  MediaType media = parse_media_type(document.content_type);
  const bool declared = !media.type.empty() && shape_of(media.type) != Shape::other;
  media_type_ = media.type.empty() ? sniff_media_type(bytes_) : std::move(media.type);
  shape_ = shape_of(media_type_);
  if (as == As::html) shape_ = Shape::html;
  if (as == As::json) shape_ = Shape::json;
  if (as == As::feed) shape_ = Shape::xml;
  encoding_ = encoding_of(bytes_, media.charset, own_word(shape_));
  if (encoding_ == replacement || is_binary(bytes_, encoding_, declared)) encoding_ = {};
  if (is_text()) look_at_the_root(as);
}

// Feeds are sent as text/html, and XHTML as application/xml.
void Source::look_at_the_root(As as) {
  if (as == As::html || as == As::json || (shape_ != Shape::html && shape_ != Shape::xml)) return;
  const std::string start = decode(bytes_.substr(0, sniffed_bytes), encoding_);
  const std::string_view root = root_of(start);
  if (is_feed_root(root)) {
    is_feed_ = true;
    shape_ = Shape::xml;
  } else if (shape_ == Shape::xml && as != As::feed && same_letters(root, "html")) {
    shape_ = Shape::html;
  }
}

const std::string& Source::text() {
  if (!decoded_ && is_text()) text_ = decode(bytes_, encoding_);
  decoded_ = true;
  return text_;
}

}  // namespace pollux::extract
