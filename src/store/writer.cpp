#include "pollux/store/writer.hpp"

#include "store/backlog.hpp"
#include "store/merged_rows.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace pollux::store {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

SteadyTime steady_now() {
  return std::chrono::steady_clock::now();
}

// A job waits until what was queued before it is written.
struct Job {
  std::uint64_t after = 0;    // number of the first entry it need not wait for
  std::uint64_t batches = 0;  // that must have been taken: rows other than polls go with the next
  std::function<void(Store&)> body;
};

// How often an idle or failing thread shows that it is alive.
constexpr auto heartbeat = std::chrono::milliseconds(500);

}  // namespace

struct Writer::State {
  const std::string policy;
  const WriterOptions options;
  const Callbacks callbacks;
  const std::unique_ptr<VersionKeeper> content;  // the writer's thread only; may be null

  mutable std::mutex mutex;
  std::condition_variable wake;
  Backlog polls;
  MergedRows merged;
  std::deque<Job> jobs;
  std::uint64_t batches = 0;             // taken so far
  std::optional<SteadyTime> oldest;      // since when the first record waits
  std::optional<SteadyTime> give_up_at;  // set when stopping
  bool orderly = false;                  // it was told to stop, and not just destroyed

  std::size_t in_hand = 0;                    // polls in the batch being written
  std::atomic<std::size_t> waiting{0};        // polls queued or in hand
  std::atomic<std::size_t> version_bytes{0};  // queued
  std::atomic<std::uint64_t> turns{0};
  std::atomic<std::uint64_t> written_batches = 0;  // written
  std::atomic<bool> failing{false};                // the last attempt did not work
  std::atomic<bool> out_of_memory{false};          // what waits has used it up
  // Of the last attempt, no problem when it worked, and whether the squeezing has been told; the
  // writer's thread only.
  Trouble trouble;
  bool told_squeezing = false;
  std::optional<Error> lost;
  std::thread thread;

  State(std::string p, WriterOptions o, Callbacks c, std::unique_ptr<VersionKeeper> k)
      : policy(std::move(p)),
        options(o),
        callbacks(std::move(c)),
        content(std::move(k)),
        polls(o.memory) {}

  void work(std::unique_ptr<Store> store);
  bool wait_for_batch(std::unique_lock<std::mutex>& lock);
  Batch take_batch();
  std::optional<Written> write_until_done(Store& store, const Batch& batch);
  void note_outcome(Store& store, const Result<Written>& written);
  void tell(Store& store);
  void count_waiting();
  void run_ready_jobs(Store& store);
  void note_damage_met(Store& store);
  void end(Store& store);
  void describe_loss(const Batch& batch);
  void report(Batch& batch, const Written& written);
  void note_arrival();
  // Bodies wait for the memory that they take.
  bool has_large_texts() const { return merged.version_bytes() >= options.queued_versions / 2; }
  void keep_one_a_page();
  void take_companions(PollRecord& record);
};

void Writer::State::note_arrival() {
  if (!oldest) oldest = steady_now();
}

// Entries get new numbers: jobs wait for all of them.
void Writer::State::keep_one_a_page() {
  if (polls.is_one_a_page()) return;
  polls.keep_one_a_page();
  for (Job& job : jobs) job.after = polls.end();
}

// They wait by themselves: an entry of the queue is the page alone.
void Writer::State::take_companions(PollRecord& record) {
  for (HostRow& host : std::exchange(record.hosts, {})) merged.add(std::move(host));
  for (VersionPut& version : std::exchange(record.versions, {})) merged.add(std::move(version));
  merged.add(std::exchange(record.suspicions, {}), std::exchange(record.masks, {}));
  merged.add(std::exchange(record.notices, {}));
}

// Returns when a batch is due; false when there is nothing left to do for ever.
bool Writer::State::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  const auto due = [this] {
    if (give_up_at || !jobs.empty() || polls.size() >= options.batch_polls || has_large_texts())
      return true;
    return oldest && steady_now() - *oldest >= options.batch_age;
  };
  while (!due()) {
    ++turns;
    SteadyTime until = steady_now() + heartbeat;
    if (oldest) until = std::min(until, *oldest + options.batch_age);
    wake.wait_until(lock, until);
  }
  ++turns;
  return !give_up_at || polls.size() > 0 || !merged.empty() || !jobs.empty();
}

