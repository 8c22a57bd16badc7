// A configuration as every command reads it: with what only the whole program knows, which
// policies there are and which addresses are refused.
#pragma once

#include "pollux/config/config.hpp"

#include <string>
#include <vector>

namespace pollux::cli {

// As config::load(); pages at addresses that are refused are among the warnings. `also`: a page
// that need not be listed.
Result<config::Loaded> load_configuration(const std::string& file,
                                          std::vector<std::string>* errors = nullptr,
                                          const std::string& also = "");

// Pages at addresses that are written in their URLs, or are this machine by their name, and that
// network.allow does not list. Names are not looked up.
struct RefusedPages {
  std::size_t pages = 0;
  std::vector<std::string> hosts;  // the first few
  std::size_t other_hosts = 0;     // beyond these
};
RefusedPages refused_pages(const config::Config& config);

// Prints every line of what is wrong, for people; the result is the exit code.
int report_configuration(const std::string& command, const Error& error,
                         const std::vector<std::string>& errors);

}  // namespace pollux::cli
