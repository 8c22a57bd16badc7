// The way onto a server's thread for those who may outlive the server. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace pollux::http {

class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context& context) : context_(&context) {}

  // At once if this is the server's thread, else soon; never when the server has gone.
  void run(std::function<void()> what) {
    std::unique_lock lock(mutex_);
    if (context_ == nullptr) return;
    if (!context_->get_executor().running_in_this_thread()) {
      boost::asio::post(*context_, std::move(what));
      return;
    }
    lock.unlock();
    what();
  }
  void post(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) boost::asio::post(*context_, std::move(what));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
};

}  // namespace pollux::http