Batch Writer::State::take_batch() {
  Batch batch;
  ++batches;
  batch.polls = polls.take(options.batch_polls);
  in_hand = batch.polls.size();
  merged.move_to(batch);
  // What is left came later than what is taken, but nobody knows when: it counts from now.
  oldest.reset();
  if (polls.size() > 0) note_arrival();
  return batch;
}

// With the lock held. Who reads them looks again soon: nothing else hangs on their order.
void Writer::State::count_waiting() {
  waiting.store(polls.size() + in_hand, std::memory_order_relaxed);
  version_bytes.store(merged.version_bytes(), std::memory_order_relaxed);
  out_of_memory.store(polls.bytes() >= options.memory, std::memory_order_relaxed);
}

void Writer::State::tell(Store& store) {
  store.announce(trouble.problem);
  if (callbacks.trouble) callbacks.trouble(trouble);
}

// Tells when the problem begins, when memory forces the first loss of detail, and when it is over.
void Writer::State::note_outcome(Store& store, const Result<Written>& written) {
  const bool was_failing = failing;
  failing = !written.ok();
  {
    std::lock_guard lock(mutex);
    trouble.squeezed = polls.squeezed();
    if (written.ok()) polls.forget_squeezed();
  }
  trouble.problem = written.ok() ? std::string() : written.error().message;
  trouble.damaged = store.damaged();
  const bool squeezing = failing && trouble.squeezed.any();
  if (was_failing != failing || (squeezing && !told_squeezing)) tell(store);
  told_squeezing = squeezing;
}

// Nothing: it was told to give up.
std::optional<Written> Writer::State::write_until_done(Store& store, const Batch& batch) {
  while (true) {
    Result<Written> written = store.write(batch, policy);
    ++turns;
    note_outcome(store, written);
    if (written) return std::move(*written);
    const SteadyTime again = steady_now() + options.retry_after_error;
    std::unique_lock lock(mutex);
    while (steady_now() < again) {
      if (give_up_at && steady_now() >= *give_up_at) return std::nullopt;
      SteadyTime until = std::min(again, steady_now() + heartbeat);
      if (give_up_at) until = std::min(until, *give_up_at);
      wake.wait_until(lock, until);
      ++turns;
    }
  }
}

void Writer::State::run_ready_jobs(Store& store) {
  while (true) {
    std::function<void(Store&)> body;
    {
      std::lock_guard lock(mutex);
      if (jobs.empty() || jobs.front().after > polls.first() || jobs.front().batches > batches)
        return;
      body = std::move(jobs.front().body);
      jobs.pop_front();
    }
    body(store);
    ++turns;
    note_damage_met(store);
  }
}

// A job's error is its owner's business; damage is everybody's.
void Writer::State::note_damage_met(Store& store) {
  if (!store.damaged() || trouble.damaged) return;
  trouble.damaged = true;
  trouble.problem = store.damage();
  tell(store);
}

// Everything is written.
void Writer::State::end(Store& store) {
  std::unique_lock lock(mutex);
  if (!orderly) return;
  lock.unlock();
  if (Status finished = store.finish(); !finished) lost = finished.error();
}

void Writer::State::describe_loss(const Batch& batch) {
  std::lock_guard lock(mutex);
  std::size_t changes = polls.changes();
  for (const PollRecord& record : batch.polls) {
    changes += record.earlier.size() + (record.change ? 1 : 0);
  }
  lost = Error{std::to_string(batch.polls.size() + polls.size()) + " poll results (" +
                   std::to_string(changes) +
                   " changes among them) could not be written: " + trouble.problem,
               ExitCode::io};
}

