#include "pollux/base/url.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
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
  // A last label that starts with a digit may be a number: an address in some spelling.
  if (at == label || is_digit(text[label]) || at - host_start > 253 || at - label > 63) {
    return std::nullopt;
  }
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
  const std::string_view host = text.substr(host_start, host_end - host_start);
  const std::string_view port = https ? ":443" : ":80";
  url.host_port.reserve(host.size() + port.size());
  url.host_port.append(host).append(port);
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

Result<std::string> normal_host(std::string_view text, const urls::url_view& parsed) {
  switch (parsed.host_type()) {
    case urls::host_type::ipv4:
      return std::string(parsed.encoded_host());
    case urls::host_type::ipv6:
      return '[' + parsed.host_ipv6_address().to_string() + ']';
    case urls::host_type::name: {
      std::string host(parsed.encoded_host());
      std::transform(host.begin(), host.end(), host.begin(), lower);
      // "example.org." is the same host, and must not have a politeness of its own.
      if (host.size() > 1 && host.back() == '.') host.pop_back();
      if (const auto problem = problem_of_name(host)) return refuse(text, *problem);
      return host;
    }
    case urls::host_type::none:
    case urls::host_type::ipvfuture:
      break;
  }
  return refuse(text, "has no usable host; write a name, an IPv4 address or [an IPv6 address]");
}

Result<unsigned> port_of(std::string_view text, const urls::url_view& parsed, bool https) {
  const std::string_view written = parsed.port();
  if (written.empty()) return https ? 443u : 80u;
  unsigned port = 0;
  const auto [stop, problem] =
      std::from_chars(written.data(), written.data() + written.size(), port);
  if (problem != std::errc{} || stop != written.data() + written.size() || port == 0 ||
      port > 65535) {
    return refuse(text, "has a port outside 1 to 65535");
  }
  return port;
}

Result<Url> parse_carefully(std::string_view text) {
  if (const auto problem = forbidden_character(text)) return refuse(text, *problem);
  const std::optional<Split> split = split_scheme(text);
  if (!split) {
    return refuse(text, text.find("://") == std::string_view::npos
                            ? "has no scheme; write it in full, starting with https:// or http://"
                            : "has another scheme than http or https; only these are polled");
  }
  const std::size_t end = std::min(split->rest.find_first_of("/?#"), split->rest.size());
  const std::string_view authority = split->rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos) {
    return refuse(text, "holds credentials; these are refused, write it without 'user:password@'");
  }
  if (std::any_of(authority.begin(), authority.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return refuse(text, "has an international host name; write it in punycode (xn--…)");
  }
  std::string_view target = split->rest.substr(end);
  target = target.substr(0, target.find('#'));
  const std::string strict =
      (split->https ? "https://" : "http://") + std::string(authority) + encode_illegal(target);
  const auto parsed = urls::parse_uri(strict);
  if (!parsed) {
    return refuse(text, strict.find('%') != std::string::npos
                            ? "cannot be read; a '%' itself is written %25"
                            : "cannot be read; write it like https://example.org/page");
  }
  Result<std::string> host = normal_host(text, *parsed);
  if (!host) return host.error();
  const Result<unsigned> port = port_of(text, *parsed, split->https);
  if (!port) return port.error();

  Url url;
  url.https = split->https;
  url.host_port = *host + ':' + std::to_string(*port);
  url.text = split->https ? "https://" : "http://";
  url.text += *port == (split->https ? 443u : 80u) ? *host : url.host_port;
  const std::string_view path = parsed->encoded_path();
  url.text += path.empty() ? "/" : remove_dot_segments(normalise_escapes(path));
  if (parsed->has_query()) url.text.append("?").append(parsed->encoded_query());
  if (url.text.size() > longest_url) return refuse(text, "is longer than 8192 characters");
  return url;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  if (text.empty()) return Error{"the URL is empty", ExitCode::bad_data};
  if (text.size() > longest_url) return refuse(text, "is longer than 8192 characters");
  if (std::optional<Url> url = parse_plain(text)) return std::move(*url);
  return parse_carefully(text);
}

}  // namespace pollux
