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

Significance by_alert(const Alert& alert, const Pattern& pattern, std::string_view before,
                      std::string_view now) {
  const bool wanted = alert.when == Alert::When::appears;
  const std::string subject = "\"" + alert.pattern + "\" ";
  const std::optional<bool> is = pattern.matches_in_time(now);
  const std::optional<bool> was = pattern.matches_in_time(before);
  if (!is || !was) return {false, subject + "took too long"};
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

Significance by_number(const Number& number, std::string_view before, std::string_view now) {
  const auto is = first_number(now), was = first_number(before);
  if (!is) return {false, "no number in the content"};
  if (number.when == Number::When::changes_by) {
    if (!was) return {true, "a number: " + to_text(*is)};
    return by_change(number.amount, *was, *is);
  }
  const bool below = number.when == Number::When::below;
  const auto holds = [&number, below](double value) {
    return below ? value < number.amount.value : value > number.amount.value;
  };
  const std::string text =
      (below ? "below " : "above ") + to_text(number.amount.value) + ": " + to_text(*is);
  if (!holds(*is)) return {false, "not " + text};
  if (was && holds(*was)) return {false, "still " + text};
  return {true, text};
}

}  // namespace

Significance significance(const CompiledRules& rules, std::string_view before,
                          std::string_view now) {
  return significance(rules, before, now, diff::words(before, now));
}

Significance significance(const CompiledRules& rules, std::string_view before, std::string_view now,
                          const std::vector<diff::Piece>& pieces) {
  std::vector<Significance> all;
  if (rules.rules.number) all.push_back(by_number(*rules.rules.number, before, now));
  if (rules.rules.alert) all.push_back(by_alert(*rules.rules.alert, *rules.alert, before, now));
  if (rules.rules.min_change) {
    const MinChange& least = *rules.rules.min_change;
    all.push_back(least.unit == MinChange::Unit::lines ? by_lines(least, before, now)
                                                       : by_words(least, before, pieces));
  }
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
