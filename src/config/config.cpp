#include "pollux/config/config.hpp"

namespace pollux::config {

std::string PageSettings::default_user_agent() {
  return "pollux/" POLLUX_VERSION;
}

const HostSettings& Config::politeness(const std::string& host_port) const {
  if (host_overrides.empty()) return host_default;
  if (const auto exact = host_overrides.find(host_port); exact != host_overrides.end()) {
    return exact->second;
  }
  const auto any_port = host_overrides.find(host_port.substr(0, host_port.rfind(':')));
  return any_port != host_overrides.end() ? any_port->second : host_default;
}

}  // namespace pollux::config
