// The browser's processes, in namespaces of their own (user, network, processes): they see a
// loopback interface on which nobody listens but our proxies, and end all together with the first
// of them, which the kernel ends when the thread that started it does. Never root: a daemon that is
// runs its browser as nobody. The sandbox of the browser itself stays on.
#pragma once

#include "pollux/base/result.hpp"
#include "render/profile_folder.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace pollux::render {

inline constexpr int first_proxy_port = 3128;  // in the browser's network

class BrowserProcess {
 public:
  struct How {
    std::string program;        // a path
    std::size_t listeners = 1;  // at most most_listeners; ports from first_proxy_port on
    std::uint64_t memory = 0;   // of each process
  };
  static constexpr std::size_t most_listeners = 16;

  // Blocks for a few milliseconds, 5 s at most.
  static Result<std::unique_ptr<BrowserProcess>> start(const How& how);
  ~BrowserProcess();  // ends them all, and waits for that
  BrowserProcess(const BrowserProcess&) = delete;
  BrowserProcess& operator=(const BrowserProcess&) = delete;

  // Descriptors that are the caller's from then on.
  int take_to_browser();
  int take_from_browser();
  std::vector<int> take_listeners();

 private:
  explicit BrowserProcess(ProfileFolder profile) : profile_(std::move(profile)) {}
  Status run(const How& how);

  ProfileFolder profile_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::vector<int> listeners_;
};

}  // namespace pollux::render
