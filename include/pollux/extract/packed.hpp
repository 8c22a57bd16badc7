// Rules, and what an extraction gave, as bytes: for extractions that another machine makes. What
// does not read back strictly is nothing. Any thread.
#pragma once

#include "pollux/extract/extract.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace pollux::extract {

inline constexpr std::size_t longest_packed_rules = 128u << 10;

// Empty: they are too many to be handed over.
std::string pack(const Rules& rules);
std::optional<Rules> unpack_rules(std::string_view bytes);

// An extraction that was made elsewhere.
struct Remote {
  std::string rules;  // their fingerprint
  std::variant<Kept, Failure> found;
  // The content is the one that was named as known; Kept::content is empty then.
  bool same = false;
  std::optional<std::string> whole;  // what is kept without rules; where it was asked for
};
std::string pack(const Remote& extraction);
std::optional<Remote> unpack_extraction(std::string_view bytes);

// They start a program: pipe, or a filter of jq.
bool starts_program(const Rules& rules);

}  // namespace pollux::extract
