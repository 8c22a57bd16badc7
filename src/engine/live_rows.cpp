#include "engine/live_rows.hpp"

#include "pollux/base/text.hpp"

#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

std::optional<std::int64_t> milliseconds_or_none(const std::optional<Duration>& interval) {
  return interval ? std::optional(milliseconds(*interval)) : std::nullopt;
}
std::optional<Duration> interval_or_none(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional<Duration>(std::chrono::milliseconds(*ms)) : std::nullopt;
}

// Adds them all: what does not do is made to, bit by bit. Rules come from people, the rest was
// within bounds that never become narrower.
void add_all(config::Config& config, std::vector<config::LiveEntry>& entries) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::size_t before = config.pages.size();
    const std::vector<config::LiveProblem> problems = config::add_live(config, entries);
    if (problems.empty()) return;
    config.pages.resize(before);
    for (const config::LiveProblem& problem : problems) {
      config::LiveEntry& entry = entries[problem.entry];
      spdlog::warn("{}: what was set of it is passed over{}: {}", printable_url(entry.url),
                   attempt == 0 ? ", as far as it concerns its content" : "",
                   printable(problem.why));
      if (attempt == 0 && entry.settings.content) {
        entry.settings.content.reset();
      } else {
        entry.settings = {};
      }
    }
  }
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
  return under;
}

config::Config resolved(const std::shared_ptr<const config::PageBook>& book,
                        std::vector<config::LiveEntry> entries) {
  config::Config fragment = config::fragment_of(book);
  add_all(fragment, entries);
  return fragment;
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
  add_all(config, entries);
  WantedPages live(config);
  for (std::size_t i = 0; i < live.specs.size(); ++i) {
    const bool is_listed = positions[i] != UINT32_MAX;
    if (!is_listed) live.specs[i].source = "live";
    wanted.lay_over(is_listed ? std::optional(positions[i]) : std::nullopt,
                    std::move(live.specs[i]), live.settings[i]);
  }
}

}  // namespace pollux::engine
