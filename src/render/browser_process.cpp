#include "render/browser_process.hpp"

#include "pollux/base/blocked_signals.hpp"
#include "render/browser_flags.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::render {
namespace {

constexpr uid_t nobody = 65534;
constexpr rlim_t open_files = 4096;
constexpr rlim_t processes = 1024;             // and threads
constexpr rlim_t longest_file = 256ull << 20;  // shared memory, too
constexpr int longest_step_ms = 5000;
constexpr int backlog = 64;

// What the child does, in order; it tells which step failed.
enum class Step : unsigned char { dumpable, identity, loopback, listen, limits, program, ready };

const char* name_of(Step step) {
  switch (step) {
    case Step::dumpable:
    case Step::identity:
      return "becoming its user";
    case Step::loopback:
      return "raising its loopback interface";
    case Step::listen:
      return "listening for its proxy";
    case Step::limits:
      return "bounding it";
    case Step::program:
    case Step::ready:
      return "starting it";
  }
  return "";
}

struct Word {
  Step step = Step::ready;
  int problem = 0;
};

struct Start {
  char* const* argv;
  char* const* environment;
  int channel;      // to the parent
  int parents_end;  // of it: a copy
  int input, output;
  std::size_t listeners;
  rlim_t memory;
  bool drop;  // we are root
};

// --- Between clone and exec: system calls only, on memory that is a copy.

[[noreturn]] void fail(const Start& start, Step step) {
  const Word word{step, errno};
  static_cast<void>(::send(start.channel, &word, sizeof word, MSG_NOSIGNAL));
  ::_exit(127);
}

void wait_for_parent(const Start& start) {
  char byte = 0;
  if (::recv(start.channel, &byte, 1, 0) != 1) ::_exit(127);  // it is gone
}

bool raise_loopback() {
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::memcpy(static_cast<char*>(request.ifr_name), "lo", 3);
  request.ifr_flags = IFF_UP;
  const bool done = any >= 0 && ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
  ::close(any);
  return done;
}

int listener_on(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener < 0 ||
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, backlog) != 0)
    return -1;
  return listener;
}

// A word, and descriptors with it.
struct Parcel {
  Word word = {};
  iovec data{&word, sizeof word};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * BrowserProcess::most_listeners)] = {};
  msghdr message{};

  explicit Parcel(std::size_t room = sizeof space) {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = room;
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
};

bool pass_on(int channel, const int* descriptors, std::size_t count) {
  Parcel parcel(CMSG_SPACE(sizeof(int) * count));
  cmsghdr* const control = CMSG_FIRSTHDR(&parcel.message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int) * count);
  std::memcpy(CMSG_DATA(control), descriptors, sizeof(int) * count);
  return ::sendmsg(channel, &parcel.message, MSG_NOSIGNAL) == sizeof parcel.word;
}

bool limit(__rlimit_resource_t what, rlim_t most) {
  const rlimit wanted{most, most};
  return ::setrlimit(what, &wanted) == 0;
}

// Private writable memory counts, what is only reserved does not: V8 reserves terabytes.
bool bound(const Start& start) {
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, start.memory) &&
         limit(RLIMIT_FSIZE, longest_file) && limit(RLIMIT_NOFILE, open_files) &&
         limit(RLIMIT_NPROC, processes);
}

void restore_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < 32; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become_browser(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::close(start.parents_end);  // or its end would never be heard of
  // Else /proc/PID/uid_map would be root's. What it lets others see are a few milliseconds.
  if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) fail(start, Step::dumpable);
  const Word dumpable{Step::dumpable, 0};
  if (::send(start.channel, &dumpable, sizeof dumpable, MSG_NOSIGNAL) != sizeof dumpable)
    ::_exit(127);
  wait_for_parent(start);  // our names are mapped
  ::setsid();
  if (!raise_loopback()) fail(start, Step::loopback);
  std::array<int, BrowserProcess::most_listeners> listeners{};
  for (std::size_t i = 0; i < start.listeners; ++i) {
    listeners[i] = listener_on(first_proxy_port + static_cast<int>(i));
    if (listeners[i] < 0) fail(start, Step::listen);
  }
  // By system call: the C library would have every thread of a process do it, and here is one.
  if (start.drop && (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
                     ::syscall(SYS_setresgid, nobody, nobody, nobody) != 0 ||
                     ::syscall(SYS_setresuid, nobody, nobody, nobody) != 0))
    fail(start, Step::identity);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // again: another user, another process
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!bound(start)) fail(start, Step::limits);
  if (!pass_on(start.channel, listeners.data(), start.listeners)) fail(start, Step::listen);
  wait_for_parent(start);  // it was still there after it became certain that we end with it
  const int nothing = ::open("/dev/null", O_RDWR);
  const int channel = ::fcntl(start.channel, F_DUPFD, 10);
  const int input = ::fcntl(start.input, F_DUPFD, 10);
  const int output = ::fcntl(start.output, F_DUPFD, 10);
  for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
  ::dup2(input, 3);
  ::dup2(output, 4);
  ::dup2(channel, 5);
  ::fcntl(5, F_SETFD, FD_CLOEXEC);
  ::syscall(SYS_close_range, 6U, ~0U, 0U);
  if (::chdir("/") != 0) fail(start, Step::program);
  restore_signals();
  ::execve(start.argv[0], start.argv, start.environment);
  const Word word{Step::program, errno};
  static_cast<void>(::send(5, &word, sizeof word, MSG_NOSIGNAL));
  ::_exit(127);
}

