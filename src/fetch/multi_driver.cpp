#include "fetch/multi_driver.hpp"

#include "fetch/chunk_heads.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace pollux::fetch {

namespace asio = boost::asio;

namespace {

// After so long the rest of the program gets its turn.
constexpr auto longest_turn = std::chrono::milliseconds(5);
// A connection that fills its quota with anything but an answer so many turns in a row is ended:
// 8 MiB that cost as much as thousands of polls.
constexpr std::uint8_t most_barren_turns = 64;

int make_epoll_set() {
  const int fd = ::epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return fd;
}

std::uint64_t pack(curl_socket_t fd, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(fd);
}

}  // namespace

static_assert(CURL_POLL_IN == CURL_CSELECT_IN && CURL_POLL_OUT == CURL_CSELECT_OUT);
static_assert(CURL_POLL_INOUT == (CURL_POLL_IN | CURL_POLL_OUT));

MultiDriver::MultiDriver(asio::io_context& io, Listener& listener)
    : io_(io),
      listener_(listener),
      multi_(curl_multi_init()),
      anchor_(std::make_shared<MultiDriver*>(this)),
      set_(io, make_epoll_set()),
      timer_(io) {
  if (multi_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &MultiDriver::socket_callback);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &MultiDriver::timer_callback);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  wait_for_events();
}

MultiDriver::~MultiDriver() {
  *anchor_ = nullptr;
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

MultiDriver::Watch& MultiDriver::slot(curl_socket_t fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= watches_.size()) watches_.resize(index + 1);
  return watches_[index];
}

// Before the descriptor is closed, which takes it out of the set: what is left are its events.
void MultiDriver::give_back(curl_socket_t fd) {
  Watch& watch = slot(fd);
  if (watch.waiting >= 0) ::close(watch.waiting);
  mark_stale(watch, false);
  watch = {.generation = watch.generation + 1};
}

void MultiDriver::mark_stale(Watch& watch, bool stale) {
  if (watch.stale == stale) return;
  watch.stale = stale;
  stale_ += stale ? 1 : std::size_t{0} - 1;
}

bool MultiDriver::is_stale(const ConnectionEnds& ends) {
  if (stale_ == 0) return false;
  const curl_socket_t fd = find_socket(ends);
  return fd != CURL_SOCKET_BAD && slot(fd).stale;
}

bool MultiDriver::hold(curl_socket_t fd) {
  Watch& watch = slot(fd);
  if (!watch.ours || watch.waiting >= 0) return false;
  subscribe(fd, 0);
  watch.waiting = hold_.hold(fd);
  if (watch.waiting < 0) this->watch(fd, watch.wanted);
  return watch.waiting >= 0;
}

void MultiDriver::release(curl_socket_t fd) {
  Watch& watch = slot(fd);
  if (watch.waiting < 0) return;
  SocketHold::release(fd, std::exchange(watch.waiting, -1));
  this->watch(fd, watch.wanted);
}

curl_socket_t MultiDriver::find_socket(const ConnectionEnds& ends) {
  const auto matches = [&](curl_socket_t fd) {
    Watch& watch = slot(fd);
    if (!watch.ours || watch.waiting >= 0) return false;
    if (watch.local_port == 0) watch.local_port = local_port_of(fd);
    return watch.local_port == ends.local_port && is_connection(fd, ends);
  };
  if (const auto found = by_local_port_.find(ends.local_port);
      found != by_local_port_.end() && matches(found->second)) {
    return found->second;
  }
  for (curl_socket_t fd = 0; fd < static_cast<curl_socket_t>(watches_.size()); ++fd) {
    if (!matches(fd)) continue;
    by_local_port_[ends.local_port] = fd;
    return fd;
  }
  return CURL_SOCKET_BAD;
}

curl_socket_t MultiDriver::open_socket(const curl_sockaddr& address) {
  const int fd = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  give_back(fd);
  slot(fd).ours = true;
  return fd;
}

int MultiDriver::close_socket(void* self, curl_socket_t fd) {
  static_cast<MultiDriver*>(self)->give_back(fd);
  return ::close(fd);
}

