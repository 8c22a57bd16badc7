// What pages are called and the groups they are in, equal ones kept once in Config::labels.
#pragma once

#include "pollux/config/config.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace pollux::config {

class Labels {
 public:
  explicit Labels(Config& config) : config_(config) {}
  // 0 for a page that has neither a name nor tags.
  std::uint32_t number_of(Label label) {
    if (label == Label{}) return 0;
    const auto [at, fresh] =
        known_.try_emplace(std::move(label), static_cast<std::uint32_t>(config_.labels.size()));
    if (fresh) config_.labels.push_back(at->first);
    return at->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const Label& label) const {
      std::size_t hash = std::hash<std::string>{}(label.name);
      for (const std::string& tag : label.tags) hash = hash * 31 + std::hash<std::string>{}(tag);
      return hash;
    }
  };
  Config& config_;
  std::unordered_map<Label, std::uint32_t, Hash> known_;
};

}  // namespace pollux::config
