// Foreign text on its way to logs and terminals.
#include "fuzz/fuzz.hpp"
#include "pollux/base/text.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  const std::string shown = printable(text, 200);
  fuzz::check(fuzz::is_inert(shown), "one harmless line");
  fuzz::check(shown.size() < 220, "no longer than asked for");
  fuzz::check(fuzz::is_inert(printable_url(text)), "one harmless line of a URL");
  fuzz::check(printable(shown, 1000) == shown, "what is harmless stays as it is");
  return 0;
}
