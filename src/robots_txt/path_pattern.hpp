// One pattern of a robots.txt rule against one path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::robots_txt {

// A path with its query as patterns are compared with it: percent-encoded where RFC 3986 wants it
// (upper-case digits), letters, digits and -._~ not encoded. A '*' or '$' of the path itself
// becomes %2A or %24.
std::string normal_path(std::string_view path);
// The same for a pattern, in which '*' and a last '$' keep their meaning.
std::string normal_pattern(std::string_view pattern);

// Compares normal patterns with one normal path. Keeps its working memory between calls.
class PathMatcher {
 public:
  explicit PathMatcher(std::string_view path) : path_(path) {}
  bool matches(std::string_view pattern);
  // Characters compared for the sake of wildcards, so far.
  std::size_t work() const { return work_; }

 private:
  std::size_t find(std::string_view piece, std::size_t from);
  bool has_pairs_of(std::string_view piece);

  std::string_view path_;
  std::vector<std::size_t> borders_;
  // Which two characters follow each other in the path: most pieces have two that nowhere do.
  std::vector<bool> pairs_;
  std::size_t work_ = 0;
};

}  // namespace pollux::robots_txt
