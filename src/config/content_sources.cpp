#include "config/content_sources.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::string_view names_of_lists[] = {"select", "remove", "ignore", "ignore_lines",
                                               "keep_lines"};
constexpr std::string_view names_of_languages[] = {"css", "xpath",
                                                   "jq"};  // in the order of Language
static_assert(std::size(names_of_lists) == content_lists);

std::string in_quotes(std::string_view text) {
  return "'" + printable(text, 300) + "'";
}

std::string text_of(const ContentEntry& entry) {
  if (!entry.language) return in_quotes(entry.text);
  return fmt::format("{{ {}: {} }}", names_of_languages[static_cast<std::size_t>(*entry.language)],
                     in_quotes(entry.text));
}
std::string text_of(extract::As as) {
  return std::string(extract::name_of(as));
}
std::string text_of(const std::optional<extract::MinChange>& least) {
  if (!least) return "none";
  return fmt::format("{}{}", least->value,
                     least->unit == extract::MinChange::Unit::lines ? " lines" : "%");
}
std::string text_of(const std::optional<extract::Alert>& alert) {
  if (!alert) return "none";
  const bool appears = alert->when == extract::Alert::When::appears;
  return fmt::format("{{ {}: {} }}", appears ? "appears" : "disappears", in_quotes(alert->pattern));
}
std::string text_of(const std::optional<extract::Number>& number) {
  using When = extract::Number::When;
  if (!number) return "none";
  const std::string_view word = number->when == When::below   ? "below"
                                : number->when == When::above ? "above"
                                                              : "changes_by";
  return fmt::format("{{ {}: {}{} }}", word, number->amount.value,
                     number->amount.percent ? "%" : "");
}
std::string text_of(const std::vector<std::string>& pipe) {
  std::string text;
  for (const std::string& word : pipe) text += (text.empty() ? "" : ", ") + in_quotes(word);
  return "[" + text + "]";
}

std::string text_of(bool yes) {
  return yes ? "true" : "false";
}

class Sources {
 public:
  Sources(const Layers& layers, const std::vector<ContentRule>& rules)
      : layers_(layers), rules_(rules) {}

  template <typename T>
  void add(std::string_view name, ContentLayer::Written<T> ContentLayer::*member) {
    const std::size_t layer = strongest(layers_, member, layers_.size() - 1);
    if (layer == layers_.size()) return;
    const auto& written = layers_[layer]->*member;
    found_.push_back(
        {fmt::format("{}: {}", name, text_of(written.value)), where(layer, written.line)});
  }
  // Those of one layer together.
  void add_list(ContentList which) {
    const std::vector<PlacedEntry> entries = entries_of(layers_, which);
    for (std::size_t i = 0; i < entries.size();) {
      const std::size_t layer = entries[i].layer;
      const std::uint32_t line = entries[i].entry->line;
      std::string text;
      for (; i < entries.size() && entries[i].layer == layer; ++i) {
        text += (text.empty() ? "" : ", ") + text_of(*entries[i].entry);
      }
      found_.push_back(
          {fmt::format("{}: [{}]", names_of_lists[static_cast<std::size_t>(which)], text),
           where(layer, line)});
    }
  }
  std::vector<ContentSource> take() { return std::move(found_); }

 private:
  std::string where(std::size_t layer, std::uint32_t line) const {
    const ContentLayer* const home = layers_[layer];
    std::string who = layer == 0 ? "defaults" : "the page";
    for (const ContentRule& rule : rules_) {
      if (&rule.content != home) continue;
      who = rule.match.empty() ? "the rule for the tag " + printable(rule.tag)
                               : "the rule for " + printable(rule.match, 200);
    }
    return fmt::format("{}, {}:{}", who, printable(home->file), line);
  }

  const Layers& layers_;
  const std::vector<ContentRule>& rules_;
  std::vector<ContentSource> found_;
};

}  // namespace

std::vector<ContentSource> sources_of(const Layers& layers, const std::vector<ContentRule>& rules) {
  Sources sources(layers, rules);
  sources.add("as", &ContentLayer::as);
  for (std::size_t list = 0; list < content_lists; ++list)
    sources.add_list(static_cast<ContentList>(list));
  sources.add("sort_lines", &ContentLayer::sort_lines);
  sources.add("unique_lines", &ContentLayer::unique_lines);
  sources.add("min_change", &ContentLayer::min_change);
  sources.add("alert", &ContentLayer::alert);
  sources.add("number", &ContentLayer::number);
  sources.add("pipe", &ContentLayer::pipe);
  sources.add("render", &ContentLayer::render);
  return sources.take();
}

}  // namespace pollux::config
