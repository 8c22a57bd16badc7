#include "config/content_rules.hpp"

#include "config/content_sources.hpp"
#include "config/message.hpp"
#include "pollux/base/glob.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/extract.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using extract::As;
using extract::Rules;
using extract::Selector;

// Nobody reads more; jq takes milliseconds to say what it thinks of a filter.
constexpr std::size_t most_refused = 100;

Selector selector_of(const ContentEntry& entry, As as) {
  if (entry.language) return {*entry.language, entry.text};
  if (entry.text.starts_with('/') || entry.text.starts_with('(')) {
    return {Selector::Language::xpath, entry.text};
  }
  return {as == As::json ? Selector::Language::jq : Selector::Language::css, entry.text};
}

void add_entry(Rules& rules, ContentList which, const ContentEntry& entry) {
  switch (which) {
    case ContentList::select:
      rules.select.push_back(selector_of(entry, rules.as));
      break;
    case ContentList::remove:
      rules.remove.push_back(selector_of(entry, rules.as));
      break;
    case ContentList::ignore:
      rules.ignore.push_back(entry.text);
      break;
    case ContentList::ignore_lines:
      rules.ignore_lines.push_back(entry.text);
      break;
    case ContentList::keep_lines:
      rules.keep_lines.push_back(entry.text);
      break;
  }
}

// Why an entry does not compile under this `as`; empty: it does.
std::string complaint(As as, ContentList which, const ContentEntry& entry) {
  Rules alone;
  alone.as = as;
  add_entry(alone, which, entry);
  const auto compiled = extract::compile(alone);
  return compiled ? std::string() : compiled.error().message;
}

constexpr std::string_view syntax_of_patterns =
    "; patterns are in RE2's syntax, which has no look-ahead, no look-behind and no "
    "back-references";

// A bare string was perhaps meant in another language.
std::string_view hint(As as, ContentList which, const ContentEntry& entry) {
  if (which != ContentList::select && which != ContentList::remove) return syntax_of_patterns;
  if (entry.language) return "";
  for (const auto language :
       {Selector::Language::css, Selector::Language::xpath, Selector::Language::jq}) {
    ContentEntry other = entry;
    other.language = language;
    if (complaint(as, which, other).empty())
      return "; to say in which language it is, write { css: … }, { xpath: … } or { jq: … }";
  }
  return "";
}

// Written for another kind of document, and right for that.
bool is_for_others(const Layers& layers, const PlacedEntry& placed, As as) {
  const As own = value_of(layers, &ContentLayer::as, placed.layer);
  return !complaint(as, ContentList::remove, *placed.entry).empty() &&
         complaint(own, ContentList::remove, *placed.entry).empty();
}

bool fits(const ContentRule& rule, std::string_view url, std::span<const std::string> tags) {
  if (!rule.right) return false;
  if (!rule.match.empty()) return glob_matches(rule.match, url);
  return std::find(tags.begin(), tags.end(), rule.tag) != tags.end();
}

}  // namespace

std::uint32_t ContentRules::number_of(std::string_view url, std::span<const std::string> tags,
                                      const ContentLayer& own) {
  find_fitting(url, tags);
  if (!told_url_.empty() && url == told_url_ && !sources_) {
    Layers layers = layers_of_fitting();
    if (own.given()) layers.push_back(&own);
    sources_ = sources_of(layers, rules_);
  }
  if (own.given()) {
    Layers layers = layers_of_fitting();
    layers.push_back(&own);
    return number_of_layers(layers);
  }
  if (fitting_.empty()) return 0;
  const auto [at, fresh] = by_fitting_.try_emplace(fitting_, 0);
  if (fresh) {
    const std::size_t before = refused_;
    at->second = number_of_layers(layers_of_fitting());
    if (refused_ != before) refused_fitting_.push_back(fitting_);
  }
  return at->second;
}

std::uint32_t ContentRules::number_of(std::string_view url) {
  if (!any()) return 0;
  static const ContentLayer nothing;
  return number_of(url, {}, nothing);
}

