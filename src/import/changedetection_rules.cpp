#include "import/changedetection_rules.hpp"

#include "import/content_check.hpp"
#include "import/json_path.hpp"
#include "import/python_pattern.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

using extract::Alert;
using extract::Rules;
using extract::Selector;
using Language = Selector::Language;

// "/pattern/flags", or a text that is looked for whatever its case.
struct Searched {
  std::string pattern;         // RE2
  bool crosses_lines = false;  // it is held against the text as a whole
};

Searched searched(std::string_view text) {
  const std::size_t end = text.rfind('/');
  const bool enclosed = text.starts_with('/') && end > 0 &&
                        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(end) + 1, text.end(),
                                    [](char c) { return is_letter(c); });
  if (!enclosed) return {"(?i)" + re2_of_text(trimmed(text)), false};
  std::string flags(text.substr(end + 1));
  const bool crosses = flags.find_first_of("smSM") != flags.npos;
  if (flags.empty()) flags = "i";
  std::erase_if(flags, [](char c) { return c == 'u' || c == 'a'; });  // RE2 has no such choice
  const std::string body =
      re2_of_python(text.substr(1, end - 1), crosses ? Against::text : Against::lines);
  return {(flags.empty() ? "" : "(?" + lowered(flags) + ")") + body, crosses};
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return trimmed(text.substr(prefix.size()));
}

class WatchReader {
 public:
  WatchReader(const Place& place, Collector& out) : place_(place), out_(out) {}

  Rules read(const WatchRules& watch) {
    if (watch.source) rules_.as = extract::As::html;
    for (const std::string& filter : watch.include_filters) add_selector(filter);
    for (const std::string& filter : watch.subtractive_selectors) add_removal(filter);
    for (const std::string& text : watch.ignore_text) add_ignored(text);
    for (const std::string& text : watch.extract_text) add_extracted(text);
    add_alert("trigger_text", watch.trigger_text, Alert::When::appears);
    add_alert("text_should_not_be_present", watch.text_should_not_be_present,
              Alert::When::disappears);
    rules_.sort_lines = watch.sort_text;
    rules_.unique_lines = watch.remove_duplicate_lines;
    keep_what_compiles(rules_, place_, out_);
    return std::move(rules_);
  }

 private:
  static Selector element_selector(std::string_view text) {
    for (const std::string_view prefix : {"xpath1:", "xpath:"}) {
      if (text.starts_with(prefix)) {
        return {Language::xpath, std::string(without_prefix(text, prefix))};
      }
    }
    return selector_from(text);
  }
  void add_selector(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return;
    for (const std::string_view prefix : {"jqraw:", "jq:"}) {
      if (!text.starts_with(prefix)) continue;
      rules_.select.push_back({Language::jq, std::string(without_prefix(text, prefix))});
      return;
    }
    if (!text.starts_with("json:")) {
      rules_.select.push_back(element_selector(text));
      return;
    }
    const auto jq = jq_of_json_path(without_prefix(text, "json:"));
    if (!jq) {
      return out_.left_out(
          place_, fmt::format("include_filters: {}; write it for jq", printable(text, 200)));
    }
    rules_.select.push_back({Language::jq, *jq});
    out_.changed(place_, fmt::format("include_filters: {} became jq", printable(text, 200)));
  }
  void add_removal(std::string_view text) {
    text = trimmed(text);
    if (!text.empty()) rules_.remove.push_back(element_selector(text));
  }
  void add_ignored(std::string_view text) {
    if (trimmed(text).empty()) return;
    Searched wanted = searched(text);
    if (!wanted.crosses_lines) {
      rules_.ignore_lines.push_back(std::move(wanted.pattern));
      return;
    }
    rules_.ignore.push_back(std::move(wanted.pattern));
    out_.changed(place_, fmt::format("ignore_text: of {} what matches is dropped, not its lines",
                                     printable(text, 200)));
  }
  void add_extracted(std::string_view text) {
    if (trimmed(text).empty()) return;
    rules_.keep_lines.push_back(searched(text).pattern);
    out_.changed(place_, "extract_text: whole lines are kept, not what matches");
  }
  void add_alert(std::string_view name, const std::vector<std::string>& texts, Alert::When when) {
    std::vector<std::string> patterns;
    for (const std::string& text : texts) {
      if (!trimmed(text).empty()) patterns.push_back(searched(text).pattern);
    }
    if (patterns.empty()) return;
    if (rules_.alert) {
      return out_.left_out(place_, fmt::format("{}: there is one alert a page", name));
    }
    std::string any;
    for (const std::string& one : patterns) any += (any.empty() ? "(?:" : "|(?:") + one + ")";
    rules_.alert = Alert{when, patterns.size() == 1 ? patterns.front() : any};
    out_.changed(place_, fmt::format("{}: it is told when it {}, not at other changes", name,
                                     when == Alert::When::appears ? "appears" : "disappears"));
  }

  const Place& place_;
  Collector& out_;
  Rules rules_;
};

}  // namespace

Rules rules_of_watch(const WatchRules& watch, const Place& place, Collector& out) {
  return WatchReader(place, out).read(watch);
}

}  // namespace pollux::import
