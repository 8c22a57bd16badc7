// What the keys' readers share while one configuration is read, and the readers of single values.
#pragma once

#include "config/pages.hpp"
#include "config/problems.hpp"
#include "config/request_headers.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/document.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::config {

struct ContentLayer;
struct ContentRule;
struct Key;
struct NotifyRule;

struct LoadContext {
  Config& config;
  std::vector<Warning>& warnings;
  Problems& problems;
  const LoadOptions& options;
  PageList pages;

  std::string file;              // being read now, for messages
  ExitCode code;                 // of its errors
  PageSettings* page = nullptr;  // whom the keys of a page (or of the defaults) set
  HostSettings* host = nullptr;  // whom the keys of a host (or of all hosts) set
  std::optional<Node> page_url;  // of the page being read
  std::set<std::string, std::less<>> meant = {};  // keys at the top level that are misspelt
  HeaderLines headers = {};         // of the page, the host or the defaults being read
  ContentLayer* content = nullptr;  // of the page, the rule or the defaults being read
  ContentRule* rule = nullptr;      // being read
  Label* label = nullptr;           // of the page being read

  NotifyRule* notify = nullptr;  // being read

  fetch::AccessPoint* access_point = nullptr;  // being read
  std::uint32_t* capacity = nullptr;           // of it

  Error error(const Node& where, std::string_view message) const;
  // Remembers what is wrong, so that reading can go on and find the rest; true: nothing is.
  bool note(const Status& status) const {
    if (!status) problems.add(status.error());
    return status.ok();
  }
  // Relative paths in a configuration are relative to its folder.
  std::string resolve(std::string_view path) const;
};

// Each stores the value or says what is wrong with it and what may be written.
Status read_rate(const LoadContext& r, const Key& key, const Node& value, double& out);
Status read_duration(const LoadContext& r, const Key& key, const Node& value, Duration& out,
                     Duration least, Duration most);
Status read_bytes(const LoadContext& r, const Key& key, const Node& value, std::uint64_t& out,
                  std::uint64_t least, std::uint64_t most);
Status read_number(const LoadContext& r, const Key& key, const Node& value, double& out,
                   double least, double most);
Status read_whole(const LoadContext& r, const Key& key, const Node& value, std::uint64_t& out,
                  std::uint64_t least, std::uint64_t most);
// One line of printable ASCII.
Status read_line(const LoadContext& r, const Key& key, const Node& value, std::string& out);
Status read_path(const LoadContext& r, const Key& key, const Node& value, std::string& out);
Status read_choice(const LoadContext& r, const Key& key, const Node& value, std::string& out,
                   std::span<const std::string_view> choices);
Status read_truth(const LoadContext& r, const Key& key, const Node& value, bool& out);
// "50%", as a part of 1.
Status read_part(const LoadContext& r, const Key& key, const Node& value, double& out);
// Scheme, host and port of a proxy, in normal form.
Status read_proxy(const LoadContext& r, const Key& key, const Node& value, std::string& out);
// Addresses and CIDRs.
Status read_networks(const LoadContext& r, const Key& key, const Node& value,
                     std::vector<std::string>& out);
Status read_ports(const LoadContext& r, const Key& key, const Node& value,
                  std::vector<std::uint16_t>& out);

// The known word that `word` was probably meant to be; empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);
std::string joined(std::span<const std::string_view> words);  // "a, b or c"

}  // namespace pollux::config
