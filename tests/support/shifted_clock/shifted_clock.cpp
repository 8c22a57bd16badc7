// Preloaded into a program, shifts the wall clock it sees by the seconds in the file that
// POLLUX_SHIFTED_CLOCK names (eight bytes, shared memory). Only the wall clock: the well-known
// libraries for this also rewrite timerfd_settime, so that a monotonic timer that is already due
// becomes one that never fires.
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

const volatile std::int64_t* mapped() {
  static const std::int64_t none = 0;
  const char* path = std::getenv("POLLUX_SHIFTED_CLOCK");
  if (!path) return &none;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* memory = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? &none : static_cast<const std::int64_t*>(memory);
}

std::int64_t shift() {
  static const volatile std::int64_t* const seconds = mapped();
  return *seconds;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += shift();
  }
  return static_cast<int>(failed);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (out) *out = precise.tv_sec;
  return precise.tv_sec;
}
}
