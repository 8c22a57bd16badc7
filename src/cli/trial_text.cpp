#include "cli/output.hpp"
#include "cli/trial.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/conditions.hpp"
#include "pollux/report/masks.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

using extract::As;
using Language = extract::Selector::Language;

constexpr std::size_t lines_shown = 20;   // of what is kept
constexpr std::size_t facts_column = 15;  // behind their topics

void add(std::string& out, std::string_view topic, const std::string& text) {
  out += fmt::format("  {:<12} {}\n", topic, text);
}

std::string_view meaning_of(As as) {
  switch (as) {
    case As::text:
      return "what a reader sees, with the targets of links";
    case As::html:
      return "markup";
    case As::json:
      return "JSON in one order and one spelling";
    case As::feed:
      return "the entries of the feed";
    case As::raw:
    case As::automatic:
      return "the bytes as they are";
  }
  return "";
}

std::string nodes_text(const extract::Selector& selector, std::size_t nodes) {
  return fmt::format("{}: {}", printable(selector.text, 200),
                     count_of(static_cast<std::int64_t>(nodes), "node"));
}

std::size_t lines_of(std::string_view content) {
  return static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n')) +
         (content.empty() || content.ends_with('\n') ? 0 : 1);
}

void add_answer(std::string& out, const Trial& trial) {
  if (!trial.file.empty()) return;
  const Look& look = trial.looks.front();
  add(out, "answer",
      fmt::format("{}, {}, {} in {}", look.status,
                  look.content_type.empty() ? "no media type" : printable(look.content_type, 100),
                  format_bytes(look.body.size()), format_duration(look.elapsed)));
  if (look.redirects > 0) {
    add(out, "redirected",
        fmt::format("{} to {}", count_of(look.redirects, "time"), printable_url(look.final_url)));
  }
}

void add_kind(std::string& out, const extract::Kept& kept) {
  add(out, "media type", printable(kept.media_type, 100));
  add(out, "encoding", kept.encoding.empty() ? "none: it is no text" : kept.encoding);
}

void add_suspicion(std::string& out, const Trial& trial) {
  add(out, "suspect",
      trial.suspect ? "yes, it looks like a " + std::string(extract::name_of(*trial.suspect)) +
                          ": it would be looked at again, and not be believed"
                    : "no");
}

void add_facts(std::string& out, const Trial& trial) {
  const extract::Kept& kept = trial.kept.front();
  add_kind(out, kept);
  add(out, "kept as",
      fmt::format("{}: {}{}", extract::name_of(kept.as), meaning_of(kept.as),
                  trial.rules.as == As::automatic && trial.rules.pipe.empty()
                      ? ", by its media type"
                      : ""));
  for (std::size_t i = 0; i < std::min(kept.matched.size(), trial.rules.select.size()); ++i) {
    add(out, i == 0 ? "select" : "", nodes_text(trial.rules.select[i], kept.matched[i]));
  }
  if (!kept.traits.title.empty()) add(out, "title", printable(kept.traits.title, 200));
  add(out, "kept",
      fmt::format("{} of {}, {}", format_bytes(kept.content.size()),
                  format_bytes(trial.looks.front().body.size()),
                  count_of(static_cast<std::int64_t>(lines_of(kept.content)), "line")));
  add_suspicion(out, trial);
  const auto compared = trial.kept.size() < 2 ? report::Compared::no : report::Compared::yes;
  for (const extract::Condition& condition : trial.conditions)
    add(out, condition.rule, report::condition_text(condition, compared));
  if (!trial.conditions.empty() && trial.kept.size() < 2)
    add(out, "", "A change is what makes all of that hold, from one version to the next.");
}

void add_head(std::string& out, std::string_view content, const Screen& screen) {
  out += "\nWhat is kept:\n";
  if (report::looks_binary(content)) {
    out += "  (no text)\n";
    return;
  }
  const std::size_t all = lines_of(content);
  for (std::size_t line = 0; line < std::min(all, lines_shown); ++line) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string text = "  " + report::visible_line(content.substr(0, end));
    out += (screen.width ? shortened(text, *screen.width) : text) + '\n';
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  if (all > lines_shown) {
    out += "  ⋯ " + count_of(static_cast<std::int64_t>(all - lines_shown), "more line") +
           "; --json has all of it\n";
  }
}

