// urlwatch on a noisy web, as long as wanted: what it reports.
#pragma once

#include "support/noise_score.hpp"

#include <chrono>
#include <vector>

namespace pollux::noise {

bool urlwatch_is_installed();
// Blocks. A run every `every`, or as fast as it can.
std::vector<test::Recorded> run_urlwatch(const test::NoisyWeb& web, std::chrono::seconds length,
                                         std::chrono::seconds every);

}  // namespace pollux::noise
