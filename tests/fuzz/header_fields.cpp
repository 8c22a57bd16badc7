// The header lines of responses, one a line of the input.
#include "fetch/header_fields.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using fetch::HeaderFields;
  constexpr std::size_t limit = 4096;
  std::string_view rest = fuzz::text(data, size);
  HeaderFields fields;
  fields.reset(limit);
  std::size_t taken = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (fields.add(line) != HeaderFields::Verdict::ok) return 0;
    taken += line.size();
    fuzz::check(taken <= limit, "no more is taken than the limit");
  }
  if (!fields.complete()) return 0;
  fuzz::check(fields.status() >= 200 && fields.status() <= 999, "a final status");
  for (const std::string& validator : {fields.etag(), fields.last_modified()}) {
    fuzz::check(validator.empty() || fetch::is_clean_validator(validator), "validators are clean");
  }
  return 0;
}
