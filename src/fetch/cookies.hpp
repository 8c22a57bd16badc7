// The cookies of one request, in curl's own engine: which are sent where is decided there, by RFC
// 6265 and the list of public suffixes. A handle serves many pages, so what one left behind is gone
// before the next is prepared. Threading: that of the handle.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <string>

#include <curl/curl.h>

namespace pollux::fetch {

// At most so much of a jar is kept: a server may set other cookies with every answer.
inline constexpr std::size_t most_cookies = 64;
inline constexpr std::size_t most_cookie_bytes = 16u << 10;

// From now on the handle has these cookies and no others.
void set_cookies(CURL* easy, const CookieLines& jar);
CookieLines cookies_of(CURL* easy);

// The value of a "Cookie: …" line; null for any other. Where there is a jar it must go with the
// jar's own, in one header.
const char* cookie_header(const std::string& line);

}  // namespace pollux::fetch
