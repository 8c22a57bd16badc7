// One reader for each format: decoded text in, finds to the collector. An error is for a file that
// cannot be read as what it should be; its message names the line where there is one.
#pragma once

#include "import/collector.hpp"
#include "pollux/base/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::import {

// A file as text: gzip undone, valid UTF-8, no byte order mark.
struct TextFile {
  std::string name;
  std::string text;
};

void read_text(const TextFile& file, Collector& out);
Status read_csv(const TextFile& file, Collector& out);
// Appends the sitemaps that an index names to `further`.
Status read_sitemap(const TextFile& file, Collector& out, std::vector<std::string>& further);
Status read_opml(const TextFile& file, Collector& out);
void read_bookmarks(const TextFile& file, Collector& out);
Status read_urlwatch(const TextFile& file, Collector& out);
// All files of a folder together: the settings (or the one file of the older layout), watch.json
// and tag.json of each.
Status read_changedetection(std::span<const TextFile> files, Collector& out, Imported& imported);

// Could this be a table? By its first line.
bool looks_like_csv(std::string_view text);

}  // namespace pollux::import
