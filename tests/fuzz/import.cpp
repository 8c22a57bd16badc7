// A list of another program, in any format: what comes out of it loads, and says nothing that could
// harm a terminal.
#include "pollux/import/import.hpp"

#include "fuzz/fuzz.hpp"
#include "pollux/config/config.hpp"

#include <string>
#include <vector>

namespace {

void check(const pollux::import::Notes& notes) {
  using namespace pollux;
  for (const import::Note& note : notes.kept) {
    fuzz::check(fuzz::is_inert(note.what), "a note is one harmless line");
    fuzz::check(fuzz::is_inert(note.url), "a URL in a note is harmless");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  if (size == 0) return 0;
  constexpr unsigned formats = 8;  // the first byte says which
  const auto format = static_cast<import::Format>(data[0] % formats);
  const std::vector<import::File> files = {{"list", std::string(fuzz::text(data + 1, size - 1))}};
  const auto imported = import::import_files(files, format);
  if (!imported) {
    fuzz::check(fuzz::is_inert(imported.error().message), "a message is one harmless line");
    return 0;
  }
  check(imported->changed);
  check(imported->left_out);
  if (imported->pages.empty()) return 0;
  // The form that `pages:` of a configuration has, so that no file is needed.
  std::string yaml = import::pages_yaml(*imported, {}, "heading");
  if (yaml.find("\npages:\n") == std::string::npos) yaml.insert(yaml.find('\n') + 1, "pages:\n");
  std::vector<std::string> errors;
  const auto loaded =
      config::load_text(yaml + "budget: 1\n", "/nonexistent/f.yaml", {.errors = &errors});
  if (!loaded) std::fprintf(stderr, "%s\n%s\n", loaded.error().message.c_str(), yaml.c_str());
  fuzz::check(loaded.ok(), "what is written loads");
  fuzz::check(loaded->config.pages.size() == imported->pages.size(), "every page is there");
  for (std::size_t i = 0; i < imported->pages.size(); ++i) {
    const auto& settings = loaded->config.settings[loaded->config.pages[i].settings];
    fuzz::check(
        extract::rules_of(*loaded->config.contents[settings.content]) == imported->pages[i].content,
        "the rules mean what was found");
  }
  return 0;
}
