#include "config/content_readers.hpp"

#include "config/content_layer.hpp"
#include "config/page_bounds.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using extract::Alert;
using extract::As;
using extract::MinChange;
using extract::Number;
using Language = extract::Selector::Language;

constexpr std::string_view languages[] = {"css", "xpath", "jq"};  // in the order of Language
constexpr std::string_view lists[] = {"select", "remove", "ignore", "ignore_lines", "keep_lines"};
constexpr double largest_number = 1e15;
constexpr std::uint64_t most_lines = 1'000'000;

std::string_view last_word(const Key& key) {
  return key.path.substr(key.path.rfind('.') + 1);
}

// A number, all of the text.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end || !(std::abs(number) <= largest_number)) return {};
  return number;
}

Error wrong_value(const LoadContext& r, const Key& key, const Node& value, std::string_view cure) {
  if (value.kind() != Kind::scalar) {
    return r.error(value, fmt::format("{} is {}; {}", name_of(key), kind_name(value.kind()), cure));
  }
  return r.error(value, fmt::format("{}: '{}' does not do; {}", name_of(key),
                                    printable(value.text(), 60), cure));
}

bool takes_selectors(ContentList which) {
  return which == ContentList::select || which == ContentList::remove;
}

Status entry_text(const LoadContext& r, const Key& key, const Node& value, ContentEntry& out) {
  if (value.kind() == Kind::null) {
    return r.error(
        value, fmt::format("{}: an entry is empty; quote one that starts with #", name_of(key)));
  }
  if (value.kind() != Kind::scalar) {
    return r.error(value, fmt::format("{}: an entry is {}; put it in quotes", name_of(key),
                                      kind_name(value.kind())));
  }
  if (value.text().empty() || value.text().find('\0') != std::string_view::npos) {
    return wrong_value(r, key, value, "write some text");
  }
  out.text = value.text();
  out.line = value.line();
  return success();
}

// "{ css: … }", "{ xpath: … }" or "{ jq: … }".
Status selector_in_mapping(const LoadContext& r, const Key& key, const Node& value,
                           ContentEntry& out) {
  constexpr std::string_view cure =
      "write { css: … }, { xpath: … } or { jq: … }, and quote a selector that holds ': '";
  const auto word = value.begin();
  if (word == value.end()) return r.error(value, fmt::format("{}: {}", name_of(key), cure));
  const auto* const language = std::ranges::find(languages, (*word).text());
  if (language == std::end(languages)) {
    return r.error(*word, fmt::format("{}: '{}' is no kind of selector; {}", name_of(key),
                                      printable((*word).text(), 60), cure));
  }
  auto text = word;
  ++text;
  auto next = text;
  if (++next != value.end()) {
    return r.error(*next, fmt::format("{}: one selector each; write a list of them: [{{ css: … }}, "
                                      "{{ xpath: … }}]",
                                      name_of(key)));
  }
  out.language = static_cast<Language>(language - std::begin(languages));
  return entry_text(r, key, *text, out);
}

void read_entry(const LoadContext& r, const Key& key, const Node& value, ContentList which,
                std::vector<ContentEntry>& out) {
  ContentEntry entry;
  const bool mapping = value.kind() == Kind::mapping && takes_selectors(which);
  if (r.note(mapping ? selector_in_mapping(r, key, value, entry)
                     : entry_text(r, key, value, entry))) {
    out.push_back(std::move(entry));
  }
}

Status read_title(const LoadContext& r, const Key& key, const Node& value, std::string& out) {
  if (value.kind() != Kind::scalar || !is_title(value.text()))
    return wrong_value(r, key, value, title_cure);
  out = value.text();
  return success();
}

bool is_nothing(const Node& value) {
  return value.kind() == Kind::null ||
         (value.kind() == Kind::mapping && value.begin() == value.end());
}

Status check_rule(const LoadContext& r, const Node& where, const ContentRule& rule) {
  if (rule.match.empty() == rule.tag.empty()) {
    return r.error(where, fmt::format("a rule with {}; write match: \"https://example.org/*\" or "
                                      "tag: NAME",
                                      rule.tag.empty() ? "neither 'match' nor 'tag'"
                                                       : "both 'match' and 'tag'"));
  }
  if (!rule.content.given()) {
    return r.error(where, "a rule without content; add 'content: { … }'");
  }
  return success();
}

}  // namespace

