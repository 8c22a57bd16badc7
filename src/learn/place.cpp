#include "learn/place.hpp"

#include "pollux/base/url.hpp"

#include <algorithm>
#include <cstring>

namespace pollux::learn {
namespace {

struct Pieces {
  std::string_view scheme, host, port, path;
};

// Without a copy; `host` is empty for what is no URL.
Pieces pieces_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {{}, {}, {}, url};
  Pieces pieces;
  pieces.scheme = url.substr(0, scheme);
  const std::string_view authority = authority_of(url);
  pieces.path = url.substr(scheme + 3 + authority.size());
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.back() != ']';
  pieces.host = authority.substr(0, has_port ? colon : authority.size());
  if (has_port) pieces.port = authority.substr(colon + 1);
  return pieces;
}

// An address has no domain: its numbers stay in their order.
bool is_address(std::string_view host) {
  return host.empty() || host.back() == ']' || (host.back() >= '0' && host.back() <= '9');
}

void append_part(std::string_view part, std::string& key) {
  key += part;
  key += part_end;
}

void append_host(std::string_view host, std::string& key) {
  if (is_address(host)) return append_part(host, key);
  while (true) {
    const std::size_t dot = host.rfind('.');
    if (dot == std::string_view::npos) return append_part(host, key);
    append_part(host.substr(dot + 1), key);
    host = host.substr(0, dot);
  }
}

std::size_t equal_bytes(std::string_view a, std::string_view b, std::size_t from) {
  const std::size_t both = std::min(a.size(), b.size());
  while (from + 8 <= both && std::memcmp(a.data() + from, b.data() + from, 8) == 0) from += 8;
  while (from < both && a[from] == b[from]) ++from;
  return from;
}

// Eight bytes as a number that compares as they do; zeros behind the end.
std::uint64_t piece_at(std::string_view key, std::size_t from) {
  unsigned char bytes[8] = {};
  if (from < key.size())
    std::memcpy(bytes, key.data() + from, std::min<std::size_t>(8, key.size() - from));
  std::uint64_t piece = 0;
  for (const unsigned char byte : bytes) piece = piece << 8 | byte;
  return piece;
}

}  // namespace

void append_place_key(std::string_view url, std::string& key) {
  const Pieces pieces = pieces_of(url);
  if (!pieces.scheme.empty()) {
    append_host(pieces.host, key);
    // An empty part first: a domain's own pages stand before those of its subdomains.
    key += part_end;
    key += pieces.port;
    append_part(pieces.scheme, key);
  }
  std::string_view path = pieces.path;
  if (path.starts_with('/')) path.remove_prefix(1);
  bool in_query = false;
  for (const char c : path) {
    if (c == '?' && !in_query) {
      in_query = true;
      key += part_end;
    }
    key += c == '/' && !in_query ? part_end : c;
  }
}

unsigned parts_in_common(std::string_view a, std::string_view b) {
  const std::size_t common = equal_bytes(a, b, 0);
  return static_cast<unsigned>(
      std::count(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), part_end));
}

std::string common_prefix(std::string_view first, std::string_view last) {
  if (first == last) return std::string(first);
  const Pieces a = pieces_of(first), b = pieces_of(last);
  if (a.scheme == b.scheme && a.host == b.host && a.port == b.port) {
    const std::size_t path_at = first.size() - a.path.size();
    std::size_t common = equal_bytes(first, last, 0);
    while (common > path_at && first[common - 1] != '/' && first[common - 1] != '?') --common;
    return std::string(first.substr(0, std::max(common, path_at)));
  }
  if (a.host == b.host) return std::string(a.host);
  if (is_address(a.host) || is_address(b.host)) return {};
  // Labels from the right.
  std::size_t shared = 0;
  for (std::size_t i = 1; i <= std::min(a.host.size(), b.host.size()); ++i) {
    if (a.host[a.host.size() - i] != b.host[b.host.size() - i]) break;
    const auto ends = [i](std::string_view host) {
      return i == host.size() || host[host.size() - i - 1] == '.';
    };
    if (ends(a.host) && ends(b.host)) shared = i;
  }
  return shared == 0 ? std::string() : '.' + std::string(a.host.substr(a.host.size() - shared));
}

void PlaceList::add(std::string_view url, std::uint32_t name) {
  const std::size_t begin = keys_.size();
  append_place_key(url, keys_);
  entries_.push_back({0, begin, static_cast<std::uint32_t>(keys_.size() - begin), name});
}

void PlaceList::sort() {
  std::size_t in_order = 1;
  while (in_order < entries_.size() && key(in_order - 1) <= key(in_order)) ++in_order;
  if (in_order < entries_.size()) sort_run(0, entries_.size(), 0);
}

// Keys of the run are equal up to `from`. What all of them share is skipped, then eight bytes are
// compared as one number: most keys are read once or twice.
void PlaceList::sort_run(std::size_t first, std::size_t end, std::size_t from) {
  constexpr std::size_t few = 24;
  const auto at = [&](std::size_t i) { return entries_.begin() + static_cast<std::ptrdiff_t>(i); };
  if (end - first <= few) {
    std::sort(at(first), at(end), [&](const Entry& a, const Entry& b) {
      return std::string_view(keys_).substr(a.begin, a.length) <
             std::string_view(keys_).substr(b.begin, b.length);
    });
    return;
  }
  std::size_t common = key(first).size();
  for (std::size_t i = first + 1; i < end && common > from; ++i) {
    common = equal_bytes(key(first).substr(0, common), key(i), from);
  }
  from = common;
  for (std::size_t i = first; i < end; ++i) entries_[i].piece = piece_at(key(i), from);
  std::sort(at(first), at(end), [](const Entry& a, const Entry& b) { return a.piece < b.piece; });
  for (std::size_t i = first; i < end;) {
    std::size_t next = i + 1;
    while (next < end && entries_[next].piece == entries_[i].piece) ++next;
    // Keys have no zeros: a piece that ends in one is the end of its key.
    if (next - i > 1 && (entries_[i].piece & 0xff) != 0) sort_run(i, next, from + 8);
    i = next;
  }
}

}  // namespace pollux::learn
