// The list of pages as YAML that, named as `pages_file:` of the same configuration, is the same
// list: what files say of each page, word for word, with what was set live in its place, and the
// pages that no file lists at the end.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/live.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
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

// The same page by page, for a list that becomes several, each in a folder of its own: relative
// paths of secrets and programs become absolute. `yaml` is an entry of a list, with its new line.
using EachExported = std::function<void(const std::string& url, std::string_view yaml)>;
struct ListToDivide {
  Exported exported;  // without the text
  std::string brain;  // brains.name, or empty
  double budget = 1;
};
Result<ListToDivide> export_each_page(const std::string& file, std::span<const LiveEntry> live,
                                      const EachExported& each, const LoadOptions& options = {});

// The rest of the configuration as one brain has it, beside the list and the database that are
// named. Overrides of hosts are kept where `has_host` (a host, or host:port) says so.
struct BrainFile {
  std::string name;
  std::string pages_file, database;
  std::function<bool(std::string_view host)> has_host;
};
Result<std::string> brain_configuration(const std::string& file, const BrainFile& brain);

}  // namespace pollux::config
