#include "robots_txt/path_pattern.hpp"

#include <array>

namespace pollux::robots_txt {
namespace {

constexpr std::array<bool, 256> make_set(std::string_view more) {
  std::array<bool, 256> set{};
  for (const std::string_view part :
       {std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"),
        more}) {
    for (const char c : part) set[static_cast<unsigned char>(c)] = true;
  }
  return set;
}
// Stand for themselves even where they were written as %41.
constexpr std::array<bool, 256> unreserved = make_set("");
// Stand for themselves where they are written plainly; %2F is not a slash.
constexpr std::array<bool, 256> plain = make_set("!&'()+,;=:@/?");

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_encoded(std::string& out, unsigned char byte) {
  static constexpr char digits[] = "0123456789ABCDEF";
  out += '%';
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// Appends the character (or escape) at `at` and returns where the next one is.
std::size_t append_normal(std::string& out, std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == '%' && at + 2 < text.size()) {
    const int high = hex_value(text[at + 1]), low = hex_value(text[at + 2]);
    if (high >= 0 && low >= 0) {
      const auto meant = static_cast<unsigned char>(high * 16 + low);
      if (unreserved[meant]) {
        out += static_cast<char>(meant);
      } else {
        append_encoded(out, meant);
      }
      return at + 3;
    }
  }
  if (plain[byte]) {
    out += text[at];
  } else {
    append_encoded(out, byte);
  }
  return at + 1;
}

}  // namespace

std::string normal_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t at = 0; at < path.size();) at = append_normal(out, path, at);
  return out;
}

std::string normal_pattern(std::string_view pattern) {
  std::string out;
  out.reserve(pattern.size());
  for (std::size_t at = 0; at < pattern.size();) {
    const bool wildcard = pattern[at] == '*';
    if (wildcard || (pattern[at] == '$' && at + 1 == pattern.size())) {
      if (!wildcard || !out.ends_with('*')) out += pattern[at];
      ++at;
    } else {
      at = append_normal(out, pattern, at);
    }
  }
  return out;
}

// Between two wildcards the leftmost match is as good as any: what follows has more room.
bool PathMatcher::matches(std::string_view pattern) {
  const bool to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);
  std::size_t star = pattern.find('*');
  const std::string_view start = pattern.substr(0, star);
  if (!path_.starts_with(start)) return false;
  std::size_t at = start.size();
  if (star == std::string_view::npos) return !to_the_end || at == path_.size();
  while (star != std::string_view::npos) {
    const std::size_t next = pattern.find('*', star + 1);
    const std::string_view piece =
        pattern.substr(star + 1, next == std::string_view::npos ? next : next - star - 1);
    if (next == std::string_view::npos && to_the_end)
      return path_.size() - at >= piece.size() && path_.ends_with(piece);
    const std::size_t found = find(piece, at);
    if (found == std::string_view::npos) return false;
    at = found + piece.size();
    star = next;
  }
  return true;
}

bool PathMatcher::has_pairs_of(std::string_view piece) {
  const auto pair = [](std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8 |
           static_cast<unsigned char>(text[at + 1]);
  };
  if (pairs_.empty()) {
    pairs_.resize(std::size_t{1} << 16);
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) pairs_[pair(path_, i)] = true;
  }
  for (std::size_t i = 0; i + 1 < piece.size(); ++i) {
    ++work_;
    if (!pairs_[pair(piece, i)]) return false;
  }
  return true;
}

// Knuth, Morris and Pratt: no piece of a pattern makes it read a character of the path twice.
std::size_t PathMatcher::find(std::string_view piece, std::size_t from) {
  if (piece.empty()) return from;
  if (piece.size() > path_.size() - from || !has_pairs_of(piece)) return std::string_view::npos;
  work_ += piece.size();
  borders_.assign(piece.size(), 0);
  for (std::size_t i = 1, border = 0; i < piece.size(); ++i) {
    while (border > 0 && piece[i] != piece[border]) border = borders_[border - 1];
    if (piece[i] == piece[border]) ++border;
    borders_[i] = border;
  }
  for (std::size_t i = from, matched = 0; i < path_.size(); ++i) {
    ++work_;
    while (matched > 0 && path_[i] != piece[matched]) matched = borders_[matched - 1];
    if (path_[i] == piece[matched]) ++matched;
    if (matched == piece.size()) return i + 1 - matched;
  }
  return std::string_view::npos;
}

}  // namespace pollux::robots_txt
