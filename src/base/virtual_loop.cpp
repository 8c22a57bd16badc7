#include "pollux/base/virtual_loop.hpp"

#include <optional>

namespace pollux {

class VirtualLoop::WaitingTimer final : public Timer {
 public:
  explicit WaitingTimer(VirtualLoop& loop) : loop_(loop) {}
  ~WaitingTimer() override { WaitingTimer::cancel(); }

  void arm(Instant at, std::function<void()> handler) override {
    cancel();
    key_ = Key{at, ++loop_.armed_};
    loop_.waits_.emplace(*key_, std::move(handler));
  }
  void cancel() override {
    // A wait that has fired is not there any more, and its key is never used again.
    if (key_) loop_.waits_.erase(*key_);
    key_.reset();
  }

 private:
  VirtualLoop& loop_;
  std::optional<Key> key_;
};

std::unique_ptr<Timer> VirtualLoop::make_timer() {
  return std::make_unique<WaitingTimer>(*this);
}

void VirtualLoop::run_until(Instant end) {
  for (;;) {
    if (!posted_.empty()) {
      const auto handler = std::move(posted_.front());
      posted_.pop_front();
      ++steps_;
      handler();
      continue;
    }
    const auto first = waits_.begin();
    if (first == waits_.end() || first->first.first > end) break;
    if (first->first.first > clock_.now()) clock_.set(first->first.first);
    const auto handler = std::move(first->second);
    waits_.erase(first);
    ++steps_;
    handler();
  }
  if (end > clock_.now()) clock_.set(end);
}

}  // namespace pollux
