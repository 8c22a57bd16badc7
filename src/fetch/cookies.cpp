#include "fetch/cookies.hpp"

#include <memory>

#include <strings.h>

namespace pollux::fetch {

void set_cookies(CURL* easy, const CookieLines& jar) {
  curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");  // switches the engine on; reads nothing
  curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");
  curl_easy_setopt(easy, CURLOPT_COOKIE, nullptr);
  for (const std::string& line : jar) curl_easy_setopt(easy, CURLOPT_COOKIELIST, line.c_str());
}

CookieLines cookies_of(CURL* easy) {
  curl_slist* list = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list) != CURLE_OK) return {};
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> owner(list,
                                                                          curl_slist_free_all);
  CookieLines lines;
  std::size_t bytes = 0;
  for (const curl_slist* entry = list; entry != nullptr; entry = entry->next) {
    std::string line = entry->data;
    if (lines.size() == most_cookies || bytes + line.size() > most_cookie_bytes) break;
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  return lines;
}

const char* cookie_header(const std::string& line) {
  constexpr char name[] = "cookie:";
  constexpr std::size_t length = sizeof name - 1;
  if (line.size() < length || strncasecmp(line.c_str(), name, length) != 0) return nullptr;
  const std::size_t value = line.find_first_not_of(" \t", length);
  return line.c_str() + (value == std::string::npos ? line.size() : value);
}

}  // namespace pollux::fetch
