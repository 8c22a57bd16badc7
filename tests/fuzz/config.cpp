// A whole configuration file.
#include "pollux/config/config.hpp"

#include "fuzz/fuzz.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  // A folder that does not exist: files named in the input are not there.
  const auto loaded = config::load_text(std::string(fuzz::text(data, size)), "/nonexistent/f.yaml");
  if (!loaded.ok()) {
    fuzz::check(fuzz::is_inert(loaded.error().message), "a message is one harmless line");
    return 0;
  }
  fuzz::check(!loaded->config.pages.empty(), "what loads has pages");
  for (const config::Page& page : loaded->config.pages) {
    fuzz::check(page.settings < loaded->config.settings.size(), "settings exist");
    const auto& settings = loaded->config.settings[page.settings];
    fuzz::check(settings.content < loaded->config.contents.size(), "rules exist");
    fuzz::check(loaded->config.contents[settings.content] != nullptr, "rules are compiled");
    fuzz::check(page.label < loaded->config.labels.size(), "labels exist");
  }
  for (const config::Warning& warning : loaded->warnings) {
    fuzz::check(fuzz::is_inert(warning.message), "a warning is one harmless line");
  }
  return 0;
}