void add_comparison(std::string& out, const Trial& trial, const Screen& screen) {
  const std::string& first = trial.kept.front().content;
  const std::string& second = trial.kept.back().content;
  if (first == second) {
    out += "\nTwo looks, one after the other, are equal.\n";
    return;
  }
  out += "\nTwo looks, one after the other, differ:\n\n";
  out += change_text(first, second, screen);
  out += '\n';
  if (has_condition(trial.rules)) {
    out += "With alert or number only what makes them hold is a change; nothing is masked.\n";
    return;
  }
  for (const extract::PlaceAside& place : trial.aside)
    out +=
        "No mask may hide it, so it would be set aside: " + report::mask_text(place.around) + '\n';
  if (!trial.aside.empty()) {
    out += "What both looks have in common is compared: news beside these places is found.\n";
    return;
  }
  for (const extract::Mask& mask : trial.noise.masks)
    out += "A mask would be made: " + report::mask_text(mask) + '\n';
  if (!trial.noise.explained) {
    out +=
        "Some of that cannot be masked: the page would be called noisy. Leave the place out with\n"
        "--remove, or keep only what counts with --select.\n";
  } else if (trial.ignore.equal) {
    out += "With that, or with the rules below, both looks are equal.\n";
  } else {
    out +=
        "With that both looks are equal. As rules it cannot be written: leave it to the masks, or "
        "leave\nthe place out with --remove.\n";
  }
}

// A selector as the configuration takes it.
std::string yaml_selector(const std::string& text, As as) {
  const extract::Selector selector = selector_of(text, as);
  std::string quoted = report::yaml_text(selector.text);
  if (selector.language == Language::jq) return "{ jq: " + quoted + " }";
  if (selector == selector_of(selector.text, as)) return quoted;
  return (selector.language == Language::css ? "{ css: " : "{ xpath: ") + quoted + " }";
}

void add_list(std::string& out, std::string_view key, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("      {}:\n", key);
  for (const std::string& item : items) out += "        - " + item + '\n';
}

void add_yaml(std::string& out, const Trial& trial) {
  // Rules for a part of the noise are of use; rules that fail to do what masks do are not.
  const bool with_rules = trial.ignore.equal || !trial.noise.explained;
  const std::vector<std::string> patterns =
      with_rules ? trial.ignore.patterns : std::vector<std::string>();
  if (!trial.given.any() && patterns.empty() && !trial.rules.render) return;
  std::vector<std::string> select, remove, ignore;
  for (const std::string& text : trial.given.select)
    select.push_back(yaml_selector(text, trial.rules.as));
  for (const std::string& text : trial.given.remove)
    remove.push_back(yaml_selector(text, trial.rules.as));
  // They would replace what is in force: all of it stands here.
  if (!trial.given.ignore.empty() || !patterns.empty()) {
    for (const std::string& pattern : trial.rules.ignore)
      ignore.push_back(report::yaml_text(pattern));
  }
  for (const std::string& pattern : patterns) ignore.push_back(report::yaml_text(pattern));
  out += "\nTo paste into the configuration:\n\n";
  out += "pages:\n  - url: " +
         (trial.url.empty() ? std::string("https://example.org/  # yours")
                            : report::yaml_text(trial.url)) +
         "\n    content:\n";
  if (trial.rules.render)
    out += "      render: true  # with render: { chromium: true } at the top level\n";
  if (!trial.given.as.empty()) out += "      as: " + trial.given.as + '\n';
  add_list(out, "select", select);
  add_list(out, "remove", remove);
  add_list(out, "ignore", ignore);
}

// A filter of JSON was taken for a CSS selector.
bool wants_jq(const Trial& trial) {
  const bool is_json = trial.seen_as && trial.seen_as->media_type.find("json") != std::string::npos;
  return is_json && trial.rules.as != As::json && !trial.given.select.empty();
}

}  // namespace

std::string trial_text(const Trial& trial, const Screen& screen) {
  std::string out = (trial.file.empty()  ? printable_url(trial.url)
                     : trial.file == "-" ? "standard input"
                                         : printable(trial.file)) +
                    '\n';
  std::string facts;
  if (!trial.looks.empty()) add_answer(facts, trial);
  if (trial.seen_as) add_kind(facts, *trial.seen_as);
  if (trial.kept.empty() && trial.suspect) add_suspicion(facts, trial);
  if (!trial.kept.empty()) add_facts(facts, trial);
  out += word_wrapped(facts, screen.width, facts_column);
  if (!trial.kept.empty()) add_head(out, trial.kept.front().content, screen);
  if (trial.kept.size() > 1) add_comparison(out, trial, screen);
  if (!trial.error.empty()) {
    add(out, "error", printable(trial.error, 1'000));
    if (wants_jq(trial))
      add(out, "", "It is JSON: add --as json, and --select takes filters of jq.");
  } else {
    add_yaml(out, trial);
  }
  return out;
}

}  // namespace pollux::cli
