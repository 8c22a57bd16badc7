// What is sent along with a request: headers, and credentials that come from files. Secrets stand
// in files of their own, so that the configuration can be shown to anybody; no message repeats one.
#pragma once

#include "config/keys.hpp"
#include "pollux/config/config.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::config {

struct LoadContext;

// "headers: { Name: value, Name: { file: PATH } }" into LoadContext::headers.
Status read_headers(LoadContext& r, const Key& key, const Node& value);
// "auth: { basic_file: PATH }" or "{ bearer_file: PATH }", into the same.
Status read_auth(LoadContext& r, const Key& key, const Node& value);
Status read_basic_file(LoadContext& r, const Key& key, const Node& value);
Status read_bearer_file(LoadContext& r, const Key& key, const Node& value);
// A value, or "{ file: PATH }" of a file that holds it in one line.
Result<std::string> read_text_or_secret(LoadContext& r, const Key& key, const Node& value);
// The one line of a secret file, whose path this is.
Result<std::string> read_secret(LoadContext& r, const Key& key, const Node& value);
void warn_if_readable_by_all(LoadContext& r, const Node& where, const std::string& path);
// A file with "user:password".
Status read_login_file(LoadContext& r, const Key& key, const Node& value, std::string& out);
// The same for the proxy.
Status read_proxy_auth_file(LoadContext& r, const Key& key, const Node& value);

// Says when a login would travel over plain http, for everybody on the way to read.
void warn_of_open_credentials(const Config& config, std::vector<Warning>& warnings);

// Replaces the line with the same name, or adds one behind the others.
void set_header(HeaderLines& lines, const std::string& line);

// Equal sets of headers are kept once, in Config::header_sets.
class HeaderSets {
 public:
  explicit HeaderSets(Config& config) : config_(config) {}
  std::uint32_t number_of(const HeaderLines& lines);
  // Both; of two headers with one name that of `special` is kept.
  std::uint32_t joined(std::uint32_t general, std::uint32_t special);

 private:
  Config& config_;
  std::map<HeaderLines, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined_;
};

}  // namespace pollux::config
