// What a service manager is told (sd_notify), and the watchdog. Without a manager all of it does
// nothing.
#pragma once

#include "pollux/base/time.hpp"

#include <optional>
#include <string>

namespace pollux::engine::service {

void ready(const std::string& status);
void reloading();
void stopping();
void status(const std::string& text);
void alive();
// How often alive() must be called, if the manager watches us: a third of its patience.
std::optional<Duration> watchdog_interval();

}  // namespace pollux::engine::service
