// The hosts of the web under chaos, by what may be expected of them. A host is an address of its
// own on loopback and has one page.
#pragma once

#include <chrono>
#include <string>

namespace pollux::chaos {

inline constexpr unsigned healthy_hosts = 24;  // never misbehave
inline constexpr unsigned patient_hosts = 6;   // nor do these; they want a long pause
inline constexpr unsigned victim_hosts = 48;   // misbehave when told; the last ones by TLS
inline constexpr unsigned secure_hosts = 12;   // of those
inline constexpr unsigned late_hosts = 48;     // watched as reloads say, with a robots.txt
// And one host that answers /busy with 429 and an hour, and its own page.

inline constexpr int budget = 50;
inline constexpr std::chrono::milliseconds healthy_interval{2000};  // min_interval
inline constexpr std::chrono::milliseconds interval{2500};          // of all others
inline constexpr std::chrono::milliseconds delay{200};              // hosts.delay
inline constexpr std::chrono::milliseconds patient_delay{5000};

enum class Group { healthy, patient, victim, late, silenced };

// 127.5.GROUP.NUMBER
inline std::string address(Group group, unsigned number) {
  return "127.5." + std::to_string(static_cast<int>(group)) + "." + std::to_string(number + 1);
}

}  // namespace pollux::chaos
