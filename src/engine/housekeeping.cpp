#include "engine/housekeeping.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

constexpr Duration tidy_every = std::chrono::seconds(10);
constexpr Duration tidy_again = std::chrono::milliseconds(200);  // when there is more to do

std::string squeezed_text(const store::Squeezed& squeezed) {
  return fmt::format(
      "{} results without a change were let go, {} changes were joined to another one of their "
      "page",
      squeezed.polls, squeezed.changes);
}

}  // namespace

struct Housekeeping::Step {
  Result<bool> more;
  std::int64_t log_bytes = 0;
  std::string log_readers = {};
};

Housekeeping::Housekeeping(EventLoop& loop, const Clock& clock, store::Writer& writer,
                           const std::string& database, const store::StorageOptions& options,
                           std::function<void(const std::string&)> damaged)
    : loop_(loop),
      clock_(clock),
      writer_(writer),
      options_(options),
      timer_(loop.make_timer()),
      damaged_(std::move(damaged)),
      backups_(database, options.backup, clock,
               [this](const Result<std::string>& made) { backed_up(made); }) {
  tidy_after(usual_pause());
}

// Shares are noted while it tidies.
Duration Housekeeping::usual_pause() const {
  return std::min(tidy_every, options_.keep.shares_every);
}

void Housekeeping::set_options(const store::StorageOptions& options) {
  options_ = options;
  backups_.set_options(options.backup);
}

void Housekeeping::stop() {
  stopping_ = true;
  timer_->cancel();
  backups_.request_stop();
}

void Housekeeping::tidy_after(Duration pause) {
  if (stopping_) return;
  timer_->arm(clock_.now() + pause, [this] {
    if (!stopping_) tidy();
  });
}

void Housekeeping::tidy() {
  writer_.run(
      [this, &loop = loop_, keep = options_.keep, now = clock_.wall()](store::Store& store) {
        Step step{store.tidy(keep, now), store.wal_bytes()};
        if (step.log_bytes >= large_log) step.log_readers = store.log_readers();
        loop.post([this, step = std::move(step)] { tidied(step); });
      });
}

void Housekeeping::tidied(const Step& step) {
  if (!step.more && !std::exchange(warned_of_tidying_, true)) {
    spdlog::warn("cannot delete old rows, trying again: {}", step.more.error().message);
  }
  if (step.more) warned_of_tidying_ = false;
  warn_of_log(step);
  tidy_after(step.more && *step.more ? tidy_again : usual_pause());
}

// At 64 MB and whenever it has doubled.
void Housekeeping::warn_of_log(const Step& step) {
  if (step.log_bytes < large_log / 2) next_warning_of_log_ = large_log;
  if (step.log_bytes < next_warning_of_log_) return;
  next_warning_of_log_ = 2 * step.log_bytes;
  const std::string size = format_bytes(static_cast<std::uint64_t>(step.log_bytes));
  if (step.log_readers.empty()) {
    spdlog::warn(
        "the database's log has grown to {}: a program keeps a read transaction open, or a backup "
        "or a check goes on; it shrinks when that ends",
        size);
  } else {
    spdlog::warn(
        "the database's log has grown to {}, and goes on growing: {} keeps a read transaction "
        "open; nothing but its end can help",
        size, step.log_readers);
  }
}

void note_damage(store::Writer& writer, EventLoop& loop, const std::string& found,
                 std::function<void(const std::string& damage)> tell) {
  writer.run([found](store::Store& store) { store.note_damage(found); });
  loop.post([found, tell = std::move(tell)] { tell(found); });
}

// On the backup's thread.
void Housekeeping::backed_up(const Result<std::string>& made) {
  if (!made && made.error().exit_code == ExitCode::bad_data) {
    spdlog::error("no backup was made, because the database is damaged: {}", made.error().message);
    return note_damage(writer_, loop_, made.error().message, damaged_);
  }
  if (!made) {
    spdlog::error("no backup was made, trying again within the hour: {}", made.error().message);
    return;
  }
  spdlog::info("backed up to {}", printable(*made));
  store::Batch batch;
  batch.meta = {{"last_backup_at", std::to_string(clock_.wall().time_since_epoch().count())},
                {"last_backup", *made}};
  writer_.submit(std::move(batch));
}

void log_trouble(const store::Trouble& trouble) {
  const bool squeezed = trouble.squeezed.any();
  if (trouble.damaged) {
    spdlog::error(
        "the database is damaged; stopping, so that the next start can restore a backup: {}",
        trouble.problem);
  } else if (!trouble.problem.empty() && !squeezed) {
    spdlog::error("cannot write the database, polling goes on and writing is tried again: {}",
                  trouble.problem);
  } else if (!trouble.problem.empty()) {
    spdlog::error(
        "the database still cannot be written and memory for results is short: {} so far; {}",
        squeezed_text(trouble.squeezed), trouble.problem);
  } else if (squeezed) {
    spdlog::warn("the database can be written again; meanwhile {}",
                 squeezed_text(trouble.squeezed));
  } else {
    spdlog::info("the database can be written again; nothing was lost");
  }
}

std::string status_of(const std::string& problem) {
  return "ALERT: cannot write the database: " + problem;
}

}  // namespace pollux::engine
