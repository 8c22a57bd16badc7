// Undoes gzip (and zlib-wrapped deflate), piece by piece. Done here and not by curl, because curl
// takes a stream that stops in the middle for a whole one, and a page cut short is not a change.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <zlib.h>

namespace pollux::fetch {

class Inflater {
 public:
  enum class Step : std::uint8_t { output, need_input, corrupt };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Takes from the front of `input`. After `output`, call again with what is left; the output is
  // valid until then.
  Step decode(std::string_view& input, std::string_view& output);
  // The stream has come to its proper end.
  bool complete() const { return ended_; }

 private:
  z_stream stream_{};
  bool ended_ = false;
  std::array<char, 16384> buffer_;
};

}  // namespace pollux::fetch
