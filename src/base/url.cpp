#include "pollux/base/url.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux {
namespace {

namespace urls = boost::urls;

constexpr std::size_t longest_url = 8u << 10;

// What a character may be in a URL.
enum Class : unsigned char {
  plain_host = 1,  // a-z 0-9 . - _
  plain_path = 2,  // stands for itself in a path and a query: nothing to encode or to normalise
  legal = 4,       // RFC 3986 allows it in a path or a query (with ':', '@', '/', '?', '%')
};

constexpr std::array<unsigned char, 256> make_classes() {
  std::array<unsigned char, 256> classes{};
  const auto mark = [&](std::string_view characters, unsigned char what) {
    for (const char c : characters) classes[static_cast<unsigned char>(c)] |= what;
  };
  mark("abcdefghijklmnopqrstuvwxyz0123456789.-_", plain_host);
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$&'()*+,;=:@./?",
       plain_path | legal);
  mark("%", legal);
  return classes;
}
constexpr std::array<unsigned char, 256> classes = make_classes();

bool is(char c, Class what) {
  return (classes[static_cast<unsigned char>(c)] & what) != 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                    [](char a, char b) { return a == lower(b); });
}

Error refuse(std::string_view text, std::string_view problem) {
  return {fmt::format("the URL '{}' {}", printable_url(text), problem), ExitCode::bad_data};
}

// "https" or "http" with the rest behind "://"; nullopt when it is something else.
struct Split {
  bool https;
  std::string_view rest;
};
std::optional<Split> split_scheme(std::string_view text) {
  if (starts_with_ignoring_case(text, "https://")) return Split{true, text.substr(8)};
  if (starts_with_ignoring_case(text, "http://")) return Split{false, text.substr(7)};
  return std::nullopt;
}

// Four numbers from 0 to 255, as everyone writes them.
bool is_plain_ipv4(std::string_view host) {
  std::size_t at = 0;
  for (int number = 0; number < 4; ++number) {
    if (number > 0 && (at == host.size() || host[at++] != '.')) return false;
    const std::size_t start = at;
    unsigned value = 0;
    while (at < host.size() && at < start + 3 && is_digit(host[at])) {
      value = value * 10 + static_cast<unsigned>(host[at++] - '0');
    }
    if (at == start || value > 255 || (host[start] == '0' && at > start + 1)) return false;
  }
  return at == host.size();
}

// The port of ":8080" at the start of `text` and how long that is; {0, 0} for none that is written
// as normal form has it.
struct PlainPort {
  unsigned port = 0;
  std::size_t length = 0;
};
PlainPort plain_port(std::string_view text, bool https) {
  if (!text.starts_with(':') || text.size() < 2 || text[1] == '0') return {};
  unsigned port = 0;
  std::size_t at = 1;
  while (at < text.size() && at < 6 && is_digit(text[at])) {
    port = port * 10 + static_cast<unsigned>(text[at++] - '0');
  }
  if (at == 1 || port > 65535 || port == (https ? 443u : 80u)) return {};
  return {port, at};
}

// Most URLs of a list are in normal form already: one pass over the characters proves it. nullopt:
// the careful way has to look.
std::optional<Url> parse_plain(std::string_view text) {
  const bool https = text.starts_with("https://");
  if (!https && !text.starts_with("http://")) return std::nullopt;
  const std::size_t host_start = https ? 8 : 7;
  std::size_t at = host_start;
  std::size_t label = host_start;
  while (at < text.size() && is(text[at], plain_host)) {
    if (text[at] == '.') {
      if (at == label || at - label > 63) return std::nullopt;
      label = at + 1;
    }
    ++at;
  }
  if (at == label || at - host_start > 253 || at - label > 63) return std::nullopt;
  // A last label that starts with a digit may be a number: an address in some spelling.
  const std::string_view host = text.substr(host_start, at - host_start);
  if (is_digit(text[label]) && !is_plain_ipv4(host)) return std::nullopt;
  const PlainPort port = plain_port(text.substr(at), https);
  at += port.length;
  const std::size_t host_end = at;
  if (at < text.size() && text[at] != '/') return std::nullopt;
  bool query = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (!is(c, plain_path)) return std::nullopt;
    if (c == '?') query = true;
    if (c == '.' && !query && text[at - 1] == '/') return std::nullopt;  // perhaps a dot segment
  }

  Url url;
  url.https = https;
  url.text.reserve(text.size() + (host_end == text.size() ? 1 : 0));
  url.text = text;
  if (host_end == text.size()) url.text += '/';
  const std::string_view written = port.port != 0 ? text.substr(host_end - port.length, port.length)
                                   : https        ? ":443"
                                                  : ":80";
  url.host_port.reserve(host.size() + written.size());
  url.host_port.append(host).append(written);
  return url;
}

