// The list of pages while it is read: URLs checked and normalised, none twice, equal settings kept
// once. Fills Config::pages and Config::settings, whose first entry must be the defaults.
#pragma once

#include "config/content_rules.hpp"
#include "config/labels.hpp"
#include "config/page_book.hpp"
#include "config/problems.hpp"
#include "config/request_headers.hpp"
#include "pollux/base/url.hpp"
#include "pollux/config/config.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

namespace pollux::config {

// Is this YAML nothing but one "- http…" per line, blank lines and comments? Most long lists are,
// and read as lines they load ten times as fast, with the same meaning.
bool is_plain_list(std::string_view yaml);

// What a page says of itself, besides its URL.
struct OwnOptions {
  PageSettings settings;
  std::uint32_t headers = 0;  // those of the defaults and of its host are added
  ContentLayer content = {};  // and what the rules and the defaults say
  Label label = {};
};

class PageList {
 public:
  PageList(Config& config, std::vector<Warning>& warnings, Problems& problems);

  // Pages are added from this file until the next call.
  void start_file(const std::string& file, ExitCode code, std::size_t expected_pages);
  Status add(std::string_view url, std::uint32_t line);
  Status add(std::string_view url, std::uint32_t line, OwnOptions own);
  // Tells what is wrong with the content of a page that is not added, because something else is.
  void check_content(std::string_view url, const OwnOptions& own);
  HeaderSets& header_sets() { return header_sets_; }
  ContentRules& contents() { return contents_; }
  // Pages on this host ("host:port" or "host"), added from now on, send these headers.
  void set_host_headers(const std::string& host, std::uint32_t headers);
  // One URL per line behind `prefix`; blank lines and '#' comments are skipped.
  void add_lines(std::string_view text, Problems& problems, std::string_view prefix = "");
  // After all settings are known. Tells which pages cannot be polled, and how many duplicates were
  // not told one by one.
  void finish();
  // What is remembered of all this; after the last change to Config::settings.
  std::shared_ptr<const PageBook> book();
  // Pages that come while the daemon runs are treated as this says.
  void take_over(const PageBook& book);
  // The number of the settings of a page that says nothing of its own, and of one that does.
  std::uint32_t plain_settings(const Url& url);
  // The number of these settings, with the headers that a page on this host sends.
  std::uint32_t on_host(PageSettings settings, const std::string& host_port,
                        std::uint32_t own_headers);
  std::uint32_t number_of(const PageSettings& settings);
  Labels& labels() { return labels_; }
  // Tells where pages with these URLs are written; see LoadOptions.
  void tell_places(std::unordered_map<std::string, std::string>* places) { places_ = places; }

 private:
  struct Source {
    std::string file;
    std::size_t first_page;
  };
  struct Hash {
    const std::vector<Page>* pages;
    std::size_t operator()(std::uint32_t page) const {
      return std::hash<std::string_view>{}((*pages)[page].url);
    }
  };
  struct Same {
    const std::vector<Page>* pages;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*pages)[a].url == (*pages)[b].url;
    }
  };
  struct SettingsHash {
    std::size_t operator()(const PageSettings& settings) const;
  };
  Status add(Url parsed, std::uint32_t line, std::uint32_t settings, std::uint32_t label);
  std::uint32_t number_of_layer(ContentLayer layer);
  std::uint32_t headers_of_host(const std::string& host_port) const;
  void warn_of_bad_ports();
  void warn_of_duplicate(const Page& page, std::uint32_t line, std::uint32_t first);

  Config& config_;
  std::vector<Warning>& warnings_;
  ExitCode code_ = ExitCode::configuration;
  std::vector<Source> sources_;
  std::vector<std::uint32_t> lines_;  // of each page
  boost::unordered_flat_set<std::uint32_t, Hash, Same> known_;
  std::unordered_map<PageSettings, std::uint32_t, SettingsHash> settings_;
  HeaderSets header_sets_;
  ContentRules contents_;
  Labels labels_;
  std::map<std::string, std::uint32_t> host_headers_;
  // By content and headers: a rule may fit a million pages.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> plain_settings_;
  std::size_t duplicates_ = 0;
  std::vector<PageBook::Own> own_;
  std::vector<ContentLayer> layers_;
  std::unordered_map<std::string, std::uint32_t> known_layers_;  // by their mark, from 1
  std::unordered_map<std::string, std::string>* places_ = nullptr;
};

}  // namespace pollux::config
