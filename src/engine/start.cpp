#include "engine/start.hpp"

#include "engine/live_rows.hpp"

#include <string>
#include <utility>

#include <malloc.h>

namespace pollux::engine {
namespace {

// Pieces of bodies and whole texts go back to the system when they are freed: they come and go on
// many threads, and what each of them kept for later would add up to more than is in use.
constexpr int large_allocation = 64 << 10;
// A thread keeps so much of the rest: a look at a page of usual size takes no memory from the
// system, which would cost it a third of its time.
constexpr int kept_by_a_thread = 4 << 20;

Status fill(Lists& lists, store::Store& store, WantedPages& wanted, const Clock& clock) {
  const Result<std::vector<store::LiveRow>> live = store.load_live();
  if (!live.ok()) return live.error();
  apply_live(*live, lists.config, wanted);
  if (Status made = lists.make_learner(clock.now()); !made.ok()) return made;
  return lists.fill(store, wanted, {clock.now(), clock.wall()});
}

}  // namespace

void tune_allocator() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread yet
  mallopt(M_MMAP_THRESHOLD, large_allocation);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): likewise
  mallopt(M_TRIM_THRESHOLD, kept_by_a_thread);
}

void give_back_memory() {
  malloc_trim(0);
}

Result<std::unique_ptr<store::Store>> open_and_fill(Lists& lists, const Clock& clock,
                                                    const std::function<bool()>& told_to_stop) {
  const Error stopped{"stopped while starting", ExitCode::ok};
  WantedPages wanted(lists.config);
  store::OpenOptions how;
  how.backup_directory = lists.config.storage.backup.directory;
  how.cancelled = told_to_stop;
  while (true) {
    Result<std::unique_ptr<store::Store>> opened = store::Store::open(lists.config.database, how);
    if (!opened.ok()) return told_to_stop() ? stopped : opened.error();
    const Status filled = fill(lists, **opened, wanted, clock);
    if (filled.ok()) {
      static_cast<void>(lists.take_read_settings());
      return opened;
    }
    if (told_to_stop()) return stopped;
    if (!(*opened)->damaged() || !how.known_damage.empty()) return filled.error();
    how.known_damage = (*opened)->damage();
  }
}

}  // namespace pollux::engine
