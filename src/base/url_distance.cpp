#include "pollux/base/url_distance.hpp"

#include "pollux/base/url.hpp"

#include <algorithm>

namespace pollux {
namespace {

struct Parts {
  std::string_view host, port, rest;  // rest: path and query
};

Parts parts_of(std::string_view url) {
  Parts parts;
  parts.host = authority_of(url);
  parts.rest = url.substr(static_cast<std::size_t>(parts.host.end() - url.begin()));
  const std::size_t port = parts.host.rfind(':');
  if (port != std::string_view::npos && parts.host.find(']', port) == std::string_view::npos) {
    parts.port = parts.host.substr(port + 1);
    parts.host = parts.host.substr(0, port);
  }
  return parts;
}

std::string_view without_www(std::string_view host) {
  return host.starts_with("www.") ? host.substr(4) : host;
}

std::string_view without_slash(std::string_view rest) {
  return rest.ends_with('/') ? rest.substr(0, rest.size() - 1) : rest;
}

bool is_address(std::string_view host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_below(std::string_view host, std::string_view parent) {
  return host.size() > parent.size() && host.ends_with(parent) &&
         host[host.size() - parent.size() - 1] == '.';
}

// "example.org" of "a.b.example.org". Without a list of public suffixes a short second label
// ("co.uk", "com.au") is taken for a part of one: so rather too far than too near.
std::string_view domain_of(std::string_view host) {
  const std::size_t last = host.rfind('.');
  if (last == std::string_view::npos || last == 0) return {};
  const std::size_t second = host.rfind('.', last - 1);
  const std::size_t begin = second == std::string_view::npos ? 0 : second + 1;
  return last - begin > 3 ? host.substr(begin) : std::string_view();
}

bool same_domain(std::string_view a, std::string_view b) {
  if (is_address(a) || is_address(b)) return false;
  a = without_www(a);
  b = without_www(b);
  const bool dotted =
      a.find('.') != std::string_view::npos && b.find('.') != std::string_view::npos;
  if (dotted && (a == b || is_below(a, b) || is_below(b, a))) return true;
  const std::string_view domain = domain_of(a);
  return !domain.empty() && domain == domain_of(b);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool equals(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  });
}

constexpr std::string_view login_words[] = {"login", "logon", "signin", "sso",     "oauth",
                                            "auth",  "saml",  "cas",    "idp",     "oauth2",
                                            "adfs",  "oidc",  "auth0",  "anmelden"};
constexpr std::string_view consent_words[] = {"consent", "gdpr", "cookiewall", "captcha",
                                              "challenge"};

}  // namespace

UrlDistance url_distance(std::string_view asked, std::string_view answered) {
  if (asked == answered) return UrlDistance::none;
  const Parts a = parts_of(asked), b = parts_of(answered);
  const bool same_port = a.port == b.port;
  if (without_www(a.host) == without_www(b.host) && same_port &&
      without_slash(a.rest) == without_slash(b.rest)) {
    return UrlDistance::same_page;
  }
  if (a.host == b.host && same_port) return UrlDistance::same_host;
  if (a.host != b.host && same_domain(a.host, b.host)) return UrlDistance::same_domain;
  return UrlDistance::other_host;
}

std::string_view name_of(UrlDistance distance) {
  switch (distance) {
    case UrlDistance::none:
      break;
    case UrlDistance::same_page:
      return "same_page";
    case UrlDistance::same_host:
      return "same_host";
    case UrlDistance::same_domain:
      return "same_domain";
    case UrlDistance::other_host:
      return "other_host";
  }
  return {};
}

// Whole words of host and path: "sign-in" and "sign_in" are one, "author" is none.
Gateway gateway_of(std::string_view url) {
  const Parts parts = parts_of(without_query(url));
  const auto search = [](std::string_view text) {
    std::string_view before;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_letter(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || (text[end] >= '0' && text[end] <= '9')))
        ++end;
      const std::string_view word = text.substr(at, end - at);
      const auto is = [&](std::string_view known) { return equals(word, known); };
      if (std::ranges::any_of(consent_words, is)) return Gateway::consent;
      if (std::ranges::any_of(login_words, is)) return Gateway::login;
      const bool sign = equals(before, "sign") || equals(before, "log");
      if (sign && (equals(word, "in") || equals(word, "on"))) return Gateway::login;
      before = word;
      at = end;
    }
    return Gateway::none;
  };
  if (const Gateway found = search(parts.rest); found != Gateway::none) return found;
  return is_address(parts.host) ? Gateway::none : search(parts.host);
}

std::string_view name_of(Gateway gateway) {
  switch (gateway) {
    case Gateway::none:
      break;
    case Gateway::login:
      return "login";
    case Gateway::consent:
      return "consent";
  }
  return {};
}

std::string_view without_query(std::string_view url) {
  return url.substr(0, std::min(url.find_first_of("?#"), url.size()));
}

}  // namespace pollux
