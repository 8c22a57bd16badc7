// Retry-After and Date, one a line.
#include "fetch/header_fields.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view date = end < text.size() ? text.substr(end + 1) : "";
  const auto delay = fetch::parse_retry_after(text.substr(0, end), date, 1'700'000'000);
  if (!delay) return 0;
  fuzz::check(*delay >= std::chrono::seconds(1), "at least a second");
  fuzz::check(*delay <= std::chrono::hours(24), "at most a day");
  return 0;
}
