#include "engine/detect_pool.hpp"

#include "engine/known_texts.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_map>
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
using Looked = std::pair<fetch::Token, Look>;

// A body of which pieces have come.
struct OpenBody {
  detect::Digest digest;
  std::string kept;
  bool let_go = false;
};
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
        workers(static_cast<std::size_t>(chosen.threads)) {}

  EventLoop& loop;
  const Options options;
  const Callbacks callbacks;
  std::vector<Worker> workers;
  KnownTexts texts{options.database};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> kept{0};  // bytes of bodies of which only pieces have come
  std::size_t unanswered = 0;        // I/O thread
  bool was_full = false;             // I/O thread
  bool flush_posted = false;         // I/O thread

  std::mutex results_mutex;
  std::vector<Hashed> results;
  std::chrono::nanoseconds busy{0};  // of all threads, for these results
  bool delivery_posted = false;

  std::mutex looks_mutex;
  std::condition_variable looks_ready;
  std::deque<std::pair<fetch::Token, LookTask>> looks;
  std::vector<Looked> looked;
  bool looked_posted = false;
  bool looks_stop = false;
  std::vector<std::thread> look_threads;

  // Handed over together, once the event loop has been through what was ready: waking a thread for
  // every body costs more than hashing a small one.
  void submit(Job job) {
    bytes += job.bytes.size();
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
    std::unordered_map<fetch::Token, OpenBody> open;
    detect::Digest whole;
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
      std::size_t handled = 0;
      SteadyTime since = std::chrono::steady_clock::now();
      for (Job& job : jobs) {
        handled += job.bytes.size();
        const auto found = open.find(job.token);
        switch (job.step) {
          case Step::piece:
            take_piece(found == open.end() ? open[job.token] : found->second, job);
            break;
          case Step::finish: {
            if (options.each_body) options.each_body();
            done.emplace_back(job.token,
                              finish(found == open.end() ? nullptr : &found->second, whole, job));
            [[fallthrough]];
          }
          case Step::abandon:
            if (found != open.end()) {
              kept -= found->second.kept.size();
              open.erase(found);
            }
        }
        std::string().swap(job.bytes);
        const SteadyTime now = std::chrono::steady_clock::now();
        if (now - since < deliver_every && &job != &jobs.back()) continue;
        bytes -= std::exchange(handled, 0);
        deliver(done, now - std::exchange(since, now));
      }
      jobs.clear();
    }
  }

  void take_piece(OpenBody& body, const Job& job) {
    body.digest.update(job.bytes);
    if (job.keep == Keep::no || body.let_go) return;
    if (kept + job.bytes.size() > options.max_kept) {
      // The hash alone tells whether it has to be asked for once more.
      kept -= body.kept.size();
      std::string().swap(body.kept);
      body.let_go = true;
      return;
    }
    kept += job.bytes.size();
    body.kept += job.bytes;
  }

  HashedBody finish(OpenBody* open, detect::Digest& whole, Job& job) {
    if (open != nullptr) {
      take_piece(*open, job);
      kept -= open->kept.size();
      return {open->digest.finish(), std::move(open->kept), open->let_go};
    }
    whole.update(job.bytes);
    HashedBody body{whole.finish(), {}, false};
    if (job.keep == Keep::yes) {
      body.body = std::move(job.bytes);
    }
    return body;
  }

  void look_on() {
    while (true) {
      std::pair<fetch::Token, LookTask> next;
      {
        std::unique_lock lock(looks_mutex);
        looks_ready.wait(lock, [&] { return looks_stop || !looks.empty(); });
        if (looks_stop) return;
        next = std::move(looks.front());
        looks.pop_front();
      }
      const std::size_t size = next.second.body.size();
      Look found = engine::look(std::move(next.second), texts);
      bytes -= size;
      bool post = false;
      {
        std::lock_guard lock(looks_mutex);
        looked.emplace_back(next.first, std::move(found));
        post = !std::exchange(looked_posted, true);
      }
      if (post) {
        loop.post([self = shared_from_this()] { self->hand_over_looks(); });
      }
    }
  }

  void hand_over_looks() {
    std::vector<Looked> ready;
    {
      std::lock_guard lock(looks_mutex);
      ready.swap(looked);
      looked_posted = false;
    }
    unanswered -= ready.size();
    for (auto& [token, found] : ready) callbacks.looked(token, std::move(found));
    tell_room();
  }

  void tell_room() {
    if (was_full && bytes < options.max_bytes / 2 && unanswered < options.max_bodies / 2 + 1) {
      was_full = false;
      callbacks.room();
    }
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
  for (int i = 0; i < state_->options.look_threads; ++i) {
    state_->look_threads.emplace_back([state = state_.get()] { state->look_on(); });
  }
}

DetectPool::~DetectPool() {
  for (Worker& worker : state_->workers) {
    {
      std::lock_guard lock(worker.mutex);
      worker.stop = true;
    }
    worker.ready.notify_one();
    worker.thread.join();
  }
  {
    std::lock_guard lock(state_->looks_mutex);
    state_->looks_stop = true;
  }
  state_->looks_ready.notify_all();
  for (std::thread& thread : state_->look_threads) thread.join();
}

void DetectPool::add_piece(fetch::Token token, std::string piece, Keep keep) {
  state_->submit({token, Step::piece, std::move(piece), keep});
}

void DetectPool::finish(fetch::Token token, std::string last_piece, Keep keep) {
  ++state_->unanswered;
  state_->submit({token, Step::finish, std::move(last_piece), keep});
}

void DetectPool::look(fetch::Token token, LookTask task) {
  ++state_->unanswered;
  state_->bytes += task.body.size();
  {
    std::lock_guard lock(state_->looks_mutex);
    state_->looks.emplace_back(token, std::move(task));
  }
  state_->looks_ready.notify_one();
}

void DetectPool::abandon(fetch::Token token) {
  state_->submit({token, Step::abandon, {}});
}

bool DetectPool::full() const {
  if (state_->bytes >= state_->options.max_bytes ||
      state_->unanswered >= state_->options.max_bodies) {
    state_->was_full = true;
  }
  return state_->was_full;
}

std::size_t DetectPool::waiting() const {
  return state_->unanswered;
}

}  // namespace pollux::engine
