// `pollux lab ablation`: what each part of the default policy brings. The same worlds with all of
// it, with one part left out at a time, and with nothing but one slow rate estimate.
#pragma once

#include "pollux/lab/replay_experiment.hpp"
#include "pollux/lab/zipf_experiment.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::lab {

struct AblationVariant {
  std::string_view name;
  learn::Parts parts;
  double explore = -1;  // negative: the scheduler's default
};
// The whole policy first.
std::span<const AblationVariant> ablation_variants();

// Mean and standard error over the seeds.
struct Estimate {
  double mean = 0, error = 0;
};
Estimate estimate_of(const std::vector<double>& values);

}  // namespace pollux::lab
