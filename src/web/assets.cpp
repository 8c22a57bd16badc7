#include "web/assets.hpp"

#include "pollux/base/text.hpp"
#include "web/answers.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pollux::web {
namespace {

struct MediaType {
  std::string_view ending, type;
};
constexpr MediaType media_types[] = {{".html", "text/html; charset=utf-8"},
                                     {".js", "text/javascript; charset=utf-8"},
                                     {".css", "text/css; charset=utf-8"},
                                     {".svg", "image/svg+xml"},
                                     {".png", "image/png"},
                                     {".json", "application/json"},
                                     {".webmanifest", "application/manifest+json"},
                                     {".woff2", "font/woff2"}};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string_view next_of(std::string_view& list, char separator) {
  const std::size_t end = list.find(separator);
  const std::string_view first = trimmed(list.substr(0, end));
  list = end == list.npos ? std::string_view() : list.substr(end + 1);
  return first;
}

const PageFile* find_file(std::span<const PageFile> files, std::string_view name) {
  const auto found = std::ranges::find_if(
      files, [&](const PageFile& file) { return std::string_view(file.name) == name; });
  return found == files.end() ? nullptr : &*found;
}

bool is_known_already(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view tag = next_of(if_none_match, ',');
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag || tag == "*") return true;
  }
  return false;
}

http::Response without_page() {
  http::Response response;
  response.headers = {{"Cache-Control", "no-store"}};
  response.body =
      "Pollux is running. This program was built without its web page: install nodejs and npm,\n"
      "then build it again (cmake says what is missing). The API is there: api/v1/status,\n"
      "api/v1/pages, api/v1/changes; metrics for Prometheus are at metrics.\n"
      "In a terminal: pollux status, pollux pages, pollux changes.\n";
  return response;
}

}  // namespace

double wanted(std::string_view accept_encoding, std::string_view coding) {
  std::optional<double> any;
  while (!accept_encoding.empty()) {
    std::string_view entry = next_of(accept_encoding, ',');
    const std::string_view name = next_of(entry, ';');
    double quality = 1;
    if (const std::string_view q = trimmed(entry); q.starts_with("q=") || q.starts_with("Q=")) {
      const auto [end, wrong] = std::from_chars(q.data() + 2, q.data() + q.size(), quality);
      if (wrong != std::errc{}) quality = 0;
    }
    if (name == coding) return quality;
    if (name == "*") any = quality;
  }
  return any.value_or(0);
}

http::Response asset(std::span<const PageFile> files, std::string_view path,
                     const http::Request& request) {
  if (files.empty() && path == "/") return without_page();
  const std::string name = path == "/" ? "index.html" : std::string(path.substr(1));
  const auto type = std::ranges::find_if(
      media_types, [&](const MediaType& known) { return name.ends_with(known.ending); });
  const PageFile* file = find_file(files, name);
  if (file == nullptr || type == std::end(media_types)) {
    return problem(404, "there is no " + printable(path, 200),
                   "the page is at /, the API at /api/v1");
  }
  http::Response response;
  const std::string_view accepted = request.header("Accept-Encoding");
  std::string_view coding;
  for (const auto& [word, ending] : {std::pair{"br", ".br"}, std::pair{"gzip", ".gz"}}) {
    const PageFile* smaller = find_file(files, name + ending);
    if (smaller == nullptr || wanted(accepted, word) <= wanted(accepted, coding)) continue;
    file = smaller;
    coding = word;
  }
  const bool named_by_content = name.starts_with("assets/");
  const std::string etag = "\"" + std::string(file->hash) + "\"";
  response.content_type = type->type;
  response.headers = {
      {"Cache-Control", named_by_content ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Vary", "Accept-Encoding"},
      {"ETag", etag}};
  if (is_known_already(request.header("If-None-Match"), etag)) {
    response.status = 304;
    return response;
  }
  if (!coding.empty()) response.headers.emplace_back("Content-Encoding", std::string(coding));
  response.body = file->bytes();
  return response;
}

}  // namespace pollux::web
