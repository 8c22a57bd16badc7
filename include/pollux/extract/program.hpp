// A child process in bounds: time, memory, output, no environment but what it is given, no network
// (Confined; on processors that no_sockets knows), and nothing of it left behind. May be called by
// many threads at once.
#pragma once

#include "pollux/extract/children.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// A program that only turns text into other text has neither network nor files to write; one that
// the user wants to be run when something happens may do what this process may.
enum class Confined { yes, no };

struct ProgramBounds {
  std::chrono::steady_clock::time_point deadline;
  std::size_t memory = std::size_t{512} << 20U;  // of work: beyond what this process has
  std::size_t max_output = std::size_t{16} << 20U;
  std::chrono::milliseconds processor = std::chrono::hours(1);  // time that it may take of it
  Children* children = nullptr;  // null: they may start, and end by themselves
  Confined confined = Confined::yes;
  std::vector<std::string> environment = {};  // "NAME=value"; nothing else is there
  int niceness = 0;                           // 19: only when nobody else wants the processor
  // Hears all that it writes to standard error, piece by piece, on the caller's thread.
  std::function<void(std::string_view)> on_errors = {};
};

struct ProgramEnd {
  enum class How { exited, killed, out_of_time, too_much_output, stopped, not_started };
  How how = How::exited;
  int code = 0;  // of its exit, the signal that ended it, or errno of what kept it from starting
  std::string output;     // whatever the end
  std::string complaint;  // the first line it wrote to standard error, made printable
  bool ok() const { return how == How::exited && code == 0; }
};
// Of all that it wrote there.
std::string complaint_in(std::string_view errors);
// "ends with status 1: Syntax Error", "takes longer than it may"; the subject is the caller's.
std::string describe(const ProgramEnd& end);

// An absolute path, or a name that is looked for in /usr/local/bin, /usr/bin and /bin.
std::optional<std::string> find_program(std::string_view name);

// `argv[0]` is a path. The input is a file for the program: it may read it, seek in it, or leave
// it.
ProgramEnd run_program(std::span<const std::string> argv, std::string_view input,
                       const ProgramBounds& bounds);

// `work` in a copy of this process, where only its own thread goes on: what it returns is the
// output. It may take memory, but no lock that another thread might hold.
ProgramEnd run_in_child(const std::function<std::string()>& work, const ProgramBounds& bounds);

}  // namespace pollux::extract
