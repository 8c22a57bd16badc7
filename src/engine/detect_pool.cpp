#include "engine/detect_pool.hpp"

#include "engine/incoming_bodies.hpp"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

namespace pollux::engine {
namespace {

enum class Step { piece, finish, abandon };
struct Job {
  fetch::Token token;
  Step step;
  std::string bytes;
  Keep keep = Keep::no;
};
using Hashed = std::pair<fetch::Token, HashedBody>;
using SteadyTime = std::chrono::steady_clock::time_point;

// Results are handed over at least this often, so that the I/O thread sees how long the queue is.
constexpr auto deliver_every = std::chrono::milliseconds(1);

// One thread's queue. Jobs are taken all at once: one lock for as many as have gathered.
struct Worker {
  std::mutex mutex;
  std::condition_variable ready;
  std::vector<Job> jobs;
  std::vector<Job> outbox;  // I/O thread: not handed over yet
  bool asleep = false;
  bool stop = false;
  std::thread thread;
};

}  // namespace

struct DetectPool::State : std::enable_shared_from_this<State> {
  State(EventLoop& runs_on, Options chosen, Callbacks called)
      : loop(runs_on),
        options(std::move(chosen)),
        callbacks(std::move(called)),
        workers(static_cast<std::size_t>(options.threads)) {}

  EventLoop& loop;
  const Options options;
  const Callbacks callbacks;
  std::vector<Worker> workers;
  std::size_t unanswered = 0;                         // I/O thread; those in programs left out
  std::unordered_set<fetch::Token> running_programs;  // I/O thread
  bool was_full = false;                              // I/O thread
  bool flush_posted = false;                          // I/O thread

  std::mutex results_mutex;
  std::vector<Hashed> results;
  std::chrono::nanoseconds busy{0};  // of all threads, for these results
  bool delivery_posted = false;

  // Handed over together, once the event loop has been through what was ready: waking a thread for
  // every body costs more than hashing a small one.
  void submit(Job job) {
    options.rooms.of(job.keep)->add(job.bytes.size());
    workers[static_cast<std::size_t>(job.token) % workers.size()].outbox.push_back(std::move(job));
    if (std::exchange(flush_posted, true)) return;
    loop.post([self = shared_from_this()] { self->flush(); });
  }

  void flush() {
    flush_posted = false;
    for (Worker& worker : workers) {
      if (worker.outbox.empty()) continue;
      bool wake = false;
      {
        std::lock_guard lock(worker.mutex);
        if (worker.jobs.empty()) {
          worker.jobs.swap(worker.outbox);
        } else {
          std::move(worker.outbox.begin(), worker.outbox.end(), std::back_inserter(worker.jobs));
        }
        wake = std::exchange(worker.asleep, false);
      }
      worker.outbox.clear();
      if (wake) worker.ready.notify_one();
    }
  }

  void work(Worker& worker) {
    IncomingBodies bodies;
    std::vector<Job> jobs;
    std::vector<Hashed> done;
    for (;;) {
      {
        std::unique_lock lock(worker.mutex);
        worker.asleep = worker.jobs.empty();
        worker.ready.wait(lock, [&] { return worker.stop || !worker.jobs.empty(); });
        if (worker.stop) return;
        worker.asleep = false;
        jobs.swap(worker.jobs);
      }
      std::size_t let_go = 0;  // bytes that are hashed and not kept
      SteadyTime since = std::chrono::steady_clock::now();
      for (Job& job : jobs) {
        if (job.keep == Keep::no) let_go += job.bytes.size();
        take(job, bodies, done);
        const SteadyTime now = std::chrono::steady_clock::now();
        if (now - since < deliver_every && &job != &jobs.back()) continue;
        options.rooms.looks->give_back(std::exchange(let_go, 0));
        deliver(done, now - std::exchange(since, now));
      }
      jobs.clear();
    }
  }

  void take(Job& job, IncomingBodies& bodies, std::vector<Hashed>& done) {
    static const std::shared_ptr<ByteRoom> nowhere;
    const auto& keep_in = job.keep == Keep::no ? nowhere : options.rooms.of(job.keep);
    // Of one that came in pieces, and is kept nowhere, somebody may think that it goes on.
    const bool in_pieces = bodies.has(job.token);
    switch (job.step) {
      case Step::piece:
        return bodies.add(job.token, std::move(job.bytes), keep_in);
      case Step::finish:
        if (options.each_body) options.each_body();
        done.emplace_back(job.token, bodies.finish(job.token, std::move(job.bytes), keep_in));
        break;
      case Step::abandon:
        bodies.drop(job.token);
    }
    if (in_pieces && job.keep == Keep::no)
      options.rooms.looks->ended(static_cast<ByteRoom::Name>(job.token));
  }