std::string ContentRules::mark_of(const ContentLayer& layer) {
  std::string mark = extract::fingerprint(rules_from({&layer}));
  const auto note = [&](bool is) { mark += is ? '1' : '0'; };
  for (const ContentLayer::List& list : layer.lists) {
    note(list.given());
    note(list.appends);
    for (const ContentEntry& entry : list.value) note(entry.language.has_value());
  }
  note(layer.as.given());
  note(layer.min_change.given());
  note(layer.alert.given());
  note(layer.number.given());
  note(layer.pipe.given());
  note(layer.render.given());
  return mark;
}

void ContentRules::find_fitting(std::string_view url, std::span<const std::string> tags) {
  fitting_.clear();
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    if (!fits(rules_[i], url, tags)) continue;
    rules_[i].fits = true;
    fitting_.push_back(i);
  }
}

Layers ContentRules::layers_of_fitting() const {
  Layers layers = {&defaults_};
  for (auto at = fitting_.rbegin(); at != fitting_.rend(); ++at) {
    layers.push_back(&rules_[*at].content);
  }
  return layers;
}

Rules ContentRules::rules_from(const Layers& layers) {
  const std::size_t last = layers.size() - 1;
  const std::size_t as_layer = strongest(layers, &ContentLayer::as, last);
  Rules rules;
  rules.as = value_of(layers, &ContentLayer::as, last);
  for (std::size_t list = 0; list < content_lists; ++list) {
    const auto which = static_cast<ContentList>(list);
    for (const PlacedEntry& placed : entries_of(layers, which)) {
      // Where there is no markup, a footer need not be removed.
      if (which == ContentList::remove && as_layer < layers.size() && placed.layer < as_layer) {
        const auto [at, fresh] = for_others_.try_emplace({placed.entry, rules.as}, false);
        if (fresh) at->second = is_for_others(layers, placed, rules.as);
        if (at->second) continue;
      }
      add_entry(rules, which, *placed.entry);
    }
  }
  rules.min_change = value_of(layers, &ContentLayer::min_change, last);
  rules.alert = value_of(layers, &ContentLayer::alert, last);
  rules.number = value_of(layers, &ContentLayer::number, last);
  rules.pipe = value_of(layers, &ContentLayer::pipe, last);
  rules.sort_lines = value_of(layers, &ContentLayer::sort_lines, last);
  rules.unique_lines = value_of(layers, &ContentLayer::unique_lines, last);
  rules.render = value_of(layers, &ContentLayer::render, last);
  return rules;
}

std::uint32_t ContentRules::number_of_layers(const Layers& layers) {
  // The defaults are number 0.
  if (config_.contents.empty()) {
    config_.contents.emplace_back();
    number_of_layers({&defaults_});
  }
  const auto wrong = [](const ContentLayer* layer) { return !layer->right; };
  if (std::any_of(layers.begin(), layers.end(), wrong) || refused_ > most_refused) return 0;
  const Rules rules = rules_from(layers);
  if (rules.render && !can_render(layers)) return 0;
  std::string fingerprint = extract::fingerprint(rules);
  const auto [first, last] = known_.equal_range(fingerprint);
  for (auto at = first; at != last; ++at) {
    if (extract::rules_of(*config_.contents[at->second]) == rules) return at->second;
  }
  Result<extract::SharedRules> compiled = extract::compile(rules);
  if (!compiled) {
    ++refused_;
    tell(layers, rules, compiled.error());
    return 0;
  }
  std::uint32_t number = 0;
  if (layers.size() == 1) {
    config_.contents.front() = std::move(*compiled);
  } else {
    number = static_cast<std::uint32_t>(config_.contents.size());
    config_.contents.push_back(std::move(*compiled));
  }
  known_.emplace(std::move(fingerprint), number);
  return number;
}

