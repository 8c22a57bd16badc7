// How many fetches and how many threads that detect changes suit a configuration and this machine.
#pragma once

#include "pollux/concurrency/controller.hpp"
#include "pollux/config/config.hpp"

namespace pollux::engine {

int detect_threads();
concurrency::ControllerOptions fetches_for(const config::Config& config);

}  // namespace pollux::engine
