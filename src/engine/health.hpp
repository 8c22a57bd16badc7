// How far a page is to be trusted: the first of these that applies. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pollux::engine {

enum class Health : std::uint8_t {
  failing,   // its last poll was an error
  suspect,   // its last answer was not believed
  selector,  // `select` matches nothing
  moved,     // for good, says its server
  flapping,  // it alternates between versions seen before
  noisy,     // looks moments apart differ, and no masks explain it
  masked,    // places that differ at every look are masked
  ok
};

inline std::string_view name_of(Health health) {
  static constexpr std::array<std::string_view, 8> names = {
      "failing", "suspect", "selector", "moved", "flapping", "noisy", "masked", "ok"};
  return names[static_cast<std::size_t>(health)];
}

}  // namespace pollux::engine
