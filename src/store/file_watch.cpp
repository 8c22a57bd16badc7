#include "pollux/store/file_watch.hpp"

#include "store/open_files.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace pollux::store {

struct FileWatch::State {
  std::shared_ptr<const OpenFiles> files;
  Told told;
  Duration every;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;

  void work() {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, every, [this] { return stopping; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  }
  void look() const {
    switch (files->look()) {
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
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

FileWatch::~FileWatch() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

}  // namespace pollux::store
