#include "pollux/extract/significance.hpp"

#include "extract/compiled_rules.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace pollux::extract {
namespace {

constexpr const char* no_number = "no number in the content";

std::string to_text(double number) {
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.10g", number);
  return digits.data();
}

// What one rule says; the reason is its own.
Significance by_words(const MinChange& least, std::string_view before,
                      const std::vector<diff::Piece>& pieces) {
  const diff::Counts changed = diff::count(pieces);
  const std::size_t words = std::max<std::size_t>(diff::count_words(before), 1);
  const double percent = 100.0 *
                         static_cast<double>(std::max(changed.words_added, changed.words_removed)) /
                         static_cast<double>(words);
  if (percent >= least.value) return {};
  std::array<char, 40> rounded{};  // 1.96 % must not read "2 %, less than 2 %"
  std::snprintf(rounded.data(), rounded.size(), "%.3g", percent);
  return {false, std::string(rounded.data()) + " % of the words, less than " +
                     to_text(least.value) + " %"};
}

Significance by_lines(const MinChange& least, std::string_view before, std::string_view now) {
  const diff::LineCounts counts = diff::count_lines(before, now);
  const std::size_t changed = std::max(counts.added, counts.removed);
  if (static_cast<double>(changed) >= least.value) return {};
  return {false, std::to_string(changed) + (changed == 1 ? " line" : " lines") + ", less than " +
                     to_text(least.value)};
}

Significance by_size(const MinChange& least, std::string_view before, std::string_view now,
                     const std::vector<diff::Piece>& pieces) {
  return least.unit == MinChange::Unit::lines ? by_lines(least, before, now)
                                              : by_words(least, before, pieces);
}

Significance by_alert(const Alert& alert, const Pattern& pattern, std::string_view before,
                      std::string_view now) {
  const bool wanted = alert.when == Alert::When::appears;
  const std::string subject = "\"" + alert.pattern + "\" ";
  const std::optional<bool> is = pattern.matches_in_time(now);
  const std::optional<bool> was = pattern.matches_in_time(before);
  if (!is || !was) return {false, subject + "took too long", !is};
  if (is == wanted && was != wanted) return {true, subject + (wanted ? "appears" : "disappears")};
  if (is == wanted) return {false, subject + (wanted ? "was there before" : "was missing before")};
  return {false, subject + (wanted ? "does not appear" : "is still there")};
}

Significance by_change(const Amount& amount, double before, double now) {
  const double change = std::abs(now - before);
  const double least = amount.percent ? std::abs(before) * amount.value / 100 : amount.value;
  const std::string both = to_text(before) + " → " + to_text(now);
  // Decimal fractions are not exact in binary: 95 is 5 % less than 100.
  if (change > 0 && change >= least * (1 - 1e-9)) return {true, both};
  return {false, both + ", by less than " + to_text(amount.value) + (amount.percent ? " %" : "")};
}

bool is_beyond(const Number& number, double value) {
  return number.when == Number::When::below ? value < number.amount.value
                                            : value > number.amount.value;
}

Significance by_number(const Number& number, std::string_view before, std::string_view now) {
  const auto is = first_number(now), was = first_number(before);
  if (!is) return {false, no_number, true};
  if (number.when == Number::When::changes_by) {
    if (!was) return {true, "a number: " + to_text(*is)};
    return by_change(number.amount, *was, *is);
  }
  const bool below = number.when == Number::When::below;
  const std::string text =
      (below ? "below " : "above ") + to_text(number.amount.value) + ": " + to_text(*is);
  if (!is_beyond(number, *is)) return {false, "not " + text};
  if (was && is_beyond(number, *was)) return {false, "still " + text};
  return {true, text};
}

Condition number_condition(const Number& number, std::optional<std::string_view> before,
                           std::string_view now) {
  const auto is = first_number(now);
  const std::string amount = to_text(number.amount.value) + (number.amount.percent ? " %" : "");
  if (number.when != Number::When::changes_by) {
    const char* how = number.when == Number::When::below ? "below " : "above ";
    if (!is) return {"number", how + amount, std::nullopt, no_number};
    return {"number", how + amount, is_beyond(number, *is), to_text(*is)};
  }
  Condition condition{"number", "changes by " + amount, std::nullopt, no_number};
  if (!is) return condition;
  condition.reason = to_text(*is) + ", and nothing to compare it with";
  if (!before) return condition;
  const Significance change = by_number(number, *before, now);
  condition.holds = change.significant;
  condition.reason = change.reason;
  return condition;
}

Condition alert_condition(const Alert& alert, const Pattern& pattern, std::string_view now) {
  const bool appears = alert.when == Alert::When::appears;
  Condition condition{"alert", (appears ? "appears \"" : "disappears \"") + alert.pattern + "\"",
                      std::nullopt, "its pattern took too long"};
  const std::optional<bool> there = pattern.matches_in_time(now);
  if (!there) return condition;
  condition.holds = *there == appears;
  condition.reason = *there ? "it is there" : "it is not there";
  return condition;
}

Condition size_condition(const MinChange& least, std::optional<std::string_view> before,
                         std::string_view now) {
  const bool lines = least.unit == MinChange::Unit::lines;
  Condition condition{"min_change", to_text(least.value) + (lines ? " lines" : " % of the words"),
                      std::nullopt, "nothing to compare with"};
  if (!before) return condition;
  if (*before == now) {
    condition.holds = false;
    condition.reason = "nothing differs";
    return condition;
  }
  const Significance size = by_size(least, *before, now, diff::words(*before, now));
  condition.holds = size.significant;
  condition.reason = size.significant ? "as much differs, or more" : size.reason;
  return condition;
}

}  // namespace

std::vector<Condition> conditions(const CompiledRules& rules,
                                  std::optional<std::string_view> before, std::string_view now) {
  std::vector<Condition> all;
  if (rules.rules.number) all.push_back(number_condition(*rules.rules.number, before, now));
  if (rules.rules.alert) all.push_back(alert_condition(*rules.rules.alert, *rules.alert, now));
  if (rules.rules.min_change) all.push_back(size_condition(*rules.rules.min_change, before, now));
  return all;
}

Significance significance(const CompiledRules& rules, std::string_view before,
                          std::string_view now) {
  return significance(rules, before, now, diff::words(before, now));
}

Significance significance(const CompiledRules& rules, std::string_view before, std::string_view now,
                          const std::vector<diff::Piece>& pieces) {
  std::vector<Significance> all;
  if (rules.rules.number) all.push_back(by_number(*rules.rules.number, before, now));
  if (rules.rules.alert) all.push_back(by_alert(*rules.rules.alert, *rules.alert, before, now));
  if (rules.rules.min_change) all.push_back(by_size(*rules.rules.min_change, before, now, pieces));
  Significance together;
  for (const Significance& one : all) {
    if (!one.significant) return one;
    if (one.reason.empty()) continue;
    if (!together.reason.empty()) together.reason += "; ";
    together.reason += one.reason;
  }
  return together;
}

}  // namespace pollux::extract
