#include "extract/child.hpp"

#include "extract/no_sockets.hpp"
#include "pollux/base/blocked_signals.hpp"
#include "pollux/base/process_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::extract {
namespace {

constexpr rlim_t open_files = 64;
// Counted over all processes of the user, the daemon's threads among them, on kernels before 5.14.
constexpr rlim_t processes = 512;
constexpr auto longest_wait = std::chrono::milliseconds(1000);

void limit(__rlimit_resource_t what, rlim_t soft, rlim_t hard) {
  const rlimit wanted{soft, hard};
  ::setrlimit(what, &wanted);
}

// Runs between vfork and exec, in the memory of the parent: system calls only, and nothing is
// written but what the parent waits for.
void bound_this_process(const ChildLimits& limits) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0, 0);
  if (limits.niceness != 0) ::setpriority(PRIO_PROCESS, 0, limits.niceness);
  if (limits.confined == Confined::no) return;
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CPU, limits.seconds, limits.seconds + 1);
  itimerval timer{};
  timer.it_value.tv_sec = limits.timer.count() / 1000;
  timer.it_value.tv_usec = limits.timer.count() % 1000 * 1000;
  ::setitimer(ITIMER_PROF, &timer, nullptr);  // it stays when another program takes over
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_NPROC, processes, processes);
}

void restore_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (const int signal :
       {SIGPIPE, SIGXFSZ, SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPROF})
    ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

struct Start {
  char* const* argv;
  char* const* environment;
  int input, output, errors;
  ChildLimits limits;
  volatile int problem;  // written by the child, in the parent's memory
};

[[noreturn]] void become_program(Start& start) {
  bound_this_process(start.limits);
  const bool confined = start.limits.confined == Confined::yes;
  if (confined) forbid_sockets();
  ::dup2(start.input, 0);
  ::dup2(start.output, 1);
  ::dup2(start.errors, 2);
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  if (::chdir("/") != 0) {
    start.problem = errno;
    ::_exit(127);
  }
  if (confined) {
    limit(RLIMIT_NOFILE, open_files, open_files);
    limit(RLIMIT_AS, start.limits.memory, start.limits.memory);
  }
  restore_signals();
  ::execve(start.argv[0], start.argv, start.environment);
  start.problem = errno;
  ::_exit(127);
}

// In a function of its own: nothing of the caller's frame lives in registers across the return of
// both.
[[gnu::noinline]] pid_t spawn(Start& start) {
  const pid_t child = ::vfork();
  if (child == 0) become_program(start);
  return child;
}

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What is there now. False: its other end is closed.
bool take(int from, Sink& sink, bool& too_much) {
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t size = ::read(from, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (size == 0) return false;
    if (sink.heard != nullptr && *sink.heard)
      (*sink.heard)(std::string_view(piece.data(), static_cast<std::size_t>(size)));
    const std::size_t room = sink.most - std::min(sink.most, sink.text->size());
    sink.text->append(piece.data(), std::min(room, static_cast<std::size_t>(size)));
    if (static_cast<std::size_t>(size) > room) {
      too_much = true;
      return true;
    }
  }
}

}  // namespace

StopSignal::StopSignal() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopSignal::~StopSignal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Without a descriptor it is heard of a moment later: nobody waits longer than `longest_wait`.
void StopSignal::raise() {
  if (raised_.exchange(true) || descriptor_ < 0) return;
  const std::uint64_t one = 1;
  while (::write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

ChildLimits ChildLimits::of(const ProgramBounds& bounds) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(
      bounds.deadline - std::chrono::steady_clock::now());
  // A whole second more than the wall clock allows: that one says what happened.
  const auto seconds = std::clamp<std::chrono::seconds::rep>(left.count() + 2, 2, 3600);
  return {.seconds = static_cast<unsigned long>(seconds),
          .timer = bounds.processor,
          .memory = bounds.memory,
          .confined = bounds.confined,
          .niceness = bounds.niceness};
}

int Child::open_pipes() {
  for (auto [ours, theirs] : {std::pair(&output_, &to_output_), std::pair(&errors_, &to_errors_)}) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    *ours = Descriptor(ends[0]);
    *theirs = Descriptor(ends[1]);
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return errno;
  }
  return 0;
}

int Child::started(pid_t child) {
  to_output_.close();
  to_errors_.close();
  pid_ = child;
  process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!process_) {
    const int problem = errno;
    end();
    return problem;
  }
  return 0;
}

int Child::start_program(char* const* argv, char* const* environment, int input,
                         const ChildLimits& limits) {
  if (const int problem = open_pipes(); problem != 0) return problem;
  Start start{argv, environment, input, to_output_.get(), to_errors_.get(), limits, 0};
  pid_t child = -1;
  int problem = 0;
  {
    const AllSignalsBlocked blocked;
    child = spawn(start);
    if (child < 0) problem = errno;
  }
  if (child < 0) return problem;
  if (start.problem != 0) {
    ::waitpid(child, nullptr, 0);
    return start.problem;
  }
  return started(child);
}

int Child::start_work(const std::function<std::string()>& work, const ChildLimits& limits) {
  if (const int problem = open_pipes(); problem != 0) return problem;
  pid_t child = -1;
  int problem = 0;
  // What a copy of this process has to begin with; 0: not known.
  const rlim_t has = process_memory().address_space;
  {
    const AllSignalsBlocked blocked;
    child = ::fork();
    if (child < 0) problem = errno;
    if (child == 0) {
      bound_this_process(limits);
      if (has > 0) limit(RLIMIT_AS, has + limits.memory, has + limits.memory);
      restore_signals();
      write_all(to_output_.get(), work());
      ::_exit(0);
    }
  }
  if (child < 0) return problem;
  return started(child);
}

Watched Child::watch(std::chrono::steady_clock::time_point deadline, const StopSignal* stop,
                     Sink output, Sink errors) {
  bool ended = false;
  const int stop_descriptor = stop != nullptr ? stop->descriptor() : -1;
  while (!ended) {
    if (stop != nullptr && stop->raised()) return Watched::stopped;
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return Watched::out_of_time;
    const auto wait = std::min<std::chrono::steady_clock::duration>(deadline - now, longest_wait);
    std::array<pollfd, 4> polled = {{{process_.get(), POLLIN, 0},
                                     {output_.get(), POLLIN, 0},
                                     {errors_.get(), POLLIN, 0},
                                     {stop_descriptor, POLLIN, 0}}};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    if (::poll(polled.data(), polled.size(), static_cast<int>(milliseconds)) < 0 && errno != EINTR)
      return Watched::out_of_time;
    ended = polled[0].revents != 0;
    // When the child has ended, what it wrote is there; others that hold the pipe are not waited
    // for.
    bool too_much = false, cut = false;
    if (output_ && (ended || polled[1].revents != 0) && !take(output_.get(), output, too_much))
      output_.close();
    if (too_much) return Watched::too_much;
    if (errors_ && (ended || polled[2].revents != 0) && !take(errors_.get(), errors, cut))
      errors_.close();
  }
  return Watched::ended;
}

int Child::end() {
  if (pid_ < 0) return status_;
  // Before it is waited for: as long as nobody did, its number names no other group.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // it may have died before it had a group
  while (::waitpid(pid_, &status_, 0) < 0) {
    if (errno == EINTR) continue;
    status_ = SIGKILL;  // somebody else waited for it: how it ended is not known
    break;
  }
  pid_ = -1;
  return status_;
}

}  // namespace pollux::extract
