#include "pollux/import/import.hpp"

#include "import/gunzip.hpp"
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/extract/decode.hpp"
#include "pollux/extract/xml_walk.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20U;  // of all files, unpacked
constexpr std::array<std::string_view, 8> format_names = {
    "auto", "text", "csv", "sitemap", "opml", "urlwatch", "changedetection", "bookmarks"};

Error failed(const File& file, const std::string& what) {
  return Error{printable(file.name) + ": " + what, ExitCode::bad_data};
}

// A line that begins with one of these words and a colon, as jobs of urlwatch do.
bool has_job(std::string_view text) {
  constexpr std::size_t lines_looked_at = 10'000;
  for (std::size_t i = 0; i < lines_looked_at && !text.empty(); ++i) {
    const std::string_view line = take_line(text);
    for (const std::string_view word : {"url:", "navigate:", "command:", "kind:"}) {
      if (line.starts_with(word) && (line.size() == word.size() || is_blank(line[word.size()])))
        return true;
    }
  }
  return false;
}

// A configuration of ours, or a list for its pages_file, as we write it.
bool is_ours(std::string_view text) {
  constexpr std::size_t lines_looked_at = 1000;
  for (std::size_t i = 0; i < lines_looked_at && !text.empty(); ++i) {
    const std::string_view line = take_line(text);
    if (line == "pages:" || line.starts_with("pages: ")) return true;
  }
  return false;
}

Format format_in(const TextFile& file) {
  const std::string_view text = trimmed(std::string_view(file.text));
  const std::string start = lowered(text.substr(0, 4096));
  const std::string name = lowered(file.name);
  if (text.starts_with('<')) {
    const std::string_view root = extract::xml_root(file.text);
    if (root == "urlset" || root == "sitemapindex") return Format::sitemap;
    if (root == "opml") return Format::opml;
    if (start.find("netscape-bookmark") != start.npos || start.find("<dl") != start.npos ||
        start.find("<a ") != start.npos)
      return Format::bookmarks;
    // Its reader says what is wrong with it.
    if (start.find("<opml") != start.npos) return Format::opml;
    if (start.starts_with("<?xml") || start.starts_with("<!doctype")) return Format::sitemap;
  }
  if (text.starts_with('{')) return Format::changedetection;
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::csv;
  if (has_job(file.text)) return Format::urlwatch;
  return looks_like_csv(file.text) ? Format::csv : Format::text;
}

// "https://example.org/maps/a.xml.gz" → "a.xml.gz"
std::string_view last_segment(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  return url.substr(url.rfind('/') + 1);
}

// Those that are not among the files.
void drop_known(std::vector<std::string>& further, std::span<const TextFile> files) {
  std::unordered_set<std::string_view> names;
  for (const TextFile& file : files) names.insert(last_segment(file.name));
  std::erase_if(further, [&](const std::string& url) { return names.contains(last_segment(url)); });
}

Status read_as(Format format, std::span<const TextFile> files, Collector& out, Imported& imported) {
  const TextFile& first = files.front();
  switch (format) {
    case Format::automatic:
      break;
    case Format::text:
      read_text(first, out);
      break;
    case Format::csv:
      return read_csv(first, out);
    case Format::sitemap:
      for (const TextFile& file : files) {
        const Status read = read_sitemap(file, out, imported.further);
        if (read) continue;
        if (&file == &first) return read;
        out.left_out({file.name, 0}, read.error().message);  // the others are good without it
      }
      drop_known(imported.further, files);
      break;
    case Format::opml:
      return read_opml(first, out);
    case Format::urlwatch:
      return read_urlwatch(first, out);
    case Format::changedetection:
      return read_changedetection(files, out, imported);
    case Format::bookmarks:
      read_bookmarks(first, out);
      break;
  }
  return success();
}

}  // namespace

std::string_view name_of(Format format) {
  return format_names[static_cast<std::size_t>(format)];
}

std::optional<Format> format_of(std::string_view name) {
  const auto* const at = std::find(format_names.begin(), format_names.end(), name);
  if (at == format_names.end()) return std::nullopt;
  return static_cast<Format>(at - format_names.begin());
}

bool Page::is_plain() const {
  return name.empty() && tags.empty() && !importance && !min_interval && !max_interval &&
         !timeout && user_agent.empty() && headers.empty() && login.empty() &&
         content == extract::Rules{};
}

Result<Imported> import_files(std::span<const File> files, Format format) {
  Imported imported;
  if (files.empty()) return imported;
  Collector out(imported);
  std::vector<TextFile> texts;
  std::size_t total = 0;
  for (const File& file : files) {
    std::string unpacked;
    const bool packed = is_gzip(file.bytes);
    if (packed) {
      Result<std::string> plain = gunzip(file.bytes, most_bytes - total);
      if (!plain) return failed(file, plain.error().message);
      unpacked = std::move(*plain);
    }
    const std::string_view bytes = packed ? unpacked : file.bytes;
    if (bytes.starts_with("PK\x03\x04"))
      return failed(file, "a ZIP archive; unpack it, and import the folder or the file in it");
    total += bytes.size();
    if (total > most_bytes) return failed(file, "more than " + format_bytes(most_bytes));
    extract::DecodedText decoded = extract::decoded_text(bytes);
    if (decoded.text.find('\0') != std::string::npos)
      return failed(file, "no text: it holds zero bytes");
    if (decoded.encoding != "UTF-8") out.changed({file.name, 0}, "read as " + decoded.encoding);
    texts.push_back({file.name, std::move(decoded.text)});
  }
  imported.format = format == Format::automatic ? format_in(texts.front()) : format;
  if (format == Format::automatic && imported.format == Format::text && is_ours(texts.front().text))
    return failed(files.front(), "a list of Pollux already; name it in pollux.yaml: pages_file");
  if (Status status = read_as(imported.format, texts, out, imported); !status)
    return status.error();
  return imported;
}

}  // namespace pollux::import
