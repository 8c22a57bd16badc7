// One page of the noisy web: what it says at each version, what noise lies over it, and when it
// lies. Pure but for the random numbers it is given.
#pragma once

#include "pollux/demo/noise.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::test {

using demo::all_noise_kinds;
using demo::name_of;
using demo::NoiseKind;

enum class Lie : std::uint8_t {
  login_wall,
  consent_redirect,
  bot_challenge,
  soft_404,
  maintenance,
  size_collapse,
  at_first  // what a page answers before it is seen for the first time
};
std::string_view name_of(Lie lie);
std::vector<Lie> all_lies();

using SinceBegin = std::chrono::milliseconds;

// From one version to the next.
struct TrueChange {
  enum class How { headline, price, note, word };
  How how = How::headline;
  SinceBegin at{};
  std::string says;  // the words that are new with it, and nowhere else
};

struct NoisyPage {
  NoiseKind kind = NoiseKind::none;
  std::optional<Lie> lie;
  std::vector<TrueChange> changes;                      // by time
  std::vector<std::pair<SinceBegin, SinceBegin>> lies;  // from, to
  std::uint64_t seed = 0;                               // of its words

  int version_at(SinceBegin now) const;
  bool lies_at(SinceBegin now) const;
};

struct Drawn {
  int status = 200;
  std::string type, body, location;
};
struct Drawing {
  int version = 0;
  bool noise = true;
  unsigned nth = 1;  // request to this page
  std::chrono::system_clock::time_point now;
  std::chrono::milliseconds minute{60'000};  // how fast "3 minutes ago" grows
};
Drawn draw(const NoisyPage& page, const Drawing& how, std::mt19937_64& random);
Drawn draw_lie(const NoisyPage& page, std::mt19937_64& random);
// Where redirects of lies lead to: /login and /consent.
std::optional<Drawn> draw_wall(std::string_view path);

// A word that no page has twice, from a number; never one of the pages' own words.
std::string telling_word(int number);

}  // namespace pollux::test
