#include "import/gunzip.hpp"

#include "pollux/base/units.hpp"

#include <array>

#include <zlib.h>

namespace pollux::import {
namespace {

struct InflateStream {
  z_stream stream{};
  bool open = false;
  ~InflateStream() {
    if (open) inflateEnd(&stream);
  }
};

Error damaged(const std::string& what) {
  return Error{what, ExitCode::bad_data};
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view bytes, std::size_t most) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  InflateStream own;
  z_stream& stream = own.stream;
  if (inflateInit2(&stream, gzip_only) != Z_OK) return damaged("gzip cannot be undone");
  own.open = true;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 65536> buffer;
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (out.size() > most) return damaged("more than " + format_bytes(most) + " when unpacked");
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) return out;
      if (inflateReset(&stream) != Z_OK) return damaged("gzip that is damaged");
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      return damaged("gzip that is cut short");
    } else if (status != Z_OK) {
      return damaged("gzip that is damaged");
    }
  }
}

}  // namespace pollux::import
