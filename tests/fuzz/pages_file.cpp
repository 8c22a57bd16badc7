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
  config::PageList pages(config, warnings);
  pages.start_file("urls.txt", ExitCode::bad_data, 0);
  const bool plain = config::is_plain_list(text);
  const Status status = pages.add_lines(text, plain ? "- " : "");
  pages.finish();
  if (!status.ok()) fuzz::check(fuzz::is_inert(status.error().message), "one harmless line");
  for (const config::Warning& warning : warnings) {
    fuzz::check(fuzz::is_inert(warning.message), "a warning is one harmless line");
  }
  return 0;
}