// A browser there must be, here or at an agent; ours leaves the machine as the system routes.
bool ContentRules::can_render(const Layers& layers) {
  const auto& points = config_.fetch.access_points;
  const bool by_proxy = !config_.fetch.proxy.empty() ||
                        std::ranges::any_of(points, [](const fetch::AccessPoint& point) {
                          return !point.proxy.empty();
                        });
  const bool by_agent = std::ranges::any_of(
      points, [](const fetch::AccessPoint& point) { return !point.agent.empty(); });
  if (config_.render.chromium ? !by_proxy : by_agent) return true;
  const ContentLayer& home = *layers[strongest(layers, &ContentLayer::render, layers.size() - 1)];
  tell(home, home.render.line,
       config_.render.chromium
           ? "render: a rendered page would pass by the proxy of network.proxy or "
             "access_points; drop the one or the other"
           : "render: there is no browser; write 'render: { chromium: true }' at the top "
             "level of the configuration and install chromium-headless-shell, or name an "
             "agent that has one under access_points");
  ++refused_;
  return false;
}

// Finds the entries that are wrong by themselves, to name each with its line. What is right alone
// and under a weaker `as` is at odds with the stronger one: that is the line to look at.
void ContentRules::tell(const Layers& layers, const Rules& rules, const Error& error) {
  const std::size_t last = layers.size() - 1;
  const std::size_t as_layer = strongest(layers, &ContentLayer::as, last);
  bool found = false;
  for (std::size_t list = 0; list < content_lists; ++list) {
    const auto which = static_cast<ContentList>(list);
    for (const auto& [entry, layer] : entries_of(layers, which)) {
      const std::string reason = complaint(rules.as, which, *entry);
      if (reason.empty() || is_passed_over(entry, rules.as)) continue;
      found = true;
      const ContentLayer& home = *layers[layer];
      const bool odds =
          as_layer < layers.size() && as_layer > layer &&
          complaint(value_of(layers, &ContentLayer::as, layer), which, *entry).empty();
      if (odds) {
        const ContentLayer& stronger = *layers[as_layer];
        tell(stronger, stronger.as.line,
             fmt::format("{}; it comes from {}:{}", reason, printable(home.file), entry->line));
      } else {
        tell(home, entry->line, reason + std::string(hint(rules.as, which, *entry)));
      }
    }
  }
  const auto check_alone = [&](auto member, auto into, std::string_view more = "") {
    const std::size_t layer = strongest(layers, member, last);
    if (layer == layers.size()) return;
    Rules alone;
    alone.*into = rules.*into;
    const auto compiled = extract::compile(alone);
    if (compiled) return;
    found = true;
    tell(*layers[layer], (layers[layer]->*member).line,
         compiled.error().message + std::string(more));
  };
  check_alone(&ContentLayer::min_change, &Rules::min_change);
  check_alone(&ContentLayer::alert, &Rules::alert, syntax_of_patterns);
  check_alone(&ContentLayer::number, &Rules::number);
  check_alone(&ContentLayer::pipe, &Rules::pipe);
  // Each is right alone: they do not go together.
  if (!found) tell(*layers.back(), layers.back()->line, error.message);
}

void ContentRules::tell(const ContentLayer& layer, std::uint32_t line, std::string_view message) {
  std::string whole = at(layer.file, line, printable(message, 1000));
  if (!told_.insert(whole).second) return;
  problems_.add({std::move(whole), layer.code});
}

std::vector<ContentSource> ContentRules::sources() const {
  if (told_url_.empty()) return {};
  return sources_ ? *sources_ : sources_of({&defaults_}, rules_);
}

void ContentRules::finish(std::vector<Warning>& warnings) {
  number_of_layers({&defaults_});
  for (const ContentRule& rule : rules_) {
    if (rule.fits) continue;
    if (rule.content.given()) number_of_layers({&defaults_, &rule.content});
    if (!rule.right) continue;
    const std::string what =
        rule.match.empty()
            ? fmt::format("no page matches the tag '{}'; is it misspelt?", printable(rule.tag))
            : fmt::format(
                  "no page matches '{}'; is it misspelt? A pattern "
                  "covers the whole URL, for example "
                  "https://example.org/*",
                  printable(rule.match, 200));
    warnings.push_back({at(config_.file, rule.line, "rules: " + what)});
  }
}

}  // namespace pollux::config
