// Looks every second whether the files of an open database are still where they were: a deleted
// database goes on as if nothing had happened, and all that is written to it is lost at the end.
// Threading: a thread of its own, on which `told` is called.
#pragma once

#include "pollux/base/time.hpp"

#include <functional>
#include <memory>

namespace pollux::store {

class OpenFiles;

enum class FileAlarm {
  missing,      // Store::mend_files() can help
  overwritten,  // somebody else has written to them: stop, and check them at the next start
  foreign,      // another database lies there, or another daemon has the lock: stop
};

class FileWatch {
 public:
  using Told = std::function<void(FileAlarm)>;
  // `told` again as long as it lasts.
  FileWatch(std::shared_ptr<const OpenFiles> files, Told told,
            Duration every = std::chrono::seconds(1));
  ~FileWatch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store