// --- The parent's side.

Error problem_at(std::string_view what, int problem) {
  return Error{"the browser: " + std::string(what) + ": " +
               std::system_category().message(problem)};
}

bool write_file(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool done =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int problem = errno;
  if (file >= 0) ::close(file);
  errno = problem;
  return done;
}

Status map_names(pid_t child) {
  const std::string folder = "/proc/" + std::to_string(child) + "/";
  const bool root = ::geteuid() == 0;
  const std::string user = std::to_string(root ? nobody : ::geteuid());
  const std::string group = std::to_string(root ? nobody : ::getegid());
  if ((!root && !write_file(folder + "setgroups", "deny")) ||
      !write_file(folder + "gid_map", group + " " + group + " 1") ||
      !write_file(folder + "uid_map", user + " " + user + " 1"))
    return problem_at("its user namespace", errno);
  return success();
}

// The child's next word; what it passes on goes into `descriptors`.
Status listen_to(int channel, std::vector<int>& descriptors) {
  pollfd polled{channel, POLLIN, 0};
  if (::poll(&polled, 1, longest_step_ms) != 1)
    return Error{"the browser: its start takes too long"};
  Parcel parcel;
  msghdr& message = parcel.message;
  const Word& word = parcel.word;
  const ssize_t size = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  if (size != sizeof word) return Error{"the browser: it ended while it was started"};
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    descriptors.resize(count);
    std::memcpy(descriptors.data(), CMSG_DATA(at), count * sizeof(int));
  }
  if (word.problem != 0) return problem_at(name_of(word.step), word.problem);
  return success();
}

struct Ends {
  std::array<int, 2> ends{-1, -1};
  ~Ends() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  int take(std::size_t which) { return std::exchange(ends[which], -1); }
};

std::vector<char*> as_execve_wants(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

Result<std::unique_ptr<BrowserProcess>> BrowserProcess::start(const How& how) {
  const bool root = ::geteuid() == 0;
  Result<ProfileFolder> profile =
      ProfileFolder::make(root ? nobody : ::geteuid(), root ? nobody : ::getegid());
  if (!profile) return profile.error();
  std::unique_ptr<BrowserProcess> made(new BrowserProcess(std::move(*profile)));
  if (const Status begun = made->run(how); !begun) return begun.error();
  return made;
}

Status BrowserProcess::run(const How& how) {
  Ends channel, input, output;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.ends.data()) != 0 ||
      ::pipe2(input.ends.data(), O_CLOEXEC) != 0 || ::pipe2(output.ends.data(), O_CLOEXEC) != 0)
    return problem_at("its pipes", errno);
  const std::vector<std::string> words = browser_command(how.program, profile_.path());
  const std::vector<std::string> variables = {
      "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + profile_.path(), "TMPDIR=" + profile_.path()};
  const std::vector<char*> argv = as_execve_wants(words);
  const std::vector<char*> environment = as_execve_wants(variables);
  const Start start{argv.data(),     environment.data(), channel.ends[1],
                    channel.ends[0], input.ends[0],      output.ends[1],
                    how.listeners,   how.memory,         ::geteuid() == 0};
  {
    const AllSignalsBlocked blocked;
    const auto child = ::syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID | SIGCHLD,
                                 nullptr, nullptr, nullptr, nullptr);
    if (child == 0) become_browser(start);
    if (child < 0)
      return problem_at("namespaces of its own (the system must permit user namespaces)", errno);
    pid_ = static_cast<pid_t>(child);
  }
  ::close(channel.take(1));
  const int ours = channel.ends[0];
  const auto go_on = [ours] { return ::send(ours, "", 1, MSG_NOSIGNAL) == 1; };
  if (Status said = listen_to(ours, listeners_); !said) return said;
  if (Status mapped = map_names(pid_); !mapped) return mapped;
  if (!go_on()) return problem_at("its start", errno);
  if (Status said = listen_to(ours, listeners_); !said) return said;
  if (!go_on()) return problem_at("its start", errno);
  // The channel closes when another program has taken over.
  Word word;
  pollfd polled{ours, POLLIN, 0};
  if (::poll(&polled, 1, longest_step_ms) == 1 && ::recv(ours, &word, sizeof word, 0) > 0)
    return problem_at(how.program, word.problem);
  to_ = input.take(1);
  from_ = output.take(0);
  for (const int end : {to_, from_}) {
    if (::fcntl(end, F_SETFL, O_NONBLOCK) != 0) return problem_at("its pipes", errno);
  }
  return success();
}

BrowserProcess::~BrowserProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int end : {to_, from_}) {
    if (end >= 0) ::close(end);
  }
  for (const int listener : listeners_) ::close(listener);
}

int BrowserProcess::take_to_browser() {
  return std::exchange(to_, -1);
}
int BrowserProcess::take_from_browser() {
  return std::exchange(from_, -1);
}
std::vector<int> BrowserProcess::take_listeners() {
  return std::exchange(listeners_, {});
}

}  // namespace pollux::render