Status read_content(LoadContext& r, const Key&, const Node& value) {
  if (value.kind() == Kind::null) return success();
  ContentLayer& layer = *r.content;
  layer.file = r.file;
  layer.code = r.code;
  layer.line = value.line();
  layer.right = read_keys(r, "content", value);
  return success();
}

Status read_content_as(LoadContext& r, const Key& key, const Node& value) {
  constexpr As all[] = {As::automatic, As::raw, As::text, As::html, As::json, As::feed};
  std::vector<std::string_view> names;
  for (const As as : all) names.push_back(extract::name_of(as));
  std::string word;
  if (Status status = read_choice(r, key, value, word, names); !status) return status;
  r.content->as = {*extract::as_of(word), value.line()};
  return success();
}

Status read_content_list(LoadContext& r, const Key& key, const Node& value) {
  std::string_view word = last_word(key);
  const bool appends = word.starts_with('+');
  if (appends) word.remove_prefix(1);
  const auto which = static_cast<ContentList>(std::ranges::find(lists, word) - std::begin(lists));
  ContentLayer::List& list = r.content->list(which);
  if (list.given()) {
    return r.error(value, fmt::format("content: '{0}' replaces what the defaults and rules say, "
                                      "'+{0}' adds to it; keep one of them",
                                      word));
  }
  list.appends = appends;
  list.line = value.line();
  if (value.kind() == Kind::null) {
    return r.error(value, fmt::format("{} is empty; quote what starts with #, as in {}: \"#main\"; "
                                      "to take back what rules and defaults say, write []",
                                      name_of(key), last_word(key)));
  }
  if (value.kind() != Kind::list) {
    read_entry(r, key, value, which, list.value);
  } else {
    for (const Node entry : value) read_entry(r, key, entry, which, list.value);
  }
  return success();
}

Status read_sort_lines(LoadContext& r, const Key& key, const Node& value) {
  r.content->sort_lines.line = value.line();
  return read_truth(r, key, value, r.content->sort_lines.value);
}

Status read_unique_lines(LoadContext& r, const Key& key, const Node& value) {
  r.content->unique_lines.line = value.line();
  return read_truth(r, key, value, r.content->unique_lines.value);
}

Status read_render(LoadContext& r, const Key& key, const Node& value) {
  r.content->render.line = value.line();
  return read_truth(r, key, value, r.content->render.value);
}

Status read_min_change(LoadContext& r, const Key& key, const Node& value) {
  constexpr std::string_view cure = "write a part of the words as 2%, or \"3 lines\"";
  auto& written = r.content->min_change;
  written.line = value.line();
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::scalar) return wrong_value(r, key, value, cure);
  std::string_view text = value.text();
  MinChange change;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
  } else if (text.ends_with(" lines") || text.ends_with(" line")) {
    change.unit = MinChange::Unit::lines;
    text = text.substr(0, text.rfind(' '));
  } else {
    return wrong_value(r, key, value, cure);
  }
  const std::optional<double> number = number_in(text);
  const bool lines = change.unit == MinChange::Unit::lines;
  if (!number || *number < 0 || *number > (lines ? static_cast<double>(most_lines) : 100) ||
      (lines && *number != std::floor(*number))) {
    return wrong_value(r, key, value, cure);
  }
  change.value = *number;
  written.value = change;
  return success();
}

Status read_alert(LoadContext& r, const Key& key, const Node& value) {
  r.content->alert.line = value.line();
  if (is_nothing(value)) return success();
  if (value.kind() != Kind::mapping) {
    return wrong_value(r, key, value, "write { appears: PATTERN } or { disappears: PATTERN }");
  }
  return read_section(r, key, value);
}

Status read_alert_pattern(LoadContext& r, const Key& key, const Node& value) {
  std::optional<Alert>& alert = r.content->alert.value;
  if (alert) return r.error(value, "content.alert: write appears or disappears, not both");
  ContentEntry entry;
  Status status = entry_text(r, key, value, entry);
  alert = Alert{last_word(key) == "appears" ? Alert::When::appears : Alert::When::disappears,
                std::move(entry.text)};
  return status;
}

