#include "engine/page_settings.hpp"

#include "pollux/detect/digest.hpp"

#include <functional>
#include <string>

namespace pollux::engine {
namespace {

std::size_t hash_of(const config::PageSettings& settings) {
  std::size_t hash = 0;
  const auto mix = [&hash](std::size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  };
  mix(std::hash<double>{}(settings.importance));
  mix(std::hash<Duration::rep>{}(settings.limits.min_interval.count()));
  mix(std::hash<Duration::rep>{}(settings.limits.max_interval.count()));
  mix(std::hash<Duration::rep>{}(settings.timeout.count()));
  mix(std::hash<std::uint64_t>{}(settings.max_body));
  mix(std::hash<std::string>{}(settings.user_agent));
  mix(static_cast<std::size_t>(settings.cookies));
  return hash;
}

// Rules that keep every byte and judge nothing: the hash of the body says it all.
bool keeps_bytes(const extract::Rules& rules) {
  extract::Rules bytes;
  bytes.as = extract::As::raw;
  return rules == bytes;
}

bool same_lines(const std::shared_ptr<const config::HeaderLines>& a,
                const std::shared_ptr<const config::HeaderLines>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

std::string PageSettingsTable::mark_of(const PageSettings& settings) {
  // Its version is in our own name: an upgrade is no edit.
  const bool own_name = !settings.user_agent.starts_with("pollux/");
  if (!settings.header_lines && !own_name && settings.cookies == config::Cookies::none)
    return "plain";
  key_used_ = true;
  detect::Digest digest;
  digest.update(key_);
  digest.update(std::to_string(static_cast<int>(settings.cookies)));
  digest.update("\n" + (own_name ? settings.user_agent : std::string()));
  if (settings.header_lines) {
    for (const std::string& line : *settings.header_lines) digest.update("\n" + line);
  }
  return detect::to_hex(digest.finish()).substr(0, 16);
}

SettingsId PageSettingsTable::add(const config::Config& config, std::uint32_t index) {
  PageSettings wanted{config.settings[index], nullptr, {}, nullptr, {}};
  if (wanted.headers != 0) wanted.header_lines = config.header_sets[wanted.headers];
  if (wanted.content < config.contents.size()) {
    const extract::SharedRules& rules = config.contents[wanted.content];
    wanted.rules_mark = extract::fingerprint(extract::rules_of(*rules));
    if (!keeps_bytes(extract::rules_of(*rules))) wanted.rules = rules;
  }
  wanted.headers = wanted.content = 0;  // indexes into that configuration only
  const std::size_t hash = hash_of(wanted);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const PageSettings& known = (*this)[it->second];
    const config::PageSettings& plain = known;
    if (plain == wanted && known.rules_mark == wanted.rules_mark &&
        same_lines(known.header_lines, wanted.header_lines)) {
      return it->second;
    }
  }
  const SettingsId id{static_cast<std::uint32_t>(settings_.size())};
  wanted.mark = mark_of(wanted);
  settings_.push_back(std::move(wanted));
  by_hash_.emplace(hash, id);
  return id;
}

SettingsId SettingsOf::id(std::uint32_t index) {
  const auto found = known_.find(index);
  if (found != known_.end()) return found->second;
  const SettingsId id = table_.add(config_, index);
  known_.emplace(index, id);
  return id;
}

}  // namespace pollux::engine