std::optional<std::string_view> forbidden_character(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') return "holds a space; write %20 instead";
    if (byte < 0x20 || byte == 0x7F) return "holds a control character; remove it";
    if (c == '\\') return "holds a backslash; write / or %5C instead";
  }
  return std::nullopt;
}

// Percent-encodes what real lists hold raw although RFC 3986 forbids it: UTF-8 and "<>[]^`{|}.
std::string encode_illegal(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is(c, legal)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

// Upper-case hex digits, and letters, digits and -._~ unescaped: RFC 3986 §6.2.2. The escapes have
// been checked.
std::string normalise_escapes(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out += path[i];
      continue;
    }
    const char c = static_cast<char>(hex_value(path[i + 1]) * 16 + hex_value(path[i + 2]));
    if (is(lower(c), plain_host) || c == '~') {
      out += c;
    } else {
      out += '%';
      for (const char digit : path.substr(i + 1, 2)) {
        out += digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
      }
    }
    i += 2;
  }
  return out;
}

// RFC 3986 §5.2.4 for a path that starts with "/".
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(1, end - 1);
    const bool last = end == path.size();
    if (segment == "." || segment == "..") {
      if (segment == "..") out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
      if (last) out += '/';
    } else {
      out.append(path.substr(0, end));
    }
    path.remove_prefix(end);
  }
  return out;
}

// Names as DNS knows them. A last label that looks like a number would be read as an address by
// some resolvers (127.1, 0x7f.1, 2130706433), so it is refused.
std::optional<std::string_view> problem_of_name(std::string_view host) {
  if (host.empty()) return "has no host";
  if (host.size() > 253) return "has a host name longer than 253 characters";
  std::string_view last;
  for (std::size_t start = 0; start <= host.size();) {
    const std::size_t end = std::min(host.find('.', start), host.size());
    last = host.substr(start, end - start);
    if (last.empty()) return "has an empty label in its host name";
    if (last.size() > 63) return "has a host name with a label longer than 63 characters";
    start = end + 1;
  }
  if (!std::all_of(host.begin(), host.end(), [](char c) { return is(c, plain_host); })) {
    return "has a host name with other characters than letters, digits, '-', '_' and '.'";
  }
  const bool decimal = std::all_of(last.begin(), last.end(), is_digit);
  const bool hexadecimal =
      last.starts_with("0x") &&
      std::all_of(last.begin() + 2, last.end(), [](char c) { return hex_value(c) >= 0; });
  if (decimal || hexadecimal) {
    return "has a number for a host; write an IPv4 address as four decimal numbers (192.0.2.1)";
  }
  return std::nullopt;
}

// Boost.URL 1.81 ends the authority of "1.2.3.4.example" or "[::1]x" early and calls the rest a
// path, so the URL is taken apart here; of Boost.URL only the addresses are used.
struct Authority {
  std::string host;  // normal form, brackets included
  unsigned port;
};

Result<std::string> normal_host(std::string_view text, std::string_view written) {
  if (written.starts_with('[')) {
    const auto address = written.ends_with(']')
                             ? urls::parse_ipv6_address(written.substr(1, written.size() - 2))
                             : urls::parse_ipv6_address("");
    if (!address) return refuse(text, "has a wrong IPv6 address; write it like [2001:db8::1]");
    return '[' + address->to_string() + ']';
  }
  if (urls::parse_ipv4_address(written)) return std::string(written);
  std::string host(written);
  std::transform(host.begin(), host.end(), host.begin(), lower);
  // "example.org." is the same host, and must not have a politeness of its own.
  if (host.size() > 1 && host.back() == '.') host.pop_back();
  if (const auto problem = problem_of_name(host)) return refuse(text, *problem);
  return host;
}

