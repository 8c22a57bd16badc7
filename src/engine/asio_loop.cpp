#include "engine/asio_loop.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pollux::engine {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// Instants are the steady clock's (base/clock.hpp).
SteadyTime steady(Instant at) {
  constexpr auto longest = std::chrono::hours(24 * 365);  // far from an overflow
  const SteadyTime limit = std::chrono::steady_clock::now() + longest;
  if (at.time_since_epoch() > limit.time_since_epoch()) return limit;
  return SteadyTime(at.time_since_epoch());
}

// A wait that fires too early only checks again; moving Asio's at every turn would cost a system
// call each.
class AsioTimer final : public Timer {
 public:
  explicit AsioTimer(boost::asio::io_context& io) : timer_(io) {}

  void arm(Instant at, std::function<void()> handler) override {
    handler_ = std::move(handler);
    deadline_ = steady(at);
    if (deadline_ < armed_for_) wait();
  }
  void cancel() override {
    handler_ = nullptr;
    armed_for_ = SteadyTime::max();
    timer_.cancel();
  }

 private:
  void wait() {
    armed_for_ = deadline_;
    timer_.expires_at(deadline_);
    timer_.async_wait(
        [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
          if (error || alive.expired()) return;
          armed_for_ = SteadyTime::max();
          if (!handler_) return;
          if (std::chrono::steady_clock::now() < deadline_) return wait();
          std::exchange(handler_, nullptr)();
        });
  }

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // a wait may end after the timer
  boost::asio::steady_timer timer_;
  std::function<void()> handler_;  // empty: nobody waits
  SteadyTime deadline_{};
  SteadyTime armed_for_ = SteadyTime::max();  // when Asio's timer fires
};

}  // namespace

void AsioLoop::post(std::function<void()> handler) {
  boost::asio::post(io_, std::move(handler));
}

std::unique_ptr<Timer> AsioLoop::make_timer() {
  return std::make_unique<AsioTimer>(io_);
}

}  // namespace pollux::engine
