// What the daemon does for its database besides writing results: backups, deleting what is old,
// and telling people when something is wrong with it.
//
// Threading: the engine's thread; log_trouble() from any thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/store/backup.hpp"
#include "pollux/store/options.hpp"
#include "pollux/store/writer.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pollux::engine {

// Noted where the next start finds it, and told on the engine's thread. Any thread.
void note_damage(store::Writer& writer, EventLoop& loop, const std::string& found,
                 std::function<void(const std::string& damage)> tell);

class Housekeeping {
 public:
  // `damaged` is called when a backup could not be made for that reason.
  Housekeeping(EventLoop& loop, const Clock& clock, store::Writer& writer,
               const std::string& database, const store::StorageOptions& options,
               std::function<void(const std::string& damage)> damaged);

  void set_options(const store::StorageOptions& options);
  void stop();  // nothing new is begun; a backup under way is given up

 private:
  struct Step;  // what one step on the writer's thread found
  static constexpr std::int64_t large_log = 64 << 20;
  Duration usual_pause() const;
  void tidy_after(Duration pause);
  void tidy();
  void tidied(const Step& step);
  void warn_of_log(const Step& step);
  void backed_up(const Result<std::string>& made);

  EventLoop& loop_;
  const Clock& clock_;
  store::Writer& writer_;
  store::StorageOptions options_;
  std::unique_ptr<Timer> timer_;
  bool stopping_ = false;
  std::int64_t next_warning_of_log_ = large_log;  // bytes
  bool warned_of_tidying_ = false;
  std::function<void(const std::string&)> damaged_;
  store::Backups backups_;
};

// To the log: what cannot be written, what that costs, and that it is over.
void log_trouble(const store::Trouble& trouble);
// For the service manager: what Trouble::problem says.
std::string status_of(const std::string& problem);

}  // namespace pollux::engine
