// JSON: its canonical form is JSON, and its own canonical form.
#include "extract/json.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using namespace pollux::extract;
  Limits limits;
  limits.max_kept = std::size_t{1} << 20U;
  const auto once = canonical_json(fuzz::text(data, size), limits);
  if (const auto* text = std::get_if<std::string>(&once)) {
    const auto twice = canonical_json(*text, limits);
    fuzz::check(std::holds_alternative<std::string>(twice), "canonical JSON is JSON");
    fuzz::check(std::get<std::string>(twice) == *text, "and its own canonical form");
  }
  if (const auto* no = std::get_if<NoJson>(&once))
    fuzz::check(fuzz::is_inert(no->reason), "one line");
  static_cast<void>(json_results(fuzz::text(data, size), limits));
  return 0;
}
