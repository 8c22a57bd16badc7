// The daemon on a thread of this process, with the options that only tests may set.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/config/config.hpp"
#include "pollux/engine/daemon.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace pollux::test {

class DaemonThread {
 public:
  // Fails an assertion when the configuration or the database do not do: both are the test's own.
  DaemonThread(const std::string& yaml, const std::string& folder, engine::DaemonOptions options) {
    options.handle_signals = false;
    config::Loaded loaded = config::load_text(yaml, folder + "/pollux.yaml").value();
    set_up_logging(loaded.config.log);
    daemon_ = engine::Daemon::create(std::move(loaded.config), std::move(options), clock_).value();
    thread_ = std::thread([this] { saved_ = daemon_->run().ok(); });
  }
  ~DaemonThread() { stop(); }
  DaemonThread(const DaemonThread&) = delete;
  DaemonThread& operator=(const DaemonThread&) = delete;

  engine::Daemon& daemon() { return *daemon_; }

  // True when everything was saved. After it the database can be read at leisure.
  bool stop() {
    if (thread_.joinable()) {
      daemon_->request_stop();
      thread_.join();
      daemon_.reset();
    }
    return saved_;
  }

 private:
  SystemClock clock_;
  std::unique_ptr<engine::Daemon> daemon_;
  std::thread thread_;
  bool saved_ = false;
};

}  // namespace pollux::test
