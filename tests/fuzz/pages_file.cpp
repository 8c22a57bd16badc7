// A list of pages with one URL a line, or as YAML: the quick way must mean what the careful one
// means.
#include "config/pages.hpp"
#include "fuzz/fuzz.hpp"
#include "pollux/config/config.hpp"

#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  config::Config config;
  config.settings.emplace_back();
  std::vector<config::Warning> warnings;
  config::Problems problems;
  config::PageList pages(config, warnings, problems);
  pages.start_file("urls.txt", ExitCode::bad_data, 0);
  const bool plain = config::is_plain_list(text);
  pages.add_lines(text, problems, plain ? "- " : "");
  pages.finish();
  for (const std::string& line : problems.lines()) {
    fuzz::check(fuzz::is_inert(line), "one harmless line");
  }
  for (const config::Warning& warning : warnings) {
    fuzz::check(fuzz::is_inert(warning.message), "a warning is one harmless line");
  }
  return 0;
}
