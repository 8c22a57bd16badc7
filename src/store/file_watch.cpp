#include "pollux/store/file_watch.hpp"

#include "store/open_files.hpp"
#include "store/pausing_thread.hpp"

#include <utility>

namespace pollux::store {

struct FileWatch::State {
  std::shared_ptr<const OpenFiles> files;
  Told told;
  Duration every;
  FileState last = FileState::in_place;
  PausingThread thread;

  void work() {
    while (thread.pause(every)) look();
  }
  void look() {
    const FileState found = files->look();
    // While we write to them ourselves they may look like it for a moment.
    const bool lasts = std::exchange(last, found) == found;
    switch (found) {
      case FileState::overwritten:
        if (lasts) told(FileAlarm::overwritten);
        return;
      case FileState::in_place:
      case FileState::unreachable:  // the writer's trouble, if it is one
        return;
      case FileState::gone:
      case FileState::lock_gone:
        return told(FileAlarm::missing);
      case FileState::replaced:
      case FileState::lock_taken:
        return told(FileAlarm::foreign);
    }
  }
};

FileWatch::FileWatch(std::shared_ptr<const OpenFiles> files, Told told, Duration every)
    : state_(std::make_unique<State>()) {
  state_->files = std::move(files);
  state_->told = std::move(told);
  state_->every = every;
  state_->thread.start([state = state_.get()] { state->work(); });
}

FileWatch::~FileWatch() = default;

}  // namespace pollux::store
