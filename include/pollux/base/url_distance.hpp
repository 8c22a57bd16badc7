// How far a redirect has led from the URL that was asked for, and whether the place looks like one
// where people are stopped: a login or a question for consent. Pure; both URLs are normalised.
#pragma once

#include <cstdint>
#include <string_view>

namespace pollux {

enum class UrlDistance : std::uint8_t {
  none,         // the same URL
  same_page,    // another spelling: http or https, with or without "www.", a slash at the end
  same_host,    // another path or query
  same_domain,  // another host of what looks like one owner: www.example.org, id.example.org
  other_host
};
UrlDistance url_distance(std::string_view asked, std::string_view answered);
std::string_view name_of(UrlDistance distance);  // "same_page" …; empty for none

enum class Gateway : std::uint8_t { none, login, consent };
Gateway gateway_of(std::string_view url);
std::string_view name_of(Gateway gateway);  // "login", "consent"; empty for none

// Up to its query: what follows may be new at every poll, and secret.
std::string_view without_query(std::string_view url);

}  // namespace pollux
