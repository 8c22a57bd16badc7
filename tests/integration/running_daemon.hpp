// A folder with a configuration, the real program running on it, and questions to its database.
#pragma once

#include "pollux/store/reader.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::test {

// UBSan asks a pipe whether an object's type can be read: without descriptors every object is
// wrong.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitizer_needs_descriptors = true;
#else
inline constexpr bool sanitizer_needs_descriptors = false;
#endif

// Most tests are about polls, not about what counts as a change.
inline constexpr char every_byte_counts[] = "rules: [{ match: \"*\", content: { as: raw } }]\n";

class RunningDaemon : public testing::Test {
 protected:
  void TearDown() override { daemon_.reset(); }

  // Pages on loopback without politeness, so that a test is quick; `more` is further YAML.
  void configure(const std::vector<std::string>& urls, const std::string& budget,
                 const std::string& more = "", const std::string& robots = "ignore") {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: " << budget << "\ndatabase: " << database_file_
         << "\nnetwork: { allow: [127.0.0.0/8] }\n"
         << "hosts: { delay: 0s, connections: 64, robots: " << robots
         << " }\nlearner: { seed: 7 }\n"
         << (more.find("content:") == std::string::npos ? every_byte_counts : "")
         << (more.empty() ? "defaults: { min_interval: 0s, timeout: 5s }\n" : more) << "pages:\n";
    for (const std::string& url : urls) file << "  - " << url << "\n";
  }
  void start(const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    std::filesystem::remove(folder_ / "err");  // what an earlier one said
    daemon_ = std::make_unique<Program>(
        POLLUX_BINARY, folder_,
        std::vector<std::string>{"run", "--config", (folder_ / "pollux.yaml").string()},
        environment);
  }
  Finished stop(int signal = SIGTERM) {
    daemon_->send(signal);
    Finished finished = daemon_->wait();
    daemon_.reset();
    return finished;
  }
  // Waits for something that takes as long as the machine needs; fails after a generous while.
  template <typename Condition>
  bool eventually(Condition condition) {
    // By the clock, not by the number of attempts: a busy machine makes each of them slower, and
    // the program waits for the disk (a start syncs it half a dozen times) as long as others write.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!condition()) {
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  bool logged(const std::string& text) {
    return eventually([&] { return daemon_->text("err").find(text) != std::string::npos; });
  }
  std::unique_ptr<store::Reader> reader() {
    auto opened = store::Reader::open(database());
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  store::PageProgress progress(const std::string& url) {
    const auto open = reader();
    if (!open) return {};
    const auto page = open->page(url);
    return page.ok() ? page->progress : store::PageProgress{};
  }
  std::string database() const { return (folder_ / database_file_).string(); }

  TempFolder folder_;
  std::string database_file_ = "test.db";
  std::unique_ptr<Program> daemon_;
};

}  // namespace pollux::test
