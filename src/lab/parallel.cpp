#include "pollux/lab/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

namespace pollux::lab {

namespace {

class ProgressBar {
 public:
  ProgressBar(std::string label, std::size_t total)
      : label_(std::move(label)), total_(total), shown_(isatty(STDERR_FILENO) == 1 && total > 1) {}
  ~ProgressBar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Not thread-safe.
  void one_done() {
    ++done_;
    if (!shown_) return;
    constexpr std::size_t width = 30;
    const std::size_t filled = width * done_ / total_;
    const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
    std::fprintf(stderr, "\r%s [%s] %zu/%zu", label_.c_str(), bar.c_str(), done_, total_);
    std::fflush(stderr);
  }

 private:
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
};

}  // namespace

void run_parallel(std::size_t count, unsigned threads, const std::string& label,
                  const std::function<void(std::size_t)>& job) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  ProgressBar progress(label, count);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // guards progress and failure
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
        std::lock_guard lock(mutex);
        progress.one_done();
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads && i < count; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pollux::lab
