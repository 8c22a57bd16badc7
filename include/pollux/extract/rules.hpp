// What counts as the content of a page, as a user writes it under `content:`. Plain values;
// compile() makes them ready for use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// What a document is kept as. `automatic` goes by the media type.
enum class As { automatic, raw, text, html, json, feed };
std::string_view name_of(As as);  // as users write it: auto, raw, …
std::optional<As> as_of(std::string_view name);

struct Selector {
  enum class Language { css, xpath, jq };
  Language language = Language::css;
  std::string text;
  bool operator==(const Selector&) const = default;
};

// An amount, or a part of what was there before.
struct Amount {
  double value = 0;
  bool percent = false;
  bool operator==(const Amount&) const = default;
};

// A smaller difference than this is noise.
struct MinChange {
  enum class Unit { words_percent, lines };
  Unit unit = Unit::words_percent;
  double value = 0;
  bool operator==(const MinChange&) const = default;
};

// A change is only what makes this pattern (RE2) appear or disappear.
struct Alert {
  enum class When { appears, disappears };
  When when = When::appears;
  std::string pattern;
  bool operator==(const Alert&) const = default;
};

// A change is only what this says of the first number of the content.
struct Number {
  enum class When { below, above, changes_by };
  When when = When::changes_by;
  Amount amount;
  bool operator==(const Number&) const = default;
};

struct Rules {
  As as = As::automatic;
  std::vector<Selector> select;           // what is kept, in the document's order; empty: all of it
  std::vector<Selector> remove;           // taken out of that
  std::vector<std::string> ignore;        // RE2: what matches is dropped
  std::vector<std::string> ignore_lines;  // RE2: lines in which one matches are dropped
  std::vector<std::string> keep_lines;    // RE2: if any, only lines in which one matches stay
  std::optional<MinChange> min_change;
  std::optional<Alert> alert;
  std::optional<Number> number;
  std::vector<std::string> pipe;  // a program and its arguments: bytes in, text out
  bool sort_lines = false;        // of what is left, in the order of their bytes
  bool unique_lines = false;      // of equal ones the first stays
  // The page's scripts have run before: it came by a browser. Nothing here makes it so; but it is
  // another content, and who fetches it must know.
  bool render = false;
  bool operator==(const Rules&) const = default;
};

// Equal for equal rules, another for others: 16 hexadecimal digits. Rules that say nothing have
// one, too.
std::string fingerprint(const Rules& rules);

}  // namespace pollux::extract
