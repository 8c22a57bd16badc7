// The bucket in JetStream's key-value store. Its calls wait for an answer, so they are made one
// after another on a thread of their own. The bucket is in memory: on disk a server that comes
// back may number revisions differently from the others, and then a correct update() fails.
#pragma once

#include "bus/nats_core.hpp"

#include <thread>

namespace pollux::bus {

class NatsBucket {
 public:
  NatsBucket(std::shared_ptr<NatsCore> core, const Options& options);
  ~NatsBucket();  // what waits is not answered any more

  using Got = std::function<void(Result<std::optional<Entry>>)>;
  using Written = std::function<void(Wrote, std::uint64_t)>;
  void get(std::string key, Got done);
  // Revision 0: there must be none.
  void update(std::string key, std::string value, std::uint64_t revision, Written done);
  void remove(std::string key, std::function<void(bool)> done);

 private:
  using Answer = std::function<void()>;
  struct Call {
    std::function<Answer(kvStore*)> make;
    Answer unreachable;
  };
  void add(Call call);
  void run();
  Answer answer(const Call& call);
  kvStore* reach();  // none when it cannot be reached
  void forget();     // the store is looked up again before the next call
  // True if the call worked or was refused for a reason of its own; otherwise the store is
  // forgotten.
  bool reached(natsStatus status);

  std::shared_ptr<NatsCore> core_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Call> calls_;  // under the mutex
  bool stopping_ = false;   // under the mutex
  // The thread's.
  NatsConnection connection_;
  jsCtx* stream_ = nullptr;
  kvStore* store_ = nullptr;
  std::thread thread_;
};

}  // namespace pollux::bus
