// What an answer that goes on has still to send: filled on any thread, emptied on the server's. The
// session that sends it may be gone; then nothing is taken any more.
#pragma once

#include "http/mailbox.hpp"
#include "pollux/http/server.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace pollux::http {

class WaitingBytes final : public Stream {
 public:
  // `flush`: on the server's thread, when there is something to send; `wake`: likewise, when
  // somebody wants to be woken.
  WaitingBytes(std::shared_ptr<Mailbox> mailbox, std::function<void()> flush,
               std::function<void()> wake)
      : mailbox_(std::move(mailbox)), flush_(std::move(flush)), wake_(std::move(wake)) {}

  void send(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    if (over_ || closing_) return;
    waiting_ += bytes.size();
    bytes_ += bytes;
    post_flush();
  }
  std::size_t waiting() const override {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  void wake() override {
    const std::lock_guard lock(mutex_);
    if (over_ || wake_posted_) return;
    wake_posted_ = true;
    mailbox_->post(wake_);
  }
  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (!over_) post_flush();
  }

  // Of the session, on the server's thread.
  void woken() {
    const std::lock_guard lock(mutex_);
    wake_posted_ = false;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    flush_posted_ = false;
    return std::exchange(bytes_, {});
  }
  void sent(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    waiting_ -= bytes;
  }
  bool is_closing() const {
    const std::lock_guard lock(mutex_);
    return closing_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    bytes_.clear();
  }

 private:
  void post_flush() {
    if (std::exchange(flush_posted_, true)) return;
    mailbox_->post(flush_);
  }

  mutable std::mutex mutex_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::function<void()> flush_, wake_;
  std::string bytes_;
  std::size_t waiting_ = 0;  // those that are being sent included
  bool over_ = false, closing_ = false, flush_posted_ = false, wake_posted_ = false;
};

}  // namespace pollux::http