void MultiDriver::watch(curl_socket_t fd, int what) {
  Watch& watch = slot(fd);
  watch.wanted = what == CURL_POLL_REMOVE ? 0 : what & CURL_POLL_INOUT;
  // A body that was held back goes on.
  if (watch.wanted != 0) mark_stale(watch, false);
  if (watch.wanted == 0 && !watch.ours) {
    subscribe(fd, 0);
    ++watch.generation;
    return;
  }
  if (watch.waiting >= 0) return;
  // Readiness to read is asked for all the time: an idle connection seldom has any. Readiness to
  // write is there nearly always, so it is asked for only while it is wanted.
  std::uint32_t events = watch.registered & EPOLLIN;
  if (watch.wanted & CURL_POLL_IN) events |= EPOLLIN;
  if (watch.wanted & CURL_POLL_OUT) events |= EPOLLOUT;
  subscribe(fd, events);
}

// A descriptor that epoll does not take is left to the time-out of its transfer.
void MultiDriver::subscribe(curl_socket_t fd, std::uint32_t events) {
  Watch& watch = slot(fd);
  if (events == watch.registered) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = pack(fd, watch.generation);
  const int change = events == 0             ? EPOLL_CTL_DEL
                     : watch.registered == 0 ? EPOLL_CTL_ADD
                                             : EPOLL_CTL_MOD;
  const int failed = ::epoll_ctl(set_.native_handle(), change, fd, &event);
  watch.registered = failed ? 0 : events;
}

void MultiDriver::wait_for_events() {
  set_.async_wait(asio::posix::stream_descriptor::wait_read,
                  [anchor = anchor_](const boost::system::error_code& error) {
                    if (*anchor != nullptr && !error) (*anchor)->on_events();
                  });
}

void MultiDriver::on_events() {
  const int count = ::epoll_wait(set_.native_handle(), events_.data(), events_a_round, 0);
  next_event_ = 0;
  event_count_ = static_cast<std::size_t>(std::max(count, 0));
  continue_events();
}

void MultiDriver::continue_events() {
  const TimePoint enough = std::chrono::steady_clock::now() + longest_turn;
  while (next_event_ < event_count_) {
    const epoll_event event = events_[next_event_++];
    on_event(static_cast<curl_socket_t>(event.data.u64 & 0xffffffff),
             static_cast<std::uint32_t>(event.data.u64 >> 32), event.events);
    if (next_event_ < event_count_ && std::chrono::steady_clock::now() > enough) {
      asio::post(io_, [anchor = anchor_] {
        if (*anchor != nullptr) (*anchor)->continue_events();
      });
      return;
    }
  }
  wait_for_events();
}

void MultiDriver::on_event(curl_socket_t fd, std::uint32_t generation, std::uint32_t events) {
  Watch& watch = slot(fd);
  if (watch.generation != generation || watch.waiting >= 0) return;
  constexpr std::uint32_t broken = EPOLLERR | EPOLLHUP;  // curl finds out by reading or writing
  int ready = 0;
  if (events & (EPOLLIN | broken)) ready |= watch.wanted & CURL_POLL_IN;
  if (events & (EPOLLOUT | broken)) ready |= watch.wanted & CURL_POLL_OUT;
  if (ready == 0) {
    if (watch.wanted == 0) mark_stale(watch, true);
    subscribe(fd, 0);  // nobody listens, and it would be told again and again
    if (watch.wanted != 0) this->watch(fd, watch.wanted);
    return;
  }
  enter(fd, ready);
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
  // A timer that fires too early only checks again; moving it at every request would cost a system
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
  quota_.begin_turn();
  content_ = 0;
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
  if (fd != CURL_SOCKET_TIMEOUT) judge(fd);
  listener_.on_turn();
  // An answer was the start of the next request, and curl wants to be called for it: at once, while
  // handle and connection are still in the processor's cache.
  if (fd == CURL_SOCKET_TIMEOUT || !std::exchange(time_is_up_, false)) return;
  quota_.begin_turn();
  curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  listener_.on_turn();
}

// The transfer then ends as if the server had closed the connection.
void MultiDriver::judge(curl_socket_t fd) {
  Watch& watch = slot(fd);
  const std::uint64_t taken = quota_.taken();
  if (taken < TurnQuota::bytes_a_turn || content_ * least_content > taken) {
    watch.barren = 0;
  } else if (++watch.barren >= most_barren_turns && watch.ours) {
    watch.barren = 0;
    ::shutdown(fd, SHUT_RDWR);
  }
}

}  // namespace pollux::fetch