// Only what is on disk.
void Writer::State::report(Batch& batch, const Written& written) {
  std::vector<ChangeRow> changes;
  bool noticed = !batch.notices.empty();
  auto id = written.change_ids.begin();
  const auto add = [&](ChangeRow& change) {
    const auto& dropped = written.dropped_changes;
    if (std::find(dropped.begin(), dropped.end(), &change) == dropped.end()) {
      // Rows are written in the order in which they are gone through here.
      while (id != written.change_ids.end() && id->first != &change) ++id;
      if (id != written.change_ids.end()) change.id = (id++)->second;
      noticed = noticed || change.notice;
      changes.push_back(std::move(change));
    }
  };
  for (PollRecord& record : batch.polls) {
    for (ChangeRow& change : record.earlier) add(change);
    if (record.change) add(*record.change);
  }
  if (!changes.empty() && callbacks.committed) callbacks.committed(changes);
  if (noticed && callbacks.noticed) callbacks.noticed();
}

void Writer::State::work(std::unique_ptr<Store> store) {
  while (true) {
    Batch batch;
    {
      std::unique_lock lock(mutex);
      if (!wait_for_batch(lock)) {
        lock.unlock();
        return end(*store);
      }
      batch = take_batch();
    }
    // A page that was polled more than once since the last batch costs one row.
    batch.polls = one_a_page(std::move(batch.polls));
    if (content) {
      content->keep(batch.versions);
      content->tidy(
          std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()));
    }
    batch.versions.clear();
    std::optional<Written> written = Written{};
    if (!batch.empty()) written = write_until_done(*store, batch);
    if (!written) {
      describe_loss(batch);
      return;
    }
    {
      std::lock_guard lock(mutex);
      in_hand = 0;
      count_waiting();
    }
    ++written_batches;
    report(batch, *written);
    run_ready_jobs(*store);
  }
}

Writer::Writer(std::unique_ptr<Store> store, std::string policy, WriterOptions options,
               Callbacks callbacks, std::unique_ptr<VersionKeeper> content)
    : state_(std::make_unique<State>(std::move(policy), options, std::move(callbacks),
                                     std::move(content))) {
  store->release_owner();
  state_->thread = std::thread([state = state_.get(), owned = std::move(store)]() mutable {
    state->work(std::move(owned));
  });
}

Writer::~Writer() {
  end_thread(std::chrono::seconds(5), false);
}

void Writer::submit(PollRecord&& record) {
  bool enough = false;
  {
    std::lock_guard lock(state_->mutex);
    // The thread sleeps until the first record's age, so it must hear of the first one, too.
    enough = !state_->oldest || state_->polls.size() + 1 == state_->options.batch_polls;
    if (state_->failing && state_->polls.size() >= state_->options.queue_capacity) {
      state_->keep_one_a_page();
    }
    // First, so that no batch has the poll without them.
    if (record.has_companions()) state_->take_companions(record);
    state_->polls.push(std::move(record));
    state_->count_waiting();
    state_->note_arrival();
    enough = enough || state_->has_large_texts();
  }
  if (enough) state_->wake.notify_one();
}

void Writer::submit(Batch other) {
  std::vector<PollRecord> polls = std::move(other.polls);
  {
    std::lock_guard lock(state_->mutex);
    state_->merged.add(std::move(other));
    state_->note_arrival();
  }
  state_->wake.notify_one();
  for (PollRecord& record : polls) submit(std::move(record));
}

void Writer::run(std::function<void(Store&)> job) {
  {
    std::lock_guard lock(state_->mutex);
    const std::uint64_t next = state_->batches + (state_->merged.empty() ? 0 : 1);
    state_->jobs.push_back({state_->polls.end(), next, std::move(job)});
  }
  state_->wake.notify_one();
}

bool Writer::full() const {
  if (state_->failing) return state_->out_of_memory;
  return state_->waiting >= state_->options.queue_capacity ||
         state_->version_bytes >= state_->options.queued_versions;
}

std::size_t Writer::queued() const {
  return state_->waiting;
}

std::uint64_t Writer::progress() const {
  return state_->turns;
}

std::uint64_t Writer::batches() const {
  return state_->written_batches;
}

Status Writer::stop(Duration give_up_after) {
  end_thread(give_up_after, true);
  if (state_->lost) return *state_->lost;
  return success();
}

void Writer::end_thread(Duration give_up_after, bool orderly) {
  if (!state_->thread.joinable()) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->give_up_at = steady_now() + give_up_after;
    state_->orderly = orderly;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

}  // namespace pollux::store
