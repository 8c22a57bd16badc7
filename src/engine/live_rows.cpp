#include "engine/live_rows.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

std::optional<std::int64_t> milliseconds_or_none(const std::optional<Duration>& interval) {
  return interval ? std::optional(milliseconds(*interval)) : std::nullopt;
}
std::optional<Duration> interval_or_none(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional<Duration>(std::chrono::milliseconds(*ms)) : std::nullopt;
}

// What is set of a page's content, with one more pattern of noise.
std::string content_with(const std::optional<std::string>& known, const std::string& pattern) {
  namespace json = boost::json;
  json::object content;
  if (known) {
    boost::system::error_code problem;
    json::value read = json::parse(*known, problem);
    if (!problem && read.is_object()) content = std::move(read.get_object());
  }
  json::value& list = content[content.contains("ignore") ? "ignore" : "+ignore"];
  if (!list.is_array()) list = list.is_string() ? json::array{list} : json::array();
  json::array& patterns = list.get_array();
  const auto is_it = [&pattern](const json::value& one) {
    return one.is_string() && one.get_string() == pattern;
  };
  if (std::ranges::none_of(patterns, is_it)) patterns.push_back(json::value(pattern));
  return json::serialize(content);
}

// Makes an entry that does not do simpler, and says what of it is passed over. Without settings,
// content and rules nothing is left that could be wrong.
const char* simplify(config::LiveEntry& entry, config::LiveProblem::Of of) {
  if (of == config::LiveProblem::Of::page) {
    entry.settings = {.content = std::move(entry.settings.content)};
    return "what was set of it is passed over";
  }
  if (entry.settings.content) {
    entry.settings.content.reset();
    return "what was set of its content is passed over";
  }
  entry.without_rules = true;
  return "the rules that fit it are passed over";
}

// Adds all whose URL still is one, and returns which: what does not do is made to, bit by bit.
std::vector<std::size_t> add_all(config::Config& config,
                                 const std::vector<config::LiveEntry>& entries) {
  constexpr int most_attempts = 4;
  std::vector<std::size_t> added;
  std::vector<config::LiveEntry> good;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const Result<Url> url = parse_url(entries[i].url); !url) {
      spdlog::warn("{}: a page of the database is not polled: {}", printable_url(entries[i].url),
                   printable(url.error().message));
      continue;
    }
    added.push_back(i);
    good.push_back(entries[i]);
  }
  const std::size_t before = config.pages.size();
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::vector<config::LiveProblem> problems = config::add_live(config, good);
    if (problems.empty()) break;
    config.pages.resize(before);
    for (const config::LiveProblem& problem : problems) {
      config::LiveEntry& entry = good[problem.entry];
      const char* const what = simplify(entry, problem.of);
      spdlog::warn("{}: {}: {}", printable_url(entry.url), what, printable(problem.why));
    }
  }
  return added;
}

}  // namespace

std::string json_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += list.empty() ? "[\"" : ",\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') list += '\\';
      list += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    list += '"';
  }
  return list.empty() ? list : list + "]";
}

std::vector<std::string> from_json_list(std::string_view list) {
  std::vector<std::string> texts;
  if (list.empty()) return texts;
  boost::system::error_code problem;
  const boost::json::value read = boost::json::parse(list, problem);
  if (problem || !read.is_array()) return texts;
  for (const boost::json::value& text : read.as_array()) {
    if (text.is_string()) texts.emplace_back(text.as_string());
  }
  return texts;
}

store::OverrideRow row_of(const std::string& url, const config::LiveSettings& settings) {
  store::OverrideRow row{.url = url,
                         .name = settings.name,
                         .importance = settings.importance,
                         .min_interval_ms = milliseconds_or_none(settings.min_interval),
                         .max_interval_ms = milliseconds_or_none(settings.max_interval),
                         .content = settings.content};
  if (settings.tags) row.tags = json_list(*settings.tags);
  return row;
}

config::LiveSettings settings_of(const store::OverrideRow& row) {
  config::LiveSettings settings{.name = row.name,
                                .importance = row.importance,
                                .min_interval = interval_or_none(row.min_interval_ms),
                                .max_interval = interval_or_none(row.max_interval_ms),
                                .content = row.content};
  if (row.tags) settings.tags = from_json_list(*row.tags);
  return settings;
}

config::LiveSettings merged(config::LiveSettings under, const config::LiveSettings& over) {
  const auto lay = [](auto& below, const auto& above) {
    if (above) below = above;
  };
  lay(under.name, over.name);
  lay(under.tags, over.tags);
  lay(under.importance, over.importance);
  lay(under.min_interval, over.min_interval);
  lay(under.max_interval, over.max_interval);
  lay(under.content, over.content);
  if (over.more_ignore) under.content = content_with(under.content, *over.more_ignore);
  return under;
}

Resolved resolved(const std::shared_ptr<const config::PageBook>& book,
                  const std::vector<config::LiveEntry>& entries) {
  Resolved resolved{.list = config::fragment_of(book), .entries = {}};
  resolved.entries = add_all(resolved.list, entries);
  return resolved;
}

void apply_live(const std::vector<store::LiveRow>& rows, config::Config& config,
                WantedPages& wanted) {
  wanted.drop_live();
  if (rows.empty() || !config.book) return;
  std::unordered_map<std::string_view, std::uint32_t> listed;  // position in the files' list
  for (const store::LiveRow& row : rows) listed.emplace(row.url, UINT32_MAX);
  for (std::uint32_t position = 0; position < wanted.specs.size(); ++position) {
    const auto found = listed.find(wanted.specs[position].url);
    if (found != listed.end()) found->second = position;
  }
  std::vector<config::LiveEntry> entries;
  std::vector<std::uint32_t> positions;
  for (const store::LiveRow& row : rows) {
    const std::uint32_t position = listed.at(row.url);
    const bool is_listed = position != UINT32_MAX;
    // A file lists it now, so it is as the file says; or its file has dropped it, so it goes.
    if (row.live == is_listed) continue;
    entries.push_back({row.url, settings_of(row.settings), is_listed});
    positions.push_back(position);
  }
  const std::vector<std::size_t> added = add_all(config, entries);
  WantedPages live(config);
  for (std::size_t i = 0; i < live.specs.size(); ++i) {
    const std::uint32_t position = positions[added[i]];
    const bool is_listed = position != UINT32_MAX;
    if (!is_listed) live.specs[i].source = "live";
    wanted.lay_over(is_listed ? std::optional(position) : std::nullopt, std::move(live.specs[i]),
                    live.settings[i]);
  }
}

}  // namespace pollux::engine
