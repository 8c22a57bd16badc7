// The texts that pages had, by hash: the last ones from memory, others from the file of versions.
// Threading: any thread.
#pragma once

#include "pollux/store/content.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::engine {

class KnownTexts {
 public:
  // `database`: empty: there is no file, only what is remembered.
  explicit KnownTexts(std::string database = {}) : database_(std::move(database)) {}

  // The text may not have reached the file yet.
  void remember(const std::string& hash, const std::string& text);
  std::optional<std::string> find(const std::string& url, const std::string& hash);
  struct Version {
    std::string text;
    WallTime seen_at{};
  };
  // The page's last ones, the oldest first; at most so many.
  std::vector<Version> last(const std::string& url, std::size_t most);

 private:
  std::vector<Version> last_in_file(const std::string& url, std::size_t most);
  store::ContentReader* reader();

  static constexpr std::size_t most_bytes = 8u << 20;
  static constexpr std::size_t largest = 1u << 20;
  std::mutex mutex_;
  const std::string database_;
  std::unique_ptr<store::ContentReader> reader_;
  static constexpr std::size_t beside_text = 256;  // bytes that each takes, however short it is
  std::unordered_map<std::string, std::string> recent_;  // by hash
  std::deque<std::string> order_;                        // their hashes, the newest last
  std::size_t bytes_ = 0;
};

}  // namespace pollux::engine
