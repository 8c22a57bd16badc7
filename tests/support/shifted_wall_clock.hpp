// The wall clock of the programs that are given its environment; see support/shifted_clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pollux::test {

class ShiftedWallClock {
 public:
  explicit ShiftedWallClock(const std::filesystem::path& file) : file_(file.string()) {
    std::ofstream(file_, std::ios::binary) << std::string(sizeof(std::int64_t), '\0');
    const int opened = open(file_.c_str(), O_RDWR | O_CLOEXEC);
    void* memory =
        mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    close(opened);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + file_);
    seconds_ = static_cast<std::int64_t*>(memory);
  }
  ~ShiftedWallClock() { munmap(const_cast<std::int64_t*>(seconds_), sizeof(std::int64_t)); }
  ShiftedWallClock(const ShiftedWallClock&) = delete;
  ShiftedWallClock& operator=(const ShiftedWallClock&) = delete;
  void shift(std::chrono::seconds by) { *seconds_ = by.count(); }
  const std::string& file() const { return file_; }
  // For the program; `library` is the built support/shifted_clock.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& library) const {
    // It comes first in the program's list of libraries, where a sanitizer wants to be.
    return {{"LD_PRELOAD", library},
            {"POLLUX_SHIFTED_CLOCK", file_},
            {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
  }

 private:
  std::string file_;
  volatile std::int64_t* seconds_ = nullptr;
};

}  // namespace pollux::test
