// What a watcher made of a noisy web: which of the changes it recorded are true, and which true
// changes that its requests were shown it has recorded. Pure.
#pragma once

#include "support/noisy_web.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pollux::test {

struct Recorded {
  std::string url;
  SystemTime found_at, previous_poll_at;  // it happened between the two
  std::string summary;
};

struct KindScore {
  std::size_t recorded = 0, useless = 0, visible = 0, found = 0, requests = 0, pages = 0;
};

struct NoiseScore {
  KindScore all;
  std::map<std::string, KindScore> kinds;           // of noise and of lies; "quiet"
  std::vector<std::string> useless, missed;         // for people
  std::size_t still_pages = 0, still_requests = 0;  // without true changes
  // By page and version: how long after it was made it was recorded. Changes behind a lie are left
  // out: nobody could see them.
  std::map<std::pair<std::size_t, int>, double> delays;
};

// `until`: what was shown later was not to be recorded any more.
NoiseScore score(const NoisyWeb& web, const std::vector<Recorded>& recorded, SystemTime until);

}  // namespace pollux::test
