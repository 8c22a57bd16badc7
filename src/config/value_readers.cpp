#include "config/value_readers.hpp"

#include "config/keys.hpp"
#include "config/message.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <arpa/inet.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

// The text of a single value, or why there is none.
Result<std::string_view> scalar(const LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::scalar) return value.text();
  return r.error(value, fmt::format("'{}' is {}; write a value ({})", name_of(key),
                                    kind_name(value.kind()), key.type));
}

Error refuse(const LoadContext& r, const Key& key, const Node& value, std::string_view cure) {
  return r.error(value,
                 fmt::format("{}: '{}' {}", name_of(key), printable(value.text(), 60), cure));
}

// For the parsers of base, whose messages name value and cure.
template <typename T>
Result<T> parsed(const LoadContext& r, const Key& key, const Node& value,
                 Result<T> (*parse)(std::string_view)) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  Result<T> result = parse(*text);
  if (!result) return r.error(value, fmt::format("{}: {}", name_of(key), result.error().message));
  return result;
}

bool is_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  unsigned char bytes[16];
  const bool v4 = inet_pton(AF_INET, address.c_str(), bytes) == 1;
  if (!v4 && inet_pton(AF_INET6, address.c_str(), bytes) != 1) return false;
  if (slash == std::string_view::npos) return true;
  const std::string_view digits = text.substr(slash + 1);
  unsigned prefix = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, prefix);
  return problem == std::errc{} && stop == end && prefix <= (v4 ? 32u : 128u);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Error LoadContext::error(const Node& where, std::string_view message) const {
  return {at(file, where.line(), message), code};
}

std::string LoadContext::resolve(std::string_view path) const {
  return (std::filesystem::path(config.file).parent_path() / path).string();
}

Status read_rate(const LoadContext& r, const Key& key, const Node& value, double& out) {
  const Result<double> rate = parsed(r, key, value, &parse_rate);
  if (!rate) return rate.error();
  out = *rate;
  return success();
}

Status read_duration(const LoadContext& r, const Key& key, const Node& value, Duration& out,
                     Duration least, Duration most) {
  const Result<Duration> duration = parsed(r, key, value, &parse_duration);
  if (!duration) return duration.error();
  if (*duration < least || *duration > most) {
    return refuse(r, key, value,
                  fmt::format("is out of range; write {} to {}", format_duration(least),
                              format_duration(most)));
  }
  out = *duration;
  return success();
}

Status read_bytes(const LoadContext& r, const Key& key, const Node& value, std::uint64_t& out,
                  std::uint64_t least, std::uint64_t most) {
  const Result<std::uint64_t> bytes = parsed(r, key, value, &parse_bytes);
  if (!bytes) return bytes.error();
  if (*bytes < least || *bytes > most) {
    return refuse(
        r, key, value,
        fmt::format("is out of range; write {} to {}", format_bytes(least), format_bytes(most)));
  }
  out = *bytes;
  return success();
}

Status read_number(const LoadContext& r, const Key& key, const Node& value, double& out,
                   double least, double most) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  double number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, number);
  if (problem != std::errc{} || stop != end || !(number >= least && number <= most)) {
    return refuse(r, key, value, fmt::format("is no number from {} to {}", least, most));
  }
  out = number;
  return success();
}

Status read_whole(const LoadContext& r, const Key& key, const Node& value, std::uint64_t& out,
                  std::uint64_t least, std::uint64_t most) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, number);
  if (problem != std::errc{} || stop != end || number < least || number > most) {
    return refuse(r, key, value, fmt::format("is no whole number from {} to {}", least, most));
  }
  out = number;
  return success();
}

Status read_line(const LoadContext& r, const Key& key, const Node& value, std::string& out) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  constexpr std::size_t longest = 500;
  const bool plain =
      std::all_of(text->begin(), text->end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (text->empty() || text->size() > longest || !plain) {
    return refuse(r, key, value,
                  fmt::format("does not do; write 1 to {} printable ASCII characters", longest));
  }
  out = *text;
  return success();
}

