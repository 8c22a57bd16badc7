// Ports that no web page is fetched from: other services live there, and a request for a page,
// wherever a redirect leads it, could be taken for words of theirs. The list is that of browsers
// ("bad port" in the Fetch standard). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace pollux {

inline bool is_bad_port(unsigned port) {
  static constexpr std::uint16_t bad[] = {
      1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,
      42,   43,   53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,
      111,  113,  115,  117,  119,  123,  135,  137,  139,  143,  161,  179,  389,  427,
      465,  512,  513,  514,  515,  526,  530,  531,  532,  540,  548,  554,  556,  563,
      587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659, 4045, 4190,
      5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};
  static_assert(std::is_sorted(std::begin(bad), std::end(bad)));
  return std::binary_search(std::begin(bad), std::end(bad), port);
}

// The port at the end of "host:8080" or "http://[::1]:8080"; 0 when none is written.
inline unsigned written_port(std::string_view authority) {
  unsigned port = 0, digit = 1;
  for (std::size_t i = authority.size(); i-- > 0; digit *= 10) {
    if (authority[i] == ':') return digit > 1 ? port : 0;
    if (authority[i] < '0' || authority[i] > '9' || digit > 10000) return 0;
    port += digit * static_cast<unsigned>(authority[i] - '0');
  }
  return 0;
}

}  // namespace pollux
