#include "import/content_check.hpp"

#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/config/headers.hpp"
#include "pollux/extract/extract.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

using extract::Rules;
using extract::Selector;

constexpr Duration shortest_timeout = std::chrono::milliseconds(100);
constexpr Duration longest_timeout = std::chrono::hours(1);
constexpr std::size_t most_headers = 50;

// Those of a list that compile with what is there already.
template <typename Entry>
void keep_entries(std::vector<Entry>& entries, std::vector<Entry> Rules::*list, const Rules& base,
                  const Place& place, Collector& out) {
  std::vector<Entry> kept;
  for (Entry& entry : entries) {
    Rules alone;
    alone.as = base.as;
    (alone.*list).push_back(entry);
    const std::string complaint = complaint_of(alone);
    if (complaint.empty()) {
      kept.push_back(std::move(entry));
    } else {
      out.left_out(place, complaint);
    }
  }
  entries = std::move(kept);
}

}  // namespace

extract::Selector selector_from(std::string_view text) {
  const bool xpath = text.starts_with('/') || text.starts_with('(');
  return {xpath ? Selector::Language::xpath : Selector::Language::css, std::string(text)};
}

std::string complaint_of(const Rules& rules) {
  const auto compiled = extract::compile(rules);
  return compiled ? std::string() : compiled.error().message;
}

void keep_what_compiles(Rules& rules, const Place& place, Collector& out) {
  if (rules == Rules{}) return;
  const auto for_jq = [](const Selector& one) { return one.language == Selector::Language::jq; };
  if (std::any_of(rules.select.begin(), rules.select.end(), for_jq) && !out.may_ask_jq()) {
    std::erase_if(rules.select, for_jq);
    out.left_out(place, "its filter for jq: there are too many of them");
  }
  if (complaint_of(rules).empty()) return;
  const Rules base = rules;
  keep_entries(rules.select, &Rules::select, base, place, out);
  keep_entries(rules.remove, &Rules::remove, base, place, out);
  keep_entries(rules.ignore, &Rules::ignore, base, place, out);
  keep_entries(rules.ignore_lines, &Rules::ignore_lines, base, place, out);
  keep_entries(rules.keep_lines, &Rules::keep_lines, base, place, out);
  if (rules.alert) {
    Rules alone;
    alone.alert = rules.alert;
    if (const std::string complaint = complaint_of(alone); !complaint.empty()) {
      out.left_out(place, complaint);
      rules.alert.reset();
    }
  }
  if (!rules.pipe.empty()) {
    Rules alone;
    alone.pipe = rules.pipe;
    if (const std::string complaint = complaint_of(alone); !complaint.empty()) {
      out.left_out(place, complaint);
      rules.pipe.clear();
    }
  }
  // Each is right alone and they do not go together: none is kept.
  if (const std::string complaint = complaint_of(rules); !complaint.empty()) {
    out.left_out(place, "its rules: " + complaint);
    rules = Rules{};
  }
}

void set_user_agent(Page& page, std::string_view agent, const Place& place, Collector& out) {
  const std::string_view text = trimmed(agent);
  if (config::is_header_value(text)) {
    page.user_agent = text;
  } else {
    out.left_out(place, "the User-Agent: it is not 1 to 2000 printable ASCII characters");
  }
}

void set_timeout(Page& page, Duration timeout, const Place& place, Collector& out) {
  page.timeout = std::clamp(timeout, shortest_timeout, longest_timeout);
  if (*page.timeout == timeout) return;
  out.changed(place, fmt::format("timeout: {} became {}", format_duration(timeout),
                                 format_duration(*page.timeout)));
}

void add_header(Page& page, std::string_view name, std::string_view value, const Place& place,
                Collector& out) {
  const std::string_view text = trimmed(value);
  if (lowered(name) == "user-agent") return set_user_agent(page, text, place, out);
  if (const std::string complaint = config::header_complaint(name); !complaint.empty()) {
    return out.left_out(place, "headers: " + complaint);
  }
  const bool secret = config::is_secret_header(name);
  if (secret ? !is_secret_line(text) : !config::is_header_value(text)) {
    return out.left_out(place, fmt::format("headers: the value of {} is not one line of printable "
                                           "ASCII characters",
                                           name));
  }
  const auto same = [&](const Header& other) { return lowered(other.name) == lowered(name); };
  std::erase_if(page.headers, same);
  if (page.headers.size() >= most_headers)
    return out.left_out(place, fmt::format("headers: more than {}", most_headers));
  page.headers.push_back({std::string(name), std::string(text), secret});
}

}  // namespace pollux::import
