// The list of pages as YAML that, named as `pages_file:` of the same configuration, is the same
// list: what files say of each page, word for word, with what was set live in its place, and the
// pages that no file lists at the end.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/live.hpp"

#include <span>
#include <string>
#include <vector>

namespace pollux::config {

struct Exported {
  std::string yaml;
  std::size_t pages = 0;
  // Secrets that stand in a file are not written: which header of which page.
  std::vector<std::string> left_out;
};
// `live` as the database has it; entries of pages that `file` lists are laid over them, whatever
// LiveEntry::listed says. Errors as those of load().
Result<Exported> export_pages(const std::string& file, std::span<const LiveEntry> live,
                              const LoadOptions& options = {});

}  // namespace pollux::config