Status read_path(const LoadContext& r, const Key& key, const Node& value, std::string& out) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  if (text->empty() || text->find('\0') != std::string_view::npos) {
    return refuse(r, key, value, "is no path; write the name of a file");
  }
  out = r.resolve(*text);
  return success();
}

Status read_choice(const LoadContext& r, const Key& key, const Node& value, std::string& out,
                   std::span<const std::string_view> choices) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    return refuse(r, key, value, fmt::format("is not known; write {}", joined(choices)));
  }
  out = *text;
  return success();
}

Status read_truth(const LoadContext& r, const Key& key, const Node& value, bool& out) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  if (*text != "true" && *text != "false") {
    return refuse(r, key, value, "is neither true nor false; write one of them");
  }
  out = *text == "true";
  return success();
}

Status read_part(const LoadContext& r, const Key& key, const Node& value, double& out) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  double percent = 0;
  const char* const end = text->data() + text->size() - (text->ends_with('%') ? 1 : 0);
  const auto [stop, problem] = std::from_chars(text->data(), end, percent);
  if (!text->ends_with('%') || problem != std::errc{} || stop != end ||
      !(percent >= 0 && percent <= 100)) {
    return refuse(r, key, value, "is no part of a whole; write 0% to 100%");
  }
  out = percent / 100;
  return success();
}

Status read_proxy(const LoadContext& r, const Key& key, const Node& value, std::string& out) {
  const Result<std::string_view> text = scalar(r, key, value);
  if (!text) return text.error();
  for (const std::string_view scheme : {"http", "https", "socks5h"}) {
    if (!text->starts_with(scheme) || !text->substr(scheme.size()).starts_with("://")) continue;
    std::string_view authority = text->substr(scheme.size() + 3);
    if (authority.ends_with('/')) authority.remove_suffix(1);
    // Checked as the host and the port of a page would be; the port must be written out.
    const Result<Url> url = parse_url("http://" + std::string(authority));
    const bool has_port = !authority.ends_with(']') && authority.find(':') != authority.npos;
    if (!url || !has_port || authority.find_first_of("/?#") != authority.npos) break;
    out = fmt::format("{}://{}", scheme, url->host_port);
    return success();
  }
  // The value is not repeated: people write passwords there.
  return r.error(value, fmt::format("{}: that is no proxy; write http://host:port, "
                                    "https://host:port or socks5h://host:port, and user and "
                                    "password into the file of network.proxy_auth_file",
                                    name_of(key)));
}

Status read_networks(const LoadContext& r, const Key& key, const Node& value,
                     std::vector<std::string>& out) {
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list, for example [127.0.0.0/8]",
                                      name_of(key), kind_name(value.kind())));
  }
  for (const Node entry : value) {
    const Result<std::string_view> text = scalar(r, key, entry);
    if (!text) {
      r.note(text.error());
    } else if (!is_network(*text)) {
      r.note(
          refuse(r, key, entry,
                 "is no address or network; write for example 127.0.0.1, 10.0.0.0/8 or fd00::/8"));
    } else {
      out.emplace_back(*text);
    }
  }
  return success();
}

Status read_ports(const LoadContext& r, const Key& key, const Node& value,
                  std::vector<std::uint16_t>& out) {
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list, for example [6000, 10080]",
                                      name_of(key), kind_name(value.kind())));
  }
  for (const Node entry : value) {
    const Result<std::string_view> text = scalar(r, key, entry);
    if (!text) return text.error();
    unsigned port = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), port);
    if (problem != std::errc{} || end != text->data() + text->size() || port < 1 || port > 65535) {
      return refuse(r, key, entry, "is no port; write a whole number from 1 to 65535");
    }
    out.push_back(static_cast<std::uint16_t>(port));
  }
  return success();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  if (word.size() > 40) return best;
  // Two letters swapped are two edits.
  std::size_t least = word.size() < 4 ? 2 : std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string joined(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace pollux::config
