// The settings that pages have, by id. Ids are append-only: a reload adds what is new and changes
// nothing, so a page that has not had its turn yet goes on with what it was given, headers
// included. Equal settings have one id. Threading: the engine's thread.
#pragma once

#include "pollux/config/config.hpp"
#include "pollux/extract/extract.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace pollux::engine {

enum class SettingsId : std::uint32_t {};

struct PageSettings : config::PageSettings {                // `headers` is not used here
  std::shared_ptr<const config::HeaderLines> header_lines;  // may be null; may hold secrets
  // Of all that asks for another content: headers, logins, cookies, a name of one's own. Stored
  // with what was seen, so that an edit is no change. It tells nothing to who has no key.
  std::string mark;
  extract::SharedRules rules;  // null: bytes are compared, nothing else
  std::string rules_mark;      // stored, too, for the same reason
};

class PageSettingsTable {
 public:
  // `index` is that of config.settings.
  SettingsId add(const config::Config& config, std::uint32_t index);
  const PageSettings& operator[](SettingsId id) const {
    return settings_[static_cast<std::size_t>(id)];
  }
  std::size_t size() const { return settings_.size(); }

  // Of the marks; before anything is added. `saved`: it will be the same at the next start.
  void set_key(std::string key, bool saved) {
    key_ = std::move(key);
    key_saved_ = saved;
  }
  const std::string& key() const { return key_; }
  bool key_to_be_saved() const { return key_used_ && !key_saved_; }
  void set_key_saved(bool saved) { key_saved_ = saved; }

 private:
  std::string mark_of(const PageSettings& settings);

  std::string key_;
  bool key_used_ = false, key_saved_ = false;
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
