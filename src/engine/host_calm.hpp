// Whether a host's pages stay as they are from one poll to the next. A page that is new to us has
// to be found unchanged a few times before its news is believed at first sight; what its neighbours
// have shown by then speaks for it, too. A page speaks only until it is known for itself, so that
// one that is polled often does not stand for all; noise speaks against its host much louder. Two
// bytes per host. Threading: the engine's thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pollux::engine {

class HostCalm {
 public:
  // A page that was not well known was as it had been, or a page differed for no reason.
  void found(bool as_known) {
    const int quiet = as_known ? quiet_ + 1 : quiet_ - noise_weighs;
    quiet_ = static_cast<std::int16_t>(std::clamp(quiet, -most, most));
  }
  // So many polls of pages that nobody knew well found what was known, and hardly any did not.
  bool vouches() const { return quiet_ >= enough; }

 private:
  static constexpr int enough = 32, noise_weighs = 32, most = 128;
  std::int16_t quiet_ = 0;
};

}  // namespace pollux::engine
