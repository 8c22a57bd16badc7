#include "cli/live_entries.hpp"

#include "pollux/store/reader.hpp"

#include <chrono>
#include <string>

#include <boost/json.hpp>

namespace pollux::cli {
namespace {

std::vector<std::string> tags_in(const std::string& list) {
  std::vector<std::string> words;
  boost::system::error_code problem;
  const boost::json::value read = boost::json::parse(list.empty() ? "[]" : list, problem);
  if (problem || !read.is_array()) return words;
  for (const boost::json::value& word : read.as_array()) {
    if (word.is_string()) words.emplace_back(word.as_string());
  }
  return words;
}

config::LiveEntry entry_of(const store::LiveRow& row) {
  const store::OverrideRow& set = row.settings;
  config::LiveEntry entry{.url = row.url, .listed = !row.live};
  entry.settings.name = set.name;
  if (set.tags) entry.settings.tags = tags_in(*set.tags);
  entry.settings.importance = set.importance;
  if (set.min_interval_ms)
    entry.settings.min_interval = std::chrono::milliseconds(*set.min_interval_ms);
  if (set.max_interval_ms)
    entry.settings.max_interval = std::chrono::milliseconds(*set.max_interval_ms);
  entry.settings.content = set.content;
  return entry;
}

}  // namespace

Result<std::vector<config::LiveEntry>> live_entries(store::Reader& reader) {
  const Result<std::vector<store::LiveRow>> rows = reader.live();
  if (!rows) return rows.error();
  std::vector<config::LiveEntry> entries;
  for (const store::LiveRow& row : *rows) entries.push_back(entry_of(row));
  return entries;
}

}  // namespace pollux::cli
