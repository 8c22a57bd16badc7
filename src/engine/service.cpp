#include "engine/service.hpp"

#include "pollux/base/text.hpp"

#include <chrono>

#include <systemd/sd-daemon.h>

namespace pollux::engine::service {

void ready(const std::string& status) {
  sd_notify(0, ("READY=1\nSTATUS=" + printable(status)).c_str());
}

void reloading() {
  // Type=notify-reload needs the moment of the signal on the monotonic clock.
  const auto now =
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count())).c_str());
}

void stopping() {
  sd_notify(0, "STOPPING=1\nSTATUS=Stopping: waiting for fetches, saving");
}

void status(const std::string& text) {
  sd_notify(0, ("STATUS=" + printable(text)).c_str());
}

void alive() {
  sd_notify(0, "WATCHDOG=1");
}

std::optional<Duration> watchdog_interval() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return Duration(static_cast<Duration::rep>(microseconds / 3));
}

}  // namespace pollux::engine::service
