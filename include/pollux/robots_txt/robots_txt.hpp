// robots.txt after RFC 9309: foreign text in, a short list of rules out, and the question whether a
// URL may be polled. Pure; every step is linear in its input, whatever a server sends.
//
// What is kept of a file is an excerpt: the rules that concern us, and only those, one to a line,
// most specific first, with patterns in normal form ("Disallow: /private/"). It is plain ASCII, so
// it can be stored, read by people, and used as it is: a list of a million hosts keeps no trees.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::robots_txt {

// A longer file is read up to here (RFC 9309 §2.5).
inline constexpr std::size_t most_bytes = 500u << 10;

struct Excerpt {
  std::string rules;                    // "" allows everything
  std::optional<Duration> crawl_delay;  // the longest one that was asked for
};

// `product` is matched with the groups' user-agent lines; where no group names it, the groups for
// "*" count. Groups that name the same robot are merged. Never fails: what is no rule is skipped.
Excerpt read_robots_txt(std::string_view text, std::string_view product);

// Whether an absolute URL may be polled under the rules of an excerpt: the longest pattern that
// matches decides, and of two equally long ones the one that allows. Rules that would take long to
// judge (thousands of wildcards and a URL of kilobytes) forbid. What it took, in characters looked
// at (about a nanosecond each, a few milliseconds at most), is added to `work`.
bool allows(std::string_view rules, std::string_view url, std::size_t* work = nullptr);

// The name by which a User-Agent header is known in robots.txt: "pollux" for "pollux/1.0 (…)";
// empty when it does not begin with one.
std::string product_token(std::string_view user_agent);

// Where the robots.txt of an absolute URL is: same scheme, host and port.
std::string robots_txt_url(std::string_view url);

}  // namespace pollux::robots_txt