Result<Authority> parse_authority(std::string_view text, std::string_view authority, bool https) {
  if (authority.find('@') != std::string_view::npos) {
    return refuse(text, "holds credentials; these are refused, write it without 'user:password@'");
  }
  if (std::any_of(authority.begin(), authority.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return refuse(text, "has an international host name; write it in punycode (xn--…)");
  }
  const std::size_t colon = authority.rfind(':');
  const bool in_brackets = authority.ends_with(']');
  const bool has_port = colon != std::string_view::npos && !in_brackets;
  const std::string_view written = has_port ? authority.substr(colon + 1) : std::string_view();
  unsigned port = https ? 443 : 80;
  if (!written.empty()) {
    const char* const end = written.data() + written.size();
    const auto [stop, problem] = std::from_chars(written.data(), end, port);
    if (problem != std::errc{} || stop != end || port == 0 || port > 65535) {
      return refuse(text, "has a port outside 1 to 65535");
    }
  }
  Result<std::string> host = normal_host(text, has_port ? authority.substr(0, colon) : authority);
  if (!host) return host.error();
  return Authority{std::move(*host), port};
}

bool escapes_are_whole(std::string_view target) {
  for (std::size_t at = target.find('%'); at != std::string_view::npos;
       at = target.find('%', at + 1)) {
    if (at + 2 >= target.size() || hex_value(target[at + 1]) < 0 || hex_value(target[at + 2]) < 0) {
      return false;
    }
  }
  return true;
}

Result<Url> parse_carefully(std::string_view text) {
  if (const auto problem = forbidden_character(text)) return refuse(text, *problem);
  const std::optional<Split> split = split_scheme(text);
  if (!split) {
    return refuse(text, text.find("://") == std::string_view::npos
                            ? "has no scheme; write it in full, starting with https:// or http://"
                            : "has another scheme than http or https; only these are polled");
  }
  const bool https = split->https;
  const std::size_t end = std::min(split->rest.find_first_of("/?#"), split->rest.size());
  const Result<Authority> authority = parse_authority(text, split->rest.substr(0, end), https);
  if (!authority) return authority.error();
  std::string_view target = split->rest.substr(end);
  target = target.substr(0, target.find('#'));
  if (!escapes_are_whole(target)) {
    return refuse(text, "has a '%' without two hexadecimal digits; write %25 for the sign itself");
  }
  const std::size_t query = std::min(target.find('?'), target.size());

  Url url;
  url.https = https;
  url.host_port = authority->host + ':' + std::to_string(authority->port);
  url.text = https ? "https://" : "http://";
  url.text += authority->port == (https ? 443u : 80u) ? authority->host : url.host_port;
  url.text += query == 0
                  ? "/"
                  : remove_dot_segments(normalise_escapes(encode_illegal(target.substr(0, query))));
  url.text += encode_illegal(target.substr(query));
  if (url.text.size() > longest_url) return refuse(text, "is longer than 8192 characters");
  return url;
}

}  // namespace

std::string_view authority_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, std::min(url.find_first_of("/?#"), url.size()));
}

bool same_origin(std::string_view a, std::string_view b) {
  const auto origin = [](std::string_view url) {
    return url.substr(0, static_cast<std::size_t>(authority_of(url).end() - url.begin()));
  };
  return origin(a) == origin(b);
}

Result<Url> parse_url(std::string_view text) {
  if (text.empty()) return Error{"the URL is empty", ExitCode::bad_data};
  if (text.size() > longest_url) return refuse(text, "is longer than 8192 characters");
  if (std::optional<Url> url = parse_plain(text)) return std::move(*url);
  return parse_carefully(text);
}

}  // namespace pollux
