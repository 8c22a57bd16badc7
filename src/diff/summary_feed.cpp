// The entries of a feed, as extract keeps them: a title, the link, "id: …" where it is another,
// "published: …" and the text; a blank line between two.
#include "diff/summary_forms.hpp"
#include "pollux/diff/diff.hpp"

#include <map>
#include <set>
#include <utility>

namespace pollux::diff {
namespace {

constexpr std::size_t most_entries_told = 200;

struct FeedEntry {
  std::string_view title, text;
};
// By what names an entry for good: its id, its link, its title; and how many had the same before.
using EntryKey = std::pair<std::string_view, std::size_t>;

struct FeedEntries {
  std::map<EntryKey, FeedEntry> by_key;
  std::vector<EntryKey> order;
};

std::string_view line_at(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string_view name_of_entry(std::string_view text) {
  constexpr std::string_view id = "\nid: ";
  if (const std::size_t at = text.find(id); at != std::string_view::npos)
    return line_at(text, at + id.size());
  const std::string_view title = line_at(text, 0), link = line_at(text, title.size() + 1);
  return link.find("://") == std::string_view::npos ? title : link;
}

FeedEntries entries_of(std::string_view text) {
  FeedEntries entries;
  std::map<std::string_view, std::size_t> seen;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    const std::string_view entry = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
    if (entry.find_first_not_of(" \n") == std::string_view::npos) continue;
    const std::string_view name = name_of_entry(entry);
    const EntryKey key{name, seen[name]++};
    const std::string_view whole =
        entry.ends_with('\n') ? entry.substr(0, entry.size() - 1) : entry;
    entries.by_key[key] = {line_at(entry, 0), whole};
    entries.order.push_back(key);
  }
  return entries;
}

}  // namespace

std::vector<std::string> told_feed(std::string_view old_text, std::string_view new_text) {
  const FeedEntries before = entries_of(old_text), now = entries_of(new_text);
  std::vector<std::string> fresh, edited, gone;
  for (const EntryKey& key : now.order) {
    const FeedEntry& entry = now.by_key.at(key);
    const auto old = before.by_key.find(key);
    if (fresh.size() + edited.size() > most_entries_told) break;
    if (old == before.by_key.end()) {
      fresh.push_back("new: " + folded(entry.title));
    } else if (old->second.text != entry.text) {
      edited.push_back("edited: " + folded(entry.title) + " (" +
                       summary(old->second.text, entry.text) + ")");
    }
  }
  for (const EntryKey& key : before.order) {
    if (gone.size() > most_entries_told) break;
    if (!now.by_key.contains(key)) gone.push_back("gone: " + folded(before.by_key.at(key).title));
  }
  // What is new is what feeds are read for; what left at their end comes last.
  for (std::vector<std::string>* part : {&edited, &gone}) {
    fresh.insert(fresh.end(), std::make_move_iterator(part->begin()),
                 std::make_move_iterator(part->end()));
  }
  if (fresh.empty() && before.order != now.order)
    fresh.push_back("another order, first: " + folded(now.by_key.at(now.order.front()).title));
  return fresh;
}

}  // namespace pollux::diff
