#include "agent/rule_cache.hpp"

#include "pollux/extract/packed.hpp"

#include <utility>

namespace pollux::agent {
namespace {

constexpr std::size_t most_kinds = 1024;
constexpr std::size_t most_patterns = 256;

std::size_t patterns_of(const extract::Rules& rules) {
  return rules.select.size() + rules.remove.size() + rules.ignore.size() +
         rules.ignore_lines.size() + rules.keep_lines.size();
}

}  // namespace

extract::SharedRules RuleCache::find(const std::string& packed) {
  if (const auto known = rules_.find(packed); known != rules_.end()) return known->second;
  const std::optional<extract::Rules> read = extract::unpack_rules(packed);
  if (!read || extract::starts_program(*read)) return nullptr;
  // A fifth of the time at most, and not for thousands.
  const Instant begun = clock_.now();
  if (begun < compiles_from_ || patterns_of(*read) > most_patterns) return nullptr;
  pollux::Result<extract::SharedRules> compiled = extract::compile(*read);
  const Instant done = clock_.now();
  compiles_from_ = done + 4 * (done - begun);
  if (!compiled.ok()) return nullptr;
  if (rules_.size() >= most_kinds) rules_.clear();
  return rules_[packed] = std::move(compiled).value();
}

}  // namespace pollux::agent
