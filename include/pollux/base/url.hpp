// An absolute http or https URL, checked and normalised: lower-case scheme and host, "/" for an
// empty path, no fragment, no default port in `text`. Two spellings of one page give one text.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace pollux {

struct Url {
  std::string text;       // what is fetched and stored
  std::string host_port;  // "example.org:443": the key of politeness, port always written
  bool https = false;
};

// Refuses other schemes, credentials in the URL, backslashes, control characters, hosts written as
// odd numbers (2130706433, 0x7f.1, 0177.0.0.1) and anything longer than 8 KiB.
Result<Url> parse_url(std::string_view text);

// "example.org:8080" of "http://example.org:8080/news", for a URL that is normalised.
std::string_view authority_of(std::string_view url);

// Do two normalised URLs have scheme, host and port in common?
bool same_origin(std::string_view a, std::string_view b);

}  // namespace pollux
