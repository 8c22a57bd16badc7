// One child process, from start to end: the system calls behind program.hpp.
#pragma once

#include "pollux/extract/program.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <sys/types.h>

namespace pollux::extract {

// A file descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  void close();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct ChildLimits {
  unsigned long seconds = 1;          // of processor time
  std::chrono::milliseconds timer{};  // the same, to the millisecond
  unsigned long memory = 0;
  Confined confined = Confined::yes;
  int niceness = 0;
  static ChildLimits of(const ProgramBounds& bounds);
};

enum class Watched { ended, out_of_time, too_much, stopped };
struct Sink {
  std::string* text = nullptr;
  std::size_t most = 0;  // what comes beyond it is dropped, or ends the watch
  const std::function<void(std::string_view)>* heard = nullptr;  // gets all of it
};

class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  // Zero, or errno.
  int start_program(char* const* argv, char* const* environment, int input,
                    const ChildLimits& limits);
  int start_work(const std::function<std::string()>& work, const ChildLimits& limits);
  // Reads until the child ends; `output` beyond its bound ends the watch, `errors` are cut. So does
  // `stop` (may be null).
  Watched watch(std::chrono::steady_clock::time_point deadline, const StopSignal* stop, Sink output,
                Sink errors);
  // Ends whatever of its process group is left; the status of waitpid.
  int end();

 private:
  int open_pipes();
  int started(pid_t child);

  pid_t pid_ = -1;
  int status_ = 0;
  Descriptor process_;                // readable when it has ended
  Descriptor output_, errors_;        // our ends
  Descriptor to_output_, to_errors_;  // the child's
};

}  // namespace pollux::extract
