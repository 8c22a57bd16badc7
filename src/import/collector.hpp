// What every format's reader hands its finds to: URLs are checked, pages counted once, notes kept
// within bounds.
#pragma once

#include "pollux/import/import.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::import {

// Where something stands, and of which page it is said.
struct Place {
  std::string_view file;
  std::uint32_t line = 0;
  std::string url = {};
};

// May "example.org/news" stand for https://example.org/news? In lists that people type, it may.
enum class Scheme { must_be_written, may_be_missing };

class Collector {
 public:
  explicit Collector(Imported& out) : out_(out) {}

  // A page with this URL and nothing else, or nullopt and a note why not. Credentials in it become
  // the page's login.
  std::optional<Page> page(std::string_view url, const Place& place,
                           Scheme scheme = Scheme::must_be_written);
  // Whatever people called it, in a form that the configuration takes; empty: there is nothing
  // left.
  static std::string title(std::string_view text);
  static void add_tag(Page& page, std::string_view tag);
  // "a, b; c" by any of , ; |
  static void add_tags(Page& page, std::string_view list);
  // A name that says no more than the URL is none.
  static void set_name(Page& page, std::string_view name);
  void set_interval(Page& page, Duration interval, const Place& place);

  // A URL that stands twice is noted; of the second only its tags are kept.
  void add(Page page, const Place& place);

  void changed(const Place& place, std::string what) { note(out_.changed, place, std::move(what)); }
  void left_out(const Place& place, std::string what) {
    note(out_.left_out, place, std::move(what));
  }
  // jq is a program: it is asked so many times and not for every entry of an endless list.
  bool may_ask_jq() { return ++asked_jq_ <= most_filters_for_jq; }

  // Said once of a file, whatever number of pages it is true for.
  void changed_once(std::string_view file, const std::string& what);
  void left_out_once(std::string_view file, const std::string& what);

 private:
  static constexpr std::size_t most_filters_for_jq = 2000;
  static void note(Notes& notes, const Place& place, std::string what);
  void once(Notes& notes, std::string_view file, const std::string& what);

  Imported& out_;
  std::unordered_map<std::string, std::size_t> known_;  // by URL
  std::unordered_map<std::string, bool> said_;
  std::size_t asked_jq_ = 0;
};

}  // namespace pollux::import
