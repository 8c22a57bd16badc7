// What would be kept of a page by these rules, and how to tell it.
#pragma once

#include "cli/diff_output.hpp"
#include "cli/look.hpp"
#include "pollux/extract/common_text.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/extract/ignore_rules.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/extract/significance.hpp"
#include "pollux/extract/suspicion.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::cli {

// The rules on the command line; they replace what the configuration says.
struct GivenRules {
  std::string as;
  std::vector<std::string> select, remove, ignore;
  bool any() const;
};

// A selector as users write it: "xpath:…", "css:…", "jq:…", or a bare text: XPath if it starts with
// / or (, jq where JSON is kept, else CSS.
extract::Selector selector_of(const std::string& text, extract::As as);
// An error (usage) names the option.
Result<extract::Rules> with(extract::Rules rules, const GivenRules& given);

// A rule says what is news: then nothing else is, and nothing is masked.
bool has_condition(const extract::Rules& rules);

struct Trial {
  std::string url, file;                        // one of them may be empty
  extract::Rules rules;                         // in force
  GivenRules given;                             // of them, what stands on the command line
  std::vector<Look> looks;                      // one or two
  std::vector<extract::Kept> kept;              // of each look, in vain where it is missing
  std::string error;                            // why nothing was kept
  std::optional<extract::Kept> seen_as;         // then: its media type and encoding alone
  extract::Noise noise;                         // of two looks
  extract::IgnoreRules ignore = {};             // its masks as rules, and places set aside
  std::vector<extract::PlaceAside> aside = {};  // where masks do not explain it
  std::optional<extract::Suspicion> suspect;
  std::optional<double> number = {};  // that a rule for numbers reads, in the last look
  std::vector<extract::Condition> conditions = {};
};

// Extracts, compares and judges: fills in what follows from the looks.
void judge(Trial& trial, const extract::CompiledRules& rules);

std::string trial_text(const Trial& trial, const Screen& screen);
boost::json::object trial_json(const Trial& trial);

}  // namespace pollux::cli
