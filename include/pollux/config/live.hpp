// Pages that are added, and settings that are made, while the daemon runs: checked and resolved by
// the same readers, rules and defaults as the files' own. What could run a program, read a file or
// carry a secret cannot be said here at all: pipe, headers, logins, cookies, paths.
// Threading: any; a Config belongs to whoever calls.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "pollux/config/config.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pollux::config {

// What can be set of a page while the daemon runs. Absent: as it is.
struct LiveSettings {
  std::optional<std::string> name = {};
  std::optional<std::vector<std::string>> tags = {};
  std::optional<double> importance = {};
  std::optional<Duration> min_interval = {}, max_interval = {};
  // A mapping as under `content:`, as JSON; takes the place of the page's own. Without pipe.
  std::optional<std::string> content = {};
  // A wish, never in force by itself: one more pattern of content.ignore, beside what is set.
  std::optional<std::string> more_ignore = {};
  bool empty() const {
    return !name && !tags && !importance && !min_interval && !max_interval && !content &&
           !more_ignore;
  }
  bool operator==(const LiveSettings&) const = default;
};

struct LiveEntry {
  std::string url;  // normalised
  LiveSettings settings = {};
  bool listed = false;         // a file lists it: `settings` are laid over what that says
  bool without_rules = false;  // for its content the defaults hold, whichever rules fit
};

struct LiveProblem {
  // Its settings or URL, its own `content`, or what that makes together with the rules that fit.
  enum class Of { page, content, rules };
  std::size_t entry;
  std::string why;  // without file and line: it stands in none
  Of of = Of::page;
};

// An empty list with the defaults and rules of a configuration, for add_live().
Config fragment_of(const std::shared_ptr<const PageBook>& book);

// Adds the entries to `config.pages`, as if they stood at the end of its list. `config` is as it
// was read, or a fragment. An entry that is wrong is told and left out; so is one whose patterns
// are too large, and those with new content behind `most_patterns` (as extract::size_of_patterns()
// counts): whoever steers must not fill the memory.
std::vector<LiveProblem> add_live(Config& config, std::span<const LiveEntry> entries,
                                  std::size_t most_patterns = SIZE_MAX);

}  // namespace pollux::config
