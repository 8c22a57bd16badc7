// Brings what the private file holds into the lists at the start, and back now and then. Threading:
// the engine's thread; the file is written on the writer's.
#pragma once

#include "engine/lists.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/store/writer.hpp"

#include <memory>

namespace pollux::engine {

// Before the lists are filled. A file that cannot be read costs what it held, and a warning.
void load_secrets(Lists& lists);

class PrivateKeeper {
 public:
  PrivateKeeper(EventLoop& loop, const Clock& clock, Lists& lists, store::Writer& writer)
      : loop_(loop), clock_(clock), lists_(lists), writer_(writer), timer_(loop.make_timer()) {}

  void begin();
  void finish();  // once more, before the writer stops

 private:
  void save();

  EventLoop& loop_;
  const Clock& clock_;
  Lists& lists_;
  store::Writer& writer_;
  std::unique_ptr<Timer> timer_;
  bool warned_ = false;
};

}  // namespace pollux::engine
