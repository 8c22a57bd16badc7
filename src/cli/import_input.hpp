// The files that `pollux import` reads. What a file names is read only where it lies beside it.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/import/import.hpp"

#include <string>
#include <vector>

namespace pollux::cli {

// One file, "-" for standard input, or the folder of changedetection.io with its watches and tags.
Result<std::vector<import::File>> import_input(const std::string& path);

// Imports them; of a sitemap index also the sitemaps that lie beside it, under the last part of
// their URLs.
Result<import::Imported> import_with_neighbours(std::vector<import::File> files,
                                                import::Format format, const std::string& path);

}  // namespace pollux::cli
