#include "fetch/multi_driver.hpp"

#include <new>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

namespace pollux::fetch {

namespace asio = boost::asio;

// One descriptor slot. The object stays when curl gives the socket back and serves the next socket
// with the same number; `generation` tells their events apart.
struct MultiDriver::Watch {
  Watch(asio::io_context& io, std::shared_ptr<MultiDriver*> anchor)
      : driver(std::move(anchor)), descriptor(io) {}

  // Never closes: the descriptor is curl's.
  void give_back() {
    ++generation;
    wanted = armed = 0;
    if (descriptor.is_open()) descriptor.release();
  }

  std::shared_ptr<MultiDriver*> driver;
  asio::posix::stream_descriptor descriptor;
  std::uint64_t generation = 0;
  int wanted = 0;  // CURL_POLL_IN | CURL_POLL_OUT
  int armed = 0;   // the same bits: a wait is outstanding
};

static_assert(CURL_POLL_IN == CURL_CSELECT_IN && CURL_POLL_OUT == CURL_CSELECT_OUT);
static_assert(CURL_POLL_INOUT == (CURL_POLL_IN | CURL_POLL_OUT));

MultiDriver::MultiDriver(asio::io_context& io, Listener& listener)
    : io_(io),
      listener_(listener),
      multi_(curl_multi_init()),
      anchor_(std::make_shared<MultiDriver*>(this)),
      timer_(io) {
  if (multi_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &MultiDriver::socket_callback);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &MultiDriver::timer_callback);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

MultiDriver::~MultiDriver() {
  *anchor_ = nullptr;
  for (const WatchPtr& watch : watches_) {
    if (watch) watch->give_back();
  }
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_cleanup(multi_);
}

int MultiDriver::socket_callback(CURL*, curl_socket_t fd, int what, void* self, void*) {
  static_cast<MultiDriver*>(self)->watch(fd, what);
  return 0;
}

int MultiDriver::timer_callback(CURLM*, long milliseconds, void* self) {
  static_cast<MultiDriver*>(self)->set_timer(milliseconds);
  return 0;
}

void MultiDriver::watch(curl_socket_t fd, int what) {
  const auto slot = static_cast<std::size_t>(fd);
  if (slot >= watches_.size()) watches_.resize(slot + 1);
  WatchPtr& watch = watches_[slot];
  if (!watch) watch = std::make_shared<Watch>(io_, anchor_);
  if (what == CURL_POLL_REMOVE) {
    watch->give_back();
    return;
  }
  if (!watch->descriptor.is_open()) {
    boost::system::error_code failed;  // the transfer then ends by its time-out
    watch->descriptor.assign(fd, failed);
    if (failed) return;
  }
  watch->wanted = what & CURL_POLL_INOUT;
  arm(watch);
}

void MultiDriver::arm(const WatchPtr& watch) {
  const int missing = watch->wanted & ~watch->armed;
  if (missing & CURL_POLL_IN) arm_wait(watch, CURL_POLL_IN);
  if (missing & CURL_POLL_OUT) arm_wait(watch, CURL_POLL_OUT);
}

void MultiDriver::arm_wait(const WatchPtr& watch, int direction) {
  watch->armed |= direction;
  const auto event = direction == CURL_POLL_IN ? asio::posix::stream_descriptor::wait_read
                                               : asio::posix::stream_descriptor::wait_write;
  watch->descriptor.async_wait(event, [watch, direction, generation = watch->generation](
                                          const boost::system::error_code& error) {
    if (generation != watch->generation) return;
    watch->armed &= ~direction;
    if (MultiDriver* driver = *watch->driver) {
      driver->on_event(watch, direction, error.failed());
    }
  });
}

void MultiDriver::on_event(const WatchPtr& watch, int direction, bool failed) {
  if ((watch->wanted & direction) == 0) return;
  const std::uint64_t generation = watch->generation;
  enter(watch->descriptor.native_handle(), failed ? CURL_CSELECT_ERR : direction);
  if (generation == watch->generation) arm(watch);
}

void MultiDriver::set_timer(long milliseconds) {
  deadline_ = TimePoint::max();
  time_is_up_ = milliseconds == 0;
  if (milliseconds < 0) {
    if (armed_for_ != TimePoint::max()) timer_.cancel();
    armed_for_ = TimePoint::max();
    return;
  }
  if (milliseconds == 0) {
    request_turn();
    return;
  }
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  // A timer that fires too early only looks again; moving it at every request would cost a system
  // call each.
  if (deadline_ < armed_for_) arm_timer();
}

void MultiDriver::arm_timer() {
  armed_for_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([anchor = anchor_](const boost::system::error_code& error) {
    if (*anchor != nullptr && !error) (*anchor)->on_timer();
  });
}

void MultiDriver::on_timer() {
  armed_for_ = TimePoint::max();
  if (deadline_ == TimePoint::max()) return;
  if (std::chrono::steady_clock::now() < deadline_) {
    arm_timer();
    return;
  }
  deadline_ = TimePoint::max();
  enter(CURL_SOCKET_TIMEOUT, 0);
}

void MultiDriver::request_turn() {
  if (turn_posted_) return;
  turn_posted_ = true;
  asio::post(io_, [anchor = anchor_] {
    MultiDriver* driver = *anchor;
    if (driver == nullptr) return;
    driver->turn_posted_ = false;
    if (driver->time_is_up_) {
      driver->time_is_up_ = false;
      driver->enter(CURL_SOCKET_TIMEOUT, 0);
    } else {
      driver->listener_.on_turn();
    }
  });
}

void MultiDriver::enter(curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
  listener_.on_turn();
}

}  // namespace pollux::fetch
