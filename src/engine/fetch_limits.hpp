// How many fetches, threads that fetch and threads that detect changes suit a configuration and
// this machine.
#pragma once

#include "pollux/concurrency/controller.hpp"
#include "pollux/config/config.hpp"

namespace pollux::engine {

int detect_threads();
std::size_t fetch_threads(const config::Config& config);
concurrency::ControllerOptions fetches_for(const config::Config& config);

}  // namespace pollux::engine