Status read_number_rule(LoadContext& r, const Key& key, const Node& value) {
  r.content->number.line = value.line();
  if (is_nothing(value)) return success();
  if (value.kind() != Kind::mapping) {
    return wrong_value(r, key, value, "write { below: 100 }, { above: 100 } or { changes_by: 5% }");
  }
  return read_section(r, key, value);
}

Status read_number_amount(LoadContext& r, const Key& key, const Node& value) {
  std::optional<Number>& rule = r.content->number.value;
  if (rule) return r.error(value, "content.number: write one of below, above and changes_by");
  const std::string_view word = last_word(key);
  rule = Number{word == "below"   ? Number::When::below
                : word == "above" ? Number::When::above
                                  : Number::When::changes_by,
                {}};
  const bool change = rule->when == Number::When::changes_by;
  const std::string_view cure =
      change ? "write an amount as 5, or a part as 5%" : "write a number, for example 99.90";
  if (value.kind() != Kind::scalar) return wrong_value(r, key, value, cure);
  std::string_view text = value.text();
  rule->amount.percent = change && text.ends_with('%');
  if (rule->amount.percent) text.remove_suffix(1);
  const std::optional<double> amount = number_in(text);
  if (!amount || (change && *amount <= 0)) return wrong_value(r, key, value, cure);
  rule->amount.value = *amount;
  return success();
}

Status read_pipe(LoadContext& r, const Key& key, const Node& value) {
  auto& written = r.content->pipe;
  written.line = value.line();
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list) {
    return wrong_value(r, key, value,
                       "write a program and its arguments as a list (there is no shell), for "
                       "example [pdftotext, \"-\", \"-\"]");
  }
  for (const Node argument : value) {
    if (argument.kind() != Kind::scalar) {
      r.note(r.error(argument, fmt::format("{}: an argument is {}; put it in quotes", name_of(key),
                                           kind_name(argument.kind()))));
      continue;
    }
    written.value.emplace_back(argument.text());
  }
  if (!written.value.empty() && written.value.front().empty()) {
    return r.error(value, fmt::format("{}: the first entry is empty; write the name of a program",
                                      name_of(key)));
  }
  // A name is looked for where programs are; a path is taken as all paths of this file.
  if (!written.value.empty() && written.value.front().find('/') != std::string::npos) {
    written.value.front() = std::filesystem::absolute(r.resolve(written.value.front())).string();
  }
  return success();
}

Status read_rules(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list of {{ match: …, content: … }}",
                                      name_of(key), kind_name(value.kind())));
  }
  for (const Node entry : value) {
    if (entry.kind() != Kind::mapping) {
      r.note(r.error(entry, fmt::format("a rule is {}; write {{ match: …, content: … }}",
                                        kind_name(entry.kind()))));
      continue;
    }
    ContentRule rule;
    rule.line = entry.line();
    r.rule = &rule;
    r.content = &rule.content;
    rule.right = read_keys(r, "rules[]", entry) && r.note(check_rule(r, entry, rule));
    r.pages.contents().add(std::move(rule));
  }
  return success();
}

Status read_rule_match(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::scalar && !value.text().empty()) {
    r.rule->match = value.text();
    return success();
  }
  return wrong_value(r, key, value,
                     "write a pattern of URLs, for example \"https://example.org/*\"");
}

Status read_rule_tag(LoadContext& r, const Key& key, const Node& value) {
  return read_title(r, key, value, r.rule->tag);
}

Status read_page_name(LoadContext& r, const Key& key, const Node& value) {
  return read_title(r, key, value, r.label->name);
}

Status read_page_tags(LoadContext& r, const Key& key, const Node& value) {
  std::vector<std::string>& tags = r.label->tags;
  const auto read_tag = [&](const Node& entry) {
    std::string tag;
    if (!r.note(read_title(r, key, entry, tag))) return;
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(std::move(tag));
  };
  if (value.kind() == Kind::scalar) {
    read_tag(value);
  } else if (value.kind() == Kind::list) {
    for (const Node entry : value) read_tag(entry);
  } else if (value.kind() == Kind::mapping) {
    return wrong_value(r, key, value, "write a list of words, for example [releases, work]");
  }
  return success();
}

}  // namespace pollux::config
