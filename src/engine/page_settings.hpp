// The settings that pages have, by id. Ids are append-only: a reload adds what is new and changes
// nothing, so a page that has not had its turn yet goes on with what it was given, headers
// included. Equal settings have one id. Threading: the engine's thread.
#pragma once

#include "pollux/config/config.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

namespace pollux::engine {

enum class SettingsId : std::uint32_t {};

struct PageSettings : config::PageSettings {                // `headers` is not used here
  std::shared_ptr<const config::HeaderLines> header_lines;  // may be null; may hold secrets
};

class PageSettingsTable {
 public:
  // `index` is that of config.settings.
  SettingsId add(const config::Config& config, std::uint32_t index);
  const PageSettings& operator[](SettingsId id) const {
    return settings_[static_cast<std::size_t>(id)];
  }
  std::size_t size() const { return settings_.size(); }

 private:
  std::deque<PageSettings> settings_;
  std::unordered_multimap<std::size_t, SettingsId> by_hash_;
};

// The ids of one configuration's settings, added to the table when a page first needs them.
class SettingsOf {
 public:
  SettingsOf(const config::Config& config, PageSettingsTable& table)
      : config_(config), table_(table) {}
  SettingsId id(std::uint32_t index);

 private:
  const config::Config& config_;
  PageSettingsTable& table_;
  std::unordered_map<std::uint32_t, SettingsId> known_;
};

}  // namespace pollux::engine
