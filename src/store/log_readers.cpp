#include "store/log_readers.hpp"

#include "pollux/base/text.hpp"

#include <fstream>
#include <set>

#include <fcntl.h>

namespace pollux::store {
namespace {

// As in SQLite's file format: eight bytes of locks, of which the last five are of readers.
constexpr off_t first_reader = 120 + 3;
constexpr off_t readers = 5;

std::string name_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name.empty() ? "" : " (" + printable(name) + ")";
}

}  // namespace

std::string LogReaders::names(const std::string& database) {
  const std::string file = database + "-shm";
  if (descriptor_ < 0) descriptor_ = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor_ < 0 || !(file_id(descriptor_) == file_id(file))) return "";
  std::set<pid_t> found;
  for (off_t byte = first_reader; byte < first_reader + readers; ++byte) {
    struct flock question {};
    question.l_type = F_WRLCK;
    question.l_whence = SEEK_SET;
    question.l_start = byte;
    question.l_len = 1;
    if (fcntl(descriptor_, F_GETLK, &question) == 0 && question.l_type != F_UNLCK &&
        question.l_pid > 0) {
      found.insert(question.l_pid);
    }
  }
  std::string names;
  for (const pid_t process : found) {
    names += (names.empty() ? "process " : ", process ") + std::to_string(process);
    names += name_of(process);
  }
  return names;
}

}  // namespace pollux::store
