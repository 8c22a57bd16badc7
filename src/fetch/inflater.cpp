#include "fetch/inflater.hpp"

#include <new>

namespace pollux::fetch {
namespace {

constexpr int detect_gzip_or_zlib = 15 + 32;
constexpr char gzip_magic = 0x1f;

}  // namespace

Inflater::Inflater() {
  if (inflateInit2(&stream_, detect_gzip_or_zlib) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
  inflateEnd(&stream_);
}

Inflater::Step Inflater::decode(std::string_view& input, std::string_view& output) {
  if (ended_ && !input.empty()) {
    // Another gzip member goes on; padding after the end does not matter.
    if (input.front() != gzip_magic) input = {};
    if (!input.empty()) {
      ended_ = false;
      inflateReset(&stream_);
    }
  }
  if (ended_) return Step::need_input;
  // zlib does not write to its input; its interface only predates const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream_.avail_in = static_cast<uInt>(input.size());
  stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  stream_.avail_out = static_cast<uInt>(buffer_.size());
  const int code = inflate(&stream_, Z_NO_FLUSH);
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Step::corrupt;
  ended_ = code == Z_STREAM_END;
  input.remove_prefix(input.size() - stream_.avail_in);
  output = {buffer_.data(), buffer_.size() - stream_.avail_out};
  return output.empty() && input.empty() ? Step::need_input : Step::output;
}

}  // namespace pollux::fetch
