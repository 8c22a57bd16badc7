// Looks at a page and the masks made of them; masks as they stand in a table. Zero bytes part the
// looks.
#include "pollux/extract/masks.hpp"

#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <re2/re2.h>

namespace {

void check_mask(const pollux::extract::Mask& mask) {
  using namespace pollux;
  const std::string text = extract::to_text(mask);
  fuzz::check(fuzz::is_inert(text), "a mask is one line");
  fuzz::check(extract::mask_from_text(text) == mask, "a mask comes back from its text");
  const RE2 pattern(extract::ignore_pattern(mask), RE2::Quiet);
  fuzz::check(pattern.ok() || pattern.error_code() == RE2::ErrorPatternTooLarge,
              "its pattern is one of RE2");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  std::string_view text = fuzz::text(data, size);
  if (const auto mask = extract::mask_from_text(text)) check_mask(*mask);

  std::vector<std::string_view> looks;
  while (looks.size() < 4) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    looks.push_back(text.substr(0, end));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  if (looks.size() < 2) looks.push_back(looks.front());
  for (const extract::Looks kind : {extract::Looks::twins, extract::Looks::versions}) {
    const std::vector<WallTime> seen(looks.size(), WallTime(std::chrono::hours(489'000)));
    const extract::Noise noise = extract::find_masks(looks, kind, false, seen);
    fuzz::check(noise.masks.size() <= 64, "there are not too many");
    for (const extract::Mask& mask : noise.masks) check_mask(mask);
    std::vector<std::string> masked;
    for (const std::string_view look : looks) {
      const extract::Masked one = extract::apply(noise.masks, look);
      for (const bool matched : one.matched) fuzz::check(matched, "each mask fits each look");
      masked.push_back(one.text);
    }
    const bool equal = std::all_of(masked.begin(), masked.end(),
                                   [&](const std::string& one) { return one == masked.front(); });
    fuzz::check(noise.explained == equal, "explained means equal");
    for (std::size_t i = 1; kind == extract::Looks::versions && noise.explained && i < looks.size();
         ++i) {
      fuzz::check(extract::may_differ_in_times_only(looks[i - 1], looks[i]), "as was guessed");
    }
    const extract::Noise without = extract::find_masks(looks, kind, true);
    for (const extract::Mask& mask : without.masks) {
      fuzz::check(mask.kind != extract::TokenKind::number, "no number under a rule for numbers");
    }
  }
  return 0;
}
