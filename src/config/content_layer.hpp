// One `content:` as it is written, in the defaults, in a rule or at a page. Several of them, laid
// over each other, make the rules of a page (content_rules.hpp); each value keeps its line, so that
// what turns out wrong only then is told with its place.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/extract/rules.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::config {

// A selector or a pattern.
struct ContentEntry {
  std::string text;
  std::uint32_t line = 0;
  std::optional<extract::Selector::Language> language = {};  // none: it goes by its text and `as`
};

enum class ContentList : std::uint8_t { select, remove, ignore, ignore_lines, keep_lines };
inline constexpr std::size_t content_lists = 5;

struct ContentLayer {
  template <typename T>
  struct Written {
    T value = {};
    std::uint32_t line = 0;  // 0: it is not written
    bool given() const { return line != 0; }
  };
  struct List : Written<std::vector<ContentEntry>> {
    bool appends = false;  // to what the weaker layers say; else it replaces that
  };

  std::string file = {};
  ExitCode code = ExitCode::configuration;  // of errors in that file
  std::uint32_t line = 0;                   // 0: there is no such layer
  bool right = true;                        // as far as it can be told alone

  Written<extract::As> as = {};
  std::array<List, content_lists> lists = {};
  // Written without a value they take back what a weaker layer says.
  Written<std::optional<extract::MinChange>> min_change = {};
  Written<std::optional<extract::Alert>> alert = {};
  Written<std::optional<extract::Number>> number = {};
  Written<std::vector<std::string>> pipe = {};
  Written<bool> sort_lines = {};
  Written<bool> unique_lines = {};
  Written<bool> render = {};

  List& list(ContentList which) { return lists[static_cast<std::size_t>(which)]; }
  const List& list(ContentList which) const { return lists[static_cast<std::size_t>(which)]; }
  bool given() const { return line != 0; }
};

// An entry of `rules:`: a layer for the pages whose URL fits a glob, or that have a tag.
struct ContentRule {
  std::string match = {}, tag = {};  // one of them
  ContentLayer content = {};
  std::uint32_t line = 0;
  bool right = true;  // what is not fits no page
  bool fits = false;  // some page
};

}  // namespace pollux::config
