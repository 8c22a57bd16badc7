// Regular expressions by RE2: linear in the text, whatever the pattern. The factor is the pattern's
// size, and a search cannot be interrupted: one that could take long runs in a child.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/extract/limits.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace pollux::extract {

// Immutable, shared by threads. ^ and $ are the ends of lines.
class Pattern {
 public:
  static Result<Pattern> compile(const std::string& text);
  bool matches(std::string_view text) const;
  // Nothing: it took longer than a second.
  std::optional<bool> matches_in_time(std::string_view text) const;
  // What matches is left out. One search is linear, all of them are not: hence the deadline.
  std::optional<TooComplex> drop_from(std::string& text, const Limits& limits) const;
  std::size_t steps_a_byte() const;  // at most
  Pattern copy() const;              // that shares nothing, for a child

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

struct Patterns {
  std::vector<Pattern> ignore, ignore_lines, keep_lines;
  bool sort_lines = false, unique_lines = false;  // after all of them
  bool empty() const {
    return ignore.empty() && ignore_lines.empty() && keep_lines.empty() && !sort_lines &&
           !unique_lines;
  }
  std::optional<TooComplex> apply(std::string& text, const Limits& limits) const;
  std::size_t steps_a_byte() const;

 private:
  std::optional<TooComplex> apply_here(std::string& text, const Limits& limits) const;
  std::optional<TooComplex> drop_lines(std::string& text, const Limits& limits) const;
  void put_lines_in_order(std::string& text) const;
};

}  // namespace pollux::extract