  void looked(LookThreads::Looked&& ready) {
    for (auto& [token, found] : ready) {
      if (running_programs.erase(token) == 0) --unanswered;
      callbacks.looked(token, std::move(found));
    }
    tell_room();
  }

  void tell_room() {
    if (was_full && !is_full()) callbacks.room();
  }

  // Once it was full it is until a good part of it is empty again.
  bool is_full() {
    const std::size_t bytes = options.rooms.looks->bytes();
    // Bodies that come in pieces are paused before: others still find room.
    const std::size_t most_bytes = options.rooms.looks->most() * 5 / 4;
    if (bytes >= most_bytes || unanswered >= options.max_bodies) {
      was_full = true;
    } else if (bytes < options.rooms.looks->most() && unanswered < options.max_bodies / 2 + 1) {
      was_full = false;
    }
    return was_full;
  }

  void deliver(std::vector<Hashed>& done, std::chrono::nanoseconds took) {
    bool post = false;
    {
      std::lock_guard lock(results_mutex);
      busy += took;
      std::move(done.begin(), done.end(), std::back_inserter(results));
      post = !std::exchange(delivery_posted, true);
    }
    done.clear();
    if (post) {
      loop.post([self = shared_from_this()] { self->hand_over(); });
    }
  }

  void hand_over() {
    std::vector<Hashed> ready;
    std::chrono::nanoseconds took{0};
    {
      std::lock_guard lock(results_mutex);
      ready.swap(results);
      // Pieces of bodies that are not complete yet count for the bodies that come next.
      if (!ready.empty()) took = std::exchange(busy, std::chrono::nanoseconds(0));
      delivery_posted = false;
    }
    unanswered -= ready.size();
    if (callbacks.served && !ready.empty()) {
      callbacks.served(ready.size(), std::chrono::duration<double>(took).count());
    }
    for (auto& [token, body] : ready) callbacks.hashed(token, std::move(body));
    tell_room();
  }
};

DetectPool::DetectPool(EventLoop& loop, Options options, Callbacks callbacks)
    : state_(std::make_shared<State>(loop, std::move(options), std::move(callbacks))) {
  for (Worker& worker : state_->workers) {
    worker.thread = std::thread([state = state_.get(), &worker] { state->work(worker); });
  }
  looks_ = std::make_unique<LookThreads>(
      loop, state_->options.looks,
      [state = state_.get()](LookThreads::Looked ready) { state->looked(std::move(ready)); });
}

DetectPool::~DetectPool() {
  looks_.reset();
  for (Worker& worker : state_->workers) {
    {
      std::lock_guard lock(worker.mutex);
      worker.stop = true;
    }
    worker.ready.notify_one();
    worker.thread.join();
  }
}

const std::shared_ptr<ByteRoom>& DetectPool::room(Keep keep) const {
  return state_->options.rooms.of(keep);
}

void DetectPool::add_piece(fetch::Token token, std::string piece, Keep keep) {
  state_->submit({token, Step::piece, std::move(piece), keep});
}

void DetectPool::finish(fetch::Token token, std::string last_piece, Keep keep) {
  ++state_->unanswered;
  state_->submit({token, Step::finish, std::move(last_piece), keep});
}

void DetectPool::look(fetch::Token token, LookTask task) {
  if (needs_program(*task.rules)) {
    state_->running_programs.insert(token);
  } else {
    ++state_->unanswered;
  }
  looks_->add(token, std::move(task));
}

std::vector<fetch::Token> DetectPool::drop_looks() {
  std::vector<fetch::Token> dropped = looks_->drop();
  for (const fetch::Token token : dropped) {
    if (state_->running_programs.erase(token) == 0) --state_->unanswered;
  }
  return dropped;
}

void DetectPool::end_programs() {
  looks_->end_programs();
}

void DetectPool::abandon(fetch::Token token) {
  state_->submit({token, Step::abandon, {}});
}

bool DetectPool::full() const {
  return state_->is_full();
}

std::size_t DetectPool::waiting() const {
  return state_->unanswered;
}

}  // namespace pollux::engine
