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
  if (!is) return {false, no_number};
  if (!was) return {true, "a number: " + to_text(*is)};
  return by_change(number.amount, *was, *is);
}

// A rule that says what must be so, and counts when it becomes so. Nothing: it cannot be told.
struct State {
  std::optional<bool> now, before;
  std::string becomes, is_not, still;  // for people
};

State number_state(const Number& number, std::string_view before, std::string_view now) {
  const auto is = first_number(now), was = first_number(before);
  if (!is) return {{}, {}, {}, no_number, {}};
  const std::string text = (number.when == Number::When::below ? "below " : "above ") +
                           to_text(number.amount.value) + ": " + to_text(*is);
  return {is_beyond(number, *is), was && is_beyond(number, *was), text, "not " + text,
          "still " + text};
}

std::optional<bool> holds_in(const Alert& alert, const Pattern& pattern, std::string_view text) {
  const std::optional<bool> there = pattern.matches_in_time(text);
  return there ? std::optional(*there == (alert.when == Alert::When::appears)) : std::nullopt;
}

State alert_state(const Alert& alert, const Pattern& pattern, std::string_view before,
                  std::string_view now) {
  const bool appears = alert.when == Alert::When::appears;
  const std::string subject = "\"" + alert.pattern + "\" ";
  State state{holds_in(alert, pattern, now), holds_in(alert, pattern, before),
              subject + (appears ? "appears" : "disappears"),
              subject + (appears ? "does not appear" : "is still there"),
              subject + (appears ? "was there before" : "was missing before")};
  if (!state.now || !state.before) state.is_not = subject + "took too long";
  return state;
}

std::vector<State> states_of(const CompiledRules& rules, std::string_view before,
                             std::string_view now) {
  std::vector<State> states;
  const std::optional<Number>& number = rules.rules.number;
  if (number && number->when != Number::When::changes_by)
    states.push_back(number_state(*number, before, now));
  if (rules.rules.alert)
    states.push_back(alert_state(*rules.rules.alert, *rules.alert, before, now));
  return states;
}

std::optional<bool> all_hold(const std::vector<State>& states) {
  if (states.empty() || std::ranges::any_of(states, [](const State& s) { return !s.now; }))
    return std::nullopt;
  return std::ranges::all_of(states, [](const State& s) { return *s.now; });
}

// Where several must be so, they become so with the last of them.
Significance by_states(const std::vector<State>& states) {
  Significance together;
  together.holds = all_hold(states);
  if (states.empty()) return together;
  const auto so_far = std::ranges::find_if(states, [](const State& s) { return s.now != true; });
  const auto before = std::ranges::find_if(states, [](const State& s) { return s.before != true; });
  together.significant =
      so_far == states.end() && before != states.end() &&
      std::ranges::all_of(states, [](const State& s) { return s.before.has_value(); });
  if (so_far != states.end()) {
    together.reason = so_far->is_not;
  } else if (before == states.end()) {
    together.reason = states.front().still;
  } else {
    for (const State& state : states) {
      if (!state.before) together.reason = state.is_not;
      if (!together.significant || *state.before) continue;
      if (!together.reason.empty()) together.reason += "; ";
      together.reason += state.becomes;
    }
  }
  return together;
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
  condition.holds = holds_in(alert, pattern, now);
  if (condition.holds)
    condition.reason = *condition.holds == appears ? "it is there" : "it is not there";
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
  const bool by_amount = rules.rules.number && rules.rules.number->when == Number::When::changes_by;
  std::vector<Significance> all = {by_states(states_of(rules, before, now))};
  if (by_amount) all.push_back(by_number(*rules.rules.number, before, now));
  if (rules.rules.min_change) all.push_back(by_size(*rules.rules.min_change, before, now, pieces));
  Significance together;
  together.holds = all.front().holds;
  // What is too small to count must not add up unseen: then the base stays. While a state is not
  // so, it follows, or the state could not become so again.
  together.base_follows =
      together.holds && (!*together.holds || (!by_amount && !rules.rules.min_change));
  for (const Significance& one : all) {
    if (!one.significant) {
      together.significant = false;
      together.reason = one.reason;
      return together;
    }
    if (one.reason.empty()) continue;
    if (!together.reason.empty()) together.reason += "; ";
    together.reason += one.reason;
  }
  return together;
}

std::optional<bool> holds(const CompiledRules& rules, std::string_view now) {
  return all_hold(states_of(rules, {}, now));
}

Significance significance_alone(const CompiledRules& rules, std::optional<bool> held,
                                std::string_view now) {
  const std::vector<State> states = states_of(rules, {}, now);
  Significance alone;
  alone.holds = all_hold(states);
  const bool has_condition = rules.rules.alert || rules.rules.number;
  alone.significant = !has_condition || (alone.holds == true && held == false);
  const bool by_amount_only = has_condition && states.empty();
  alone.base_follows = alone.holds || (by_amount_only && first_number(now));
  return alone;
}

}  // namespace pollux::extract
