// What counts as a change on each page: `content:` of the defaults, of the rules that fit and of
// the page itself, laid over each other, compiled, and equal ones kept once in Config::contents.
#pragma once

#include "config/content_layers.hpp"
#include "config/problems.hpp"
#include "pollux/config/config.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pollux::config {

class ContentRules {
 public:
  ContentRules(Config& config, Problems& problems) : config_(config), problems_(problems) {}

  // All of these before the first page.
  ContentLayer& defaults() { return defaults_; }
  void add(ContentRule rule) { rules_.push_back(std::move(rule)); }

  // Before the first page, too: sources() is to tell of the page with this normalised URL.
  void tell_of(std::string url) { told_url_ = std::move(url); }
  std::vector<ContentSource> sources() const;

  bool any() const { return !rules_.empty(); }
  const std::vector<ContentRule>& rules() const { return rules_; }
  // Equal for layers that say the same, wherever they stand.
  std::string mark_of(const ContentLayer& layer);
  // What was told is told again, of pages that come later.
  void forget_told() {
    told_.clear();
    refused_ = 0;
    for (const auto& fitting : refused_fitting_) by_fitting_.erase(fitting);
    refused_fitting_.clear();
  }
  // The number in Config::contents for a page with this normalised URL. What does not compile goes
  // to the problems.
  std::uint32_t number_of(std::string_view url, std::span<const std::string> tags,
                          const ContentLayer& own);
  // The same for pages that say nothing of their own.
  std::uint32_t number_of(std::string_view url);

  // After all pages: fills Config::contents[0], checks what no page has used, and warns of it.
  void finish(std::vector<Warning>& warnings);

 private:
  bool is_passed_over(const ContentEntry* entry, extract::As as) const {
    const auto found = for_others_.find({entry, as});
    return found != for_others_.end() && found->second;
  }
  void find_fitting(std::string_view url, std::span<const std::string> tags);
  Layers layers_of_fitting() const;
  extract::Rules rules_from(const Layers& layers);
  std::uint32_t number_of_layers(const Layers& layers);
  bool can_render(const Layers& layers);
  void tell(const Layers& layers, const extract::Rules& rules, const Error& error);
  void tell(const ContentLayer& layer, std::uint32_t line, std::string_view message);

  Config& config_;
  Problems& problems_;
  ContentLayer defaults_;
  std::vector<ContentRule> rules_;      // strongest first
  std::vector<std::uint32_t> fitting_;  // of the page being looked at
  std::map<std::vector<std::uint32_t>, std::uint32_t> by_fitting_;
  std::vector<std::vector<std::uint32_t>> refused_fitting_;    // those that do not go together
  std::unordered_multimap<std::string, std::uint32_t> known_;  // by fingerprint
  // Whether a `remove` of a weaker layer is passed over under this `as`.
  std::map<std::pair<const ContentEntry*, extract::As>, bool> for_others_;
  std::set<std::string> told_;  // one wrong entry may be part of many pages' rules
  std::size_t refused_ = 0;
  std::string told_url_;
  std::optional<std::vector<ContentSource>> sources_;  // nullopt: it says nothing of its own
};

}  // namespace pollux::config
