#include "engine/look_threads.hpp"

#include "engine/known_texts.hpp"
#include "engine/look_queue.hpp"
#include "pollux/extract/children.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include <pthread.h>

namespace pollux::engine {
namespace {

// A queue and the threads that serve it.
struct Lane {
  explicit Lane(std::size_t most_of_a_host) : queue(most_of_a_host) {}
  LookQueue queue;  // under the mutex
  std::condition_variable ready;
  std::vector<std::thread> threads;
};

}  // namespace

struct LookThreads::State : std::enable_shared_from_this<State> {
  State(EventLoop& runs_on, Options chosen, std::function<void(Looked)> called)
      : loop(runs_on),
        options(std::move(chosen)),
        looked(std::move(called)),
        quick(static_cast<std::size_t>(options.threads)),
        programs(std::max<std::size_t>(static_cast<std::size_t>(options.program_threads), 2) - 1) {}

  EventLoop& loop;
  const Options options;
  const std::function<void(Looked)> looked;
  KnownTexts texts{options.database};
  extract::StopSignal end_programs;

  std::mutex mutex;
  Lane quick, programs;
  Looked done;
  bool delivery_posted = false;
  bool stop = false;

  void put(Lane& lane, LookQueue::Waiting look) {
    {
      const std::lock_guard lock(mutex);
      lane.queue.put(std::move(look));
    }
    lane.ready.notify_one();
  }

  void serve(Lane& lane) {
    while (true) {
      std::optional<LookQueue::Waiting> next;
      {
        std::unique_lock lock(mutex);
        lane.ready.wait(lock, [&] { return stop || (next = lane.queue.take()).has_value(); });
        if (stop) return;
      }
      const HostSlot host = next->task.host;
      const bool large = next->large();
      Look found = look_into(std::move(next->task), &lane == &programs);
      const std::unique_ptr<LookTask> again = std::move(found.wants_program);
      if (!again) deliver(next->token, std::move(found));
      {
        const std::lock_guard lock(mutex);
        lane.queue.done(host, large);
      }
      lane.ready.notify_one();  // another one of its host, or a large one
      if (again) put(programs, {next->token, std::move(*again)});
    }
  }

  Look look_into(LookTask task, bool may_run_programs) {
    Look broken_off;
    const auto failed = [&broken_off](const std::string& why) {
      broken_off.failure = {extract::Failure::Kind::too_complex, why};
    };
    try {
      if (options.each_look) options.each_look(task);
      extract::Children children{.stop = &end_programs, .refused = !may_run_programs};
      Look found = engine::look(std::move(task), texts, &children);
      found.dropped = found.dropped || (found.failure && end_programs.raised());
      return found;
    } catch (const std::bad_alloc&) {
      failed("not enough memory");
    } catch (const std::exception& problem) {
      failed(problem.what());
    }
    return broken_off;
  }

  void deliver(fetch::Token token, Look found) {
    {
      const std::lock_guard lock(mutex);
      done.emplace_back(token, std::move(found));
      if (std::exchange(delivery_posted, true)) return;
    }
    loop.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->hand_over();
    });
  }

  void hand_over() {
    Looked ready;
    {
      const std::lock_guard lock(mutex);
      ready.swap(done);
      delivery_posted = false;
    }
    looked(std::move(ready));
  }

  void begin(Lane& lane, int threads, const char* name) {
    for (int i = 0; i < threads; ++i) {
      lane.threads.emplace_back([this, &lane] { serve(lane); });
      pthread_setname_np(lane.threads.back().native_handle(), name);  // for top -H
    }
  }
};

LookThreads::LookThreads(EventLoop& loop, Options options, std::function<void(Looked)> looked)
    : state_(std::make_shared<State>(loop, std::move(options), std::move(looked))) {
  state_->begin(state_->quick, state_->options.threads, "look");
  state_->begin(state_->programs, state_->options.program_threads, "programs");
}

LookThreads::~LookThreads() {
  state_->end_programs.raise();
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  for (Lane* lane : {&state_->quick, &state_->programs}) {
    lane->ready.notify_all();
    for (std::thread& thread : lane->threads) thread.join();
  }
}

void LookThreads::add(fetch::Token token, LookTask task) {
  Lane& lane = needs_program(*task.rules) ? state_->programs : state_->quick;
  state_->put(lane, {token, std::move(task)});
}

std::vector<fetch::Token> LookThreads::drop() {
  const std::lock_guard lock(state_->mutex);
  std::vector<fetch::Token> dropped = state_->quick.queue.drop();
  const std::vector<fetch::Token> more = state_->programs.queue.drop();
  dropped.insert(dropped.end(), more.begin(), more.end());
  return dropped;
}

void LookThreads::end_programs() {
  state_->end_programs.raise();
}

}  // namespace pollux::engine
