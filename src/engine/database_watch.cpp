#include "engine/database_watch.hpp"

#include "engine/housekeeping.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {

DatabaseWatch::DatabaseWatch(EventLoop& loop, const Clock& clock, store::Writer& writer,
                             const std::string& database,
                             std::shared_ptr<const store::OpenFiles> files, Callbacks callbacks)
    : loop_(loop),
      clock_(clock),
      writer_(writer),
      callbacks_(std::move(callbacks)),
      checkups_(database, [this](const auto& damage, Duration took) { checked(damage, took); }),
      files_(std::move(files), [this](store::FileAlarm what) { alarm(what); }) {}

void DatabaseWatch::stop() {
  checkups_.request_stop();
}

// On the check's thread.
void DatabaseWatch::checked(const Result<std::string>& damage, Duration took) {
  if (!damage) {
    spdlog::warn("the database could not be checked: {}", damage.error().message);
  } else if (damage->empty()) {
    spdlog::info("the database is sound (checked in {})", format_duration(took));
  } else {
    note_damage(writer_, loop_, *damage, callbacks_.damaged);
  }
}

// On the watching thread.
void DatabaseWatch::alarm(store::FileAlarm what) {
  if (lost_) return;
  if (what == store::FileAlarm::foreign) {
    return lose("another file lies where the database was, or another daemon has its lock");
  }
  if (what == store::FileAlarm::overwritten) {
    // The writer tells of the damage that its job meets.
    return writer_.run([](store::Store& store) { static_cast<void>(store.examine_files()); });
  }
  if (mending_.exchange(true)) return;
  spdlog::error("files of the database were deleted; putting them back");
  writer_.run([this](store::Store& store) { mend(store); });
}

// On the writer's thread.
void DatabaseWatch::mend(store::Store& store) {
  const Result<std::string> mended = store.mend_files();
  mending_ = false;
  if (!mended && mended.error().exit_code == ExitCode::io) return lose(mended.error().message);
  const std::string problem = mended ? std::string() : mended.error().message;
  if (!problem.empty()) spdlog::error("trying again: {}", problem);
  if (mended && !mended->empty()) spdlog::error("files of the database were deleted: {}", *mended);
  if (problem == last_problem_) return;
  last_problem_ = problem;
  loop_.post([this, problem] { callbacks_.missing(problem); });
}

void DatabaseWatch::lose(const std::string& why) {
  if (lost_.exchange(true)) return;
  spdlog::error("{}; stopping, and leaving it alone", why);
  loop_.post([this, why] { callbacks_.lost(why); });
}

void DatabaseWatch::finish() {
  if (!lost_) return;
  writer_.run([now = clock_.wall()](store::Store& store) {
    const Result<std::string> saved = store.rescue(now);
    if (!saved) {
      spdlog::error("what was recorded could not be saved under another name: {}",
                    saved.error().message);
    } else if (!saved->empty()) {
      spdlog::error("what was recorded is in {}", printable(*saved));
    }
  });
}

}  // namespace pollux::engine
