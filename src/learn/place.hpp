// A page's place in the web: the order in which siblings stand together.
//
// By host with its labels reversed (org, example, www), then port and scheme, then the path
// directory by directory, then the query. Pages of a domain, of a host and of a directory are runs
// of that order. URLs are normalised (pollux/base/url.hpp). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::learn {

// A string whose order by bytes is the order of places; its parts end with `part_end`. Appended to
// `key`. Anything that is no URL is one part.
inline constexpr char part_end = '\1';
void append_place_key(std::string_view url, std::string& key);

// How many parts (labels, port with scheme, directories, the query) two keys have in common, from
// the left: the boundary between neighbours is the more significant the fewer they are.
unsigned parts_in_common(std::string_view a, std::string_view b);

// What two places have in common, as people write it: "" for nothing, ".example.org" for hosts of a
// domain, "https://www.example.org/" for a host, "https://www.example.org/news/" for a directory.
// Of one place it is its URL.
std::string common_prefix(std::string_view first, std::string_view last);

// Many places, put in order at once.
class PlaceList {
 public:
  void reserve(std::size_t places) { entries_.reserve(places); }
  void add(std::string_view url, std::uint32_t name);
  void sort();
  std::size_t size() const { return entries_.size(); }
  std::uint32_t name(std::size_t at) const { return entries_[at].name; }
  // Of neighbours `at` − 1 and `at`, `at` > 0.
  unsigned boundary(std::size_t at) const { return parts_in_common(key(at - 1), key(at)); }

 private:
  struct Entry {
    std::uint64_t piece;  // eight bytes of the key: what is compared just now
    std::uint64_t begin;  // of the key, in `keys_`
    std::uint32_t length, name;
  };
  std::string_view key(std::size_t at) const {
    return {keys_.data() + entries_[at].begin, entries_[at].length};
  }
  void sort_run(std::size_t first, std::size_t end, std::size_t from);

  std::string keys_;
  std::vector<Entry> entries_;
};

}  // namespace pollux::learn
