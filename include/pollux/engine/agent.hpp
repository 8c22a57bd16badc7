// `pollux agent`: fetches for a brain on another machine until it is told to stop. It has neither
// pages nor a database. Threading: run_agent() on the calling thread, which handles SIGTERM and
// SIGINT; bodies are extracted on two more.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/config.hpp"

namespace pollux::engine {

// Returns once it has been told to stop and what was under way is reported, or after `grace`.
Status run_agent(const config::Config& config, Duration grace = std::chrono::seconds(4));

}  // namespace pollux::engine
