// A small file system that only the calling thread, and every thread and process it starts from
// then on, see: a disk that can be full. Needs root; where it could not be had, mounted() is false.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <sched.h>
#include <sys/mount.h>

namespace pollux::test {

class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder, const char* size = "size=4m")
      : folder_(folder) {
    std::filesystem::create_directories(folder);
    mounted_ = unshare(CLONE_NEWNS) == 0 &&
               mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("tmpfs", folder.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  void fill() const {
    std::ofstream filler(folder_ / "filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), 4096).flush()) {
    }
  }
  void make_room() const { std::filesystem::remove(folder_ / "filler"); }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace pollux::test
