// The stage between fetch and detect: bytes, media type and rules → the content that counts, or an
// error that names the rule. Pure but for `pipe` and jq, which are programs in bounds of their own.
// Any thread.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/extract/limits.hpp"
#include "pollux/extract/rules.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

// Rules with their selectors and patterns compiled; immutable, shared by threads.
class CompiledRules;
using SharedRules = std::shared_ptr<const CompiledRules>;
// An error names the rule: `select: unknown pseudo-class :hover in "a:hover"`.
Result<SharedRules> compile(const Rules& rules);
const Rules& rules_of(const CompiledRules& compiled);
// Steps that its patterns may take for a byte: their memory grows with it, too. A usual pattern has
// some dozens.
std::size_t size_of_patterns(const CompiledRules& compiled);

struct Document {
  std::string_view body;
  std::string_view content_type;  // the header's value, parameters included; may be empty
};

// What a page looks like as a whole, whatever the rules keep of it: how a lying answer is told from
// a true one.
struct Traits {
  std::string title;      // at most 200 bytes
  std::size_t words = 0;  // of the visible text
  std::size_t password_fields = 0;
  // Known ones of bot challenges, and end_of_html; at most 8.
  std::vector<std::string> markers;
};

// Among its markers: the document says where it ends. One that did and no longer does may have been
// cut short.
inline constexpr std::string_view end_of_html = "end";

struct Kept {
  std::string content;     // UTF-8 unless `as` is raw
  As as = As::raw;         // what it was kept as; never automatic
  std::string media_type;  // lower case, without parameters; sniffed if the server said nothing
  std::string encoding;    // of the document, by WHATWG's name; empty: no text
  std::vector<std::size_t> matched;  // for each `select`, how many nodes
  Traits traits;                     // empty for what is not HTML
};

struct Failure {
  enum class Kind {
    too_complex,   // beyond Limits
    selector,      // `select` matches nothing
    not_readable,  // no JSON, no feed, … where the rules want it
    program        // `pipe` or jq failed
  };
  Kind kind = Kind::not_readable;
  std::string message;  // names the rule and the reason
  Traits traits = {};   // of HTML in which `select` matches nothing: it may be another page
};

std::variant<Kept, Failure> extract(const Document& document, const CompiledRules& rules,
                                    const Limits& limits);

}  // namespace pollux::extract
