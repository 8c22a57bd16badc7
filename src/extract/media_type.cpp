#include "extract/media_type.hpp"

#include "extract/ascii_text.hpp"
#include "extract/encoding.hpp"
#include "extract/xml.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pollux::extract {
namespace {

constexpr std::size_t sniffed = 4096;

// Of WHATWG's MIME Sniffing; what they begin, behind white space, is HTML.
constexpr auto html_starts = std::to_array<std::string_view>(
    {"<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table",
     "<a", "<style", "<title", "<b", "<body", "<br", "<p", "<main", "<meta", "<link"});

constexpr auto magic = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"%PDF-", "application/pdf"},
     {"\x89PNG\r\n\x1A\n", "image/png"},
     {"GIF8", "image/gif"},
     {"\xFF\xD8\xFF", "image/jpeg"},
     {"\x1F\x8B\x08", "application/gzip"},
     {"PK\x03\x04", "application/zip"}});

bool is_html(std::string_view text) {
  if (text.starts_with("<!--")) return true;
  return std::any_of(html_starts.begin(), html_starts.end(), [text](std::string_view start) {
    return text.size() > start.size() && same_letters(text.substr(0, start.size()), start) &&
           (is_space(text[start.size()]) || text[start.size()] == '>');
  });
}

// Begins and ends like a JSON object or array; whether it is one, a parser says.
bool is_json(std::string_view text) {
  if (text.size() < 2) return false;
  if (text.front() == '[') return text.back() == ']';
  if (text.front() != '{' || text.back() != '}') return false;
  const std::string_view inside = trimmed(text.substr(1));
  return inside.front() == '"' || inside.front() == '}';
}

// The next of a; b; "c;d", trimmed, taken off the front.
std::string_view take_part(std::string_view& rest) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (quoted || rest[end] != ';'); ++end) {
    if (rest[end] == '"') quoted = !quoted;
    if (rest[end] == '\\' && quoted) ++end;
  }
  end = std::min(end, rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string unquoted(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  std::string out;
  for (std::size_t i = 1; i < value.size() && value[i] != '"'; ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) ++i;
    out += value[i];
  }
  return out;
}

}  // namespace

MediaType parse_media_type(std::string_view content_type) {
  MediaType media;
  media.type = lowered(take_part(content_type));
  const bool placeholder = media.type == "*/*" || media.type == "unknown/unknown" ||
                           media.type == "application/unknown" ||
                           media.type.find('/') == std::string::npos;
  if (placeholder) media.type.clear();
  while (!content_type.empty()) {
    const std::string_view part = take_part(content_type);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || !media.charset.empty()) continue;
    if (same_letters(trimmed(part.substr(0, equals)), "charset"))
      media.charset = unquoted(trimmed(part.substr(equals + 1)));
  }
  return media;
}

std::string sniff_media_type(std::string_view body) {
  for (const auto& [start, type] : magic) {
    if (body.starts_with(start)) return std::string(type);
  }
  const std::string_view encoding = encoding_of(body.substr(0, sniffed), "", OwnWord::nowhere);
  if (is_binary(body, encoding, false)) return "application/octet-stream";
  const std::string start = decode(body.substr(0, sniffed), encoding);
  const std::string_view text = trimmed(start);
  const std::string_view root = root_of(text);
  if (root == "rss") return "application/rss+xml";
  if (root == "feed") return "application/atom+xml";
  if (root == "RDF") return "application/rdf+xml";
  if (is_html(text) || same_letters(root, "html")) return "text/html";
  if (text.starts_with("<?xml")) return "text/xml";
  // The end of it counts, too, and that is in the body.
  if (text.starts_with('{') || text.starts_with('[')) {
    const std::size_t begin = body.find(text.front());
    if (begin != std::string_view::npos && is_json(trimmed(body.substr(begin))))
      return "application/json";
  }
  return "text/plain";
}

Shape shape_of(std::string_view type) {
  if (type == "text/html" || type == "application/xhtml+xml") return Shape::html;
  if (type == "application/json" || type == "text/json" || type.ends_with("+json"))
    return Shape::json;
  if (type == "text/xml" || type == "application/xml" || type.ends_with("+xml")) return Shape::xml;
  if (type.starts_with("text/") || type == "application/javascript" ||
      type == "application/x-javascript" || type == "application/yaml" ||
      type == "application/x-ndjson")
    return Shape::text;
  return Shape::other;
}

}  // namespace pollux::extract
