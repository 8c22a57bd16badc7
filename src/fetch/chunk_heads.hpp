// Notices a body whose chunks have next to no content. curl 7.88 passes over what follows a chunk's
// size without a word and without end, 1.6 MB at a time, and comes back at once for more: the event
// loop would see to nothing else. Compares what was read from the connection with what came of it.
// Threading: the thread of its transfer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pollux::fetch {

// An answer is more than one byte of so many that come: less is a flood.
inline constexpr std::uint64_t least_content = 16;

// What was read from a TCP connection so far; 0: not known.
std::uint64_t bytes_read_from(int fd);

class ChunkHeads {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // The head of a chunked answer has come.
  void begin(int fd) {
    fd_ = fd;
    before_ = bytes_read_from(fd);
    content_ = 0;
    looked_at_ = {};
  }
  void note_content(std::size_t bytes) { content_ += bytes; }
  // Costs a look at the clock, and now and then one at the connection.
  bool are_a_flood(TimePoint now);

 private:
  int fd_ = -1;
  std::uint64_t before_ = 0, content_ = 0;
  TimePoint looked_at_{};
};

}  // namespace pollux::fetch
