// What a command accepts on its command line, as data: a command declares it once, and parsing,
// help and whatever else wants to know (completions, manual pages) read it.
//
// Light on purpose: the library that parses is seen by cli.cpp alone.
#pragma once

#include "pollux/cli/command.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pollux::cli {

// What the values of an option must satisfy. Texts appear in help and in complaints.
struct WholeRange {
  std::int64_t min, max;  // both included
};
struct RealRange {
  double min, max;
};
struct Positive {};
struct OneOf {
  std::vector<std::string> words;
  std::string title;  // how help names such a word; empty: all of them are listed
};
// A word that stands for a number, as of an enumeration.
struct NamedNumbers {
  std::vector<std::pair<std::string, int>> numbers;
  std::string title;  // as in OneOf
};
// "" when the text is right, else what is wrong with it.
using Check = std::string (*)(const std::string& text);
using Rule =
    std::variant<std::monostate, WholeRange, RealRange, Positive, OneOf, NamedNumbers, Check>;

// Where a value goes. It must outlive the parsing. The function takes a NamedNumbers' number; a
// bool is a flag without a value; a list of numbers is written with commas, one of texts by giving
// the option more than once.
using Target =
    std::variant<bool*, std::string*, int*, unsigned*, std::int64_t*, std::uint64_t*, double*,
                 std::vector<std::uint64_t>*, std::vector<std::string>*, std::function<void(int)>>;

struct Option {
  std::string name;  // "--limit"; without dashes an argument by position
  Target target;
  std::string help;
  Rule rule{};
  bool is_required = false;
  bool help_has_default = false;
  std::string value_name{};  // in help, instead of the type's: FILE
  std::string rival{};       // an earlier option that must not be given beside this one
  std::string alone{};       // the value when the option is given without one; empty: it needs one

  Option& range(int min, int max) { return ruled(WholeRange{min, max}); }
  Option& range(std::int64_t min, std::int64_t max) { return ruled(WholeRange{min, max}); }
  Option& range(double min, double max) { return ruled(RealRange{min, max}); }
  Option& positive() { return ruled(Positive{}); }
  Option& one_of(std::vector<std::string> words, std::string title = "") {
    return ruled(OneOf{std::move(words), std::move(title)});
  }
  Option& check(Check function) { return ruled(function); }
  Option& required() { return is_required = true, *this; }
  Option& show_default() { return help_has_default = true, *this; }
  Option& called(std::string name_of_value) { return value_name = std::move(name_of_value), *this; }
  Option& not_with(std::string other) { return rival = std::move(other), *this; }
  Option& or_alone(std::string value) { return alone = std::move(value), *this; }

 private:
  Option& ruled(Rule other) { return rule = std::move(other), *this; }
};

class CommandLine {
 public:
  // The reference is good until the command line goes.
  template <typename Value>
  Option& option(std::string name, Value& value, std::string help) {
    return options_.emplace_back(Option{std::move(name), &value, std::move(help)});
  }
  Option& flag(std::string name, bool& value, std::string help) {
    return option(std::move(name), value, std::move(help));
  }
  // One of an enumeration's values by its name.
  template <typename Enum>
  Option& choice(std::string name, Enum& value,
                 const std::vector<std::pair<std::string, Enum>>& names, std::string help,
                 std::string title = "") {
    NamedNumbers numbers{{}, std::move(title)};
    for (const auto& [word, meaning] : names)
      numbers.numbers.emplace_back(word, static_cast<int>(meaning));
    return options_.emplace_back(Option{std::move(name),
                                        [&value](int number) { value = static_cast<Enum>(number); },
                                        std::move(help), std::move(numbers)});
  }
  // What help says after the options.
  void footer(std::string text) { footer_ = std::move(text); }
  // One of these must be chosen.
  void subcommands(std::span<const Command> table) { subcommands_ = table; }

  const std::deque<Option>& options() const { return options_; }
  const std::string& footer() const { return footer_; }
  std::span<const Command> subcommands() const { return subcommands_; }

 private:
  std::deque<Option> options_;  // a deque, for references that stay good
  std::string footer_;
  std::span<const Command> subcommands_;
};

}  // namespace pollux::cli
